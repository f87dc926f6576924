"""Memory for `langchain.agents.create_agent`: the host graph's own steps as middleware hooks."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Annotated, Any, NotRequired

from langchain.agents.middleware import AgentMiddleware, AgentState, ModelRequest, ModelResponse
from langchain.agents.middleware.types import PrivateStateAttr
from langchain_core.messages import AnyMessage, SystemMessage
from langgraph.runtime import Runtime

from previously.graphs.evolution import create_evolution_graph
from previously.graphs.housekeeping import create_housekeeping_graph
from previously.nodes import host
from previously.nodes.pressure import pressure
from previously.nodes.services import Services
from previously.state.channels import Brief, EvolutionInput, HostState, HousekeepingInput

Update = dict[str, Any]


class PreviouslyState(AgentState[Any]):
    """The agent's state with the channels of memory."""

    signals: NotRequired[list[Update]]
    turn: NotRequired[Annotated[str, PrivateStateAttr]]
    brief: NotRequired[Annotated[Brief, PrivateStateAttr]]
    evolution: NotRequired[Update]
    memory: NotRequired[Update]


class PreviouslyMiddleware(AgentMiddleware[PreviouslyState, Any, Any]):
    """Records each turn first, puts the card behind the system prompt, does the memory work after the reply.

    Take it from `Previously.middleware` and give it to `create_agent(…, middleware=[…], context_schema=MemoryContext)`;
    invoke the agent with `context=MemoryContext(space=…)`. What it adds to a prompt is not stored in the history.
    """

    state_schema = PreviouslyState

    def __init__(self, services: Services) -> None:
        """`services` are those of an open `Previously`."""
        super().__init__()
        self._services = services
        self._receive = host.receive(services)
        self._pressure = pressure(services)
        self._evolution = create_evolution_graph(services)
        self._brief = host.brief(services)
        self._housekeeping = create_housekeeping_graph(services)

    def before_agent(self, state: PreviouslyState, runtime: Runtime[Any]) -> Update:
        """Reads `messages` and `signals`; stores the user's turn, evolves if that is due; sets `turn` and `brief`."""
        received = self._received(state, runtime)
        if received["due"]:
            received |= self._evolution.invoke(_run(received), context=self._services.context(runtime))
        return self._briefed(state, received, runtime)

    async def abefore_agent(self, state: PreviouslyState, runtime: Runtime[Any]) -> Update:
        """Reads `messages` and `signals`; stores the user's turn, evolves if that is due; sets `turn` and `brief`."""
        received = await asyncio.to_thread(self._received, state, runtime)
        if received["due"]:
            received |= await self._evolution.ainvoke(_run(received), context=self._services.context(runtime))
        return await asyncio.to_thread(self._briefed, state, received, runtime)

    def _received(self, state: PreviouslyState, runtime: Runtime[Any]) -> Update:
        received = self._receive(_shared(state), runtime=runtime)
        checked: HostState = {"turn": received["turn"], "opens": received["opens"]}
        return {**received, **self._pressure(checked, runtime=runtime)}

    def _briefed(self, state: PreviouslyState, received: Update, runtime: Runtime[Any]) -> Update:
        brief = self._brief({**_shared(state), "turn": received["turn"]}, runtime=runtime)
        told = {name: received[name] for name in ("turn", "signals", "evolution")}
        return {**told, **brief}

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any]:
        """Give the model the prompt with memory."""
        return handler(_with_memory(request))

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any]:
        """Give the model the prompt with memory."""
        return await handler(_with_memory(request))

    def after_agent(self, state: PreviouslyState, runtime: Runtime[Any]) -> Update:
        """Reads `messages` and `turn`; runs the housekeeping; sets `memory`, the account."""
        given: HousekeepingInput = {"messages": state["messages"], "turn": state.get("turn", "")}
        found: Update = self._housekeeping.invoke(given, context=self._services.context(runtime))
        return found

    async def aafter_agent(self, state: PreviouslyState, runtime: Runtime[Any]) -> Update:
        """Reads `messages` and `turn`; runs the housekeeping; sets `memory`, the account."""
        given: HousekeepingInput = {"messages": state["messages"], "turn": state.get("turn", "")}
        found: Update = await self._housekeeping.ainvoke(given, context=self._services.context(runtime))
        return found


def _run(received: Update) -> EvolutionInput:
    return {"due": received["due"], "turn": received["turn"], "run": received["run"]}


def _shared(state: PreviouslyState) -> HostState:
    """Return the channels that the host graph's own steps read."""
    return {"messages": state["messages"], "turn": state.get("turn", ""), "signals": state.get("signals", [])}


def _with_memory(request: ModelRequest[Any]) -> ModelRequest[Any]:
    constitution: list[AnyMessage] = [request.system_message] if request.system_message else []
    state: Mapping[str, Any] = request.state
    messages = host.with_memory([*constitution, *request.messages], state.get("brief"))
    if messages and isinstance(messages[0], SystemMessage):
        return request.override(system_message=messages[0], messages=messages[1:])
    return request.override(messages=messages)
