"""A model step as a node: where it runs, how it shows in traces and streams, and what goes over the wire."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable
from typing import Annotated, Any

import pytest
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import AnyMessage, HumanMessage, SystemMessage
from langchain_core.runnables import RunnableLambda
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.graph.state import CompiledStateGraph
from pydantic import BaseModel
from typing_extensions import TypedDict

from previously.nodes.ask import ask
from previously.nodes.services import Services
from previously.state.context import MemoryContext
from previously.state.usage import add_usage, total_usage
from previously.testing import Hang, LoopbackServer, ScriptedChatModel, calls, status, truncated

pytestmark = pytest.mark.usefixtures("short_pauses")
ServicesFor = Callable[..., Services]
CONTEXT = MemoryContext(space="ana@example.com")


class Answer(BaseModel):
    """How it went."""

    score: int


class State(TypedDict, total=False):
    messages: Annotated[list[AnyMessage], add_messages]
    score: int
    failure: str
    usage: Annotated[list[dict[str, Any]], add_usage]


def make_graph(services: Services, *, steps: int = 1, **options: Any) -> CompiledStateGraph[Any, Any, Any, Any]:
    """Return a host with its own call of the same model, and after it some model steps of ours."""
    builder = StateGraph(State, context_schema=MemoryContext)

    def host(_state: State) -> State:
        return {"messages": [services.model.invoke([HumanMessage("hello there")])]}

    async def ahost(_state: State) -> State:
        return {"messages": [await services.model.ainvoke([HumanMessage("hello there")])]}

    builder.add_node("host", RunnableLambda(host, ahost))
    builder.add_edge(START, "host")
    last = "host"
    for number in range(steps):
        builder.add_node(f"rate_{number}", make_step(services, **options))
        builder.add_edge(last, f"rate_{number}")
        last = f"rate_{number}"
    builder.add_edge(last, END)
    return builder.compile(checkpointer=InMemorySaver())


def make_step(services: Services, **options: Any) -> Any:
    return ask(
        services,
        "rate",
        prompt="repair",
        answer=Answer,
        prepare=lambda _state: {"error": "rate this"},
        accept=lambda _state, answer: {"score": answer.score},
        failed=lambda _state, failure, detail: {"failure": failure.value, "detail": detail},
        **options,
    )


def config(thread: str = "t", **more: Any) -> Any:
    return {"configurable": {"thread_id": thread}, **more}


def rate_or_chat(reply: Any = None) -> ScriptedChatModel:
    return ScriptedChatModel({"rate": reply or {"score": 3}, "": "Hi, nice to see you!"})


async def test_it_runs_in_a_graph_by_both_faces(services_for: ServicesFor) -> None:
    graph = make_graph(services_for(rate_or_chat()))
    assert graph.invoke({"messages": []}, config("a"), context=CONTEXT)["score"] == 3
    assert (await graph.ainvoke({"messages": []}, config("b"), context=CONTEXT))["score"] == 3


def test_the_costs_of_steps_add_up_in_the_state(services_for: ServicesFor) -> None:
    model = rate_or_chat(["what?", {"score": 1}, {"score": 2}])
    state = make_graph(services_for(model), steps=2).invoke({"messages": []}, config(), context=CONTEXT)
    assert [entry["calls"] for entry in state["usage"]] == [2, 1]
    total = total_usage(state["usage"])
    assert total["calls"] == 3
    assert total["repairs"] == 1
    assert total["input_tokens"] > total["output_tokens"] > 0


async def test_only_the_tokens_of_the_host_are_streamed(services_for: ServicesFor) -> None:
    graph = make_graph(services_for(rate_or_chat()))
    chunks = [chunk.text for chunk, _ in graph.stream({}, config("a"), context=CONTEXT, stream_mode="messages")]
    assert "".join(chunks) == "Hi, nice to see you!"
    assert len(chunks) > 1
    stream = graph.astream({}, config("b"), context=CONTEXT, stream_mode="messages")
    assert "".join([chunk.text async for chunk, _ in stream]) == "Hi, nice to see you!"


async def test_only_the_tokens_of_the_host_are_streamed_from_the_wire(services_for: ServicesFor) -> None:
    with LoopbackServer({"rate this": {"score": 3}, "hello": "Hi,\nnice to see you!"}) as server:
        graph = make_graph(services_for(server.chat_model()))
        chunks = [chunk.text for chunk, _ in graph.stream({}, config("a"), context=CONTEXT, stream_mode="messages")]
        assert "".join(chunks) == "Hi,\nnice to see you!"
        stream = graph.astream({}, config("b"), context=CONTEXT, stream_mode="messages")
        assert "".join([chunk.text async for chunk, _ in stream]) == "Hi,\nnice to see you!"
        assert graph.get_state(config("a")).values["usage"][0]["output_tokens"] > 0


class Runs(BaseCallbackHandler):
    """Collects the model runs that a tracer would see."""

    def __init__(self) -> None:
        self.runs: dict[str, dict[str, Any]] = {}

    def on_chat_model_start(self, serialized: Any, messages: Any, **kwargs: Any) -> None:
        self.runs[str(kwargs.get("name"))] = kwargs


@pytest.mark.parametrize("face", ["sync", "async"])
def test_our_calls_are_named_and_tagged_for_traces(face: str, services_for: ServicesFor) -> None:
    graph, runs = make_graph(services_for(rate_or_chat())), Runs()
    settings = config(callbacks=[runs], tags=["mine"], metadata={"tenant": "t1"})
    if face == "sync":
        graph.invoke({}, settings, context=CONTEXT)
    else:
        asyncio.run(graph.ainvoke({}, settings, context=CONTEXT))
    ours = runs.runs["previously.rate"]
    assert {"nostream", "previously", "mine"} <= set(ours["tags"])
    assert ours["metadata"]["tenant"] == "t1"
    assert ours["metadata"]["previously_step"] == "rate"
    assert ours["metadata"]["langgraph_node"] == "rate_0"
    assert ours["metadata"]["previously_version"]
    assert ours["metadata"]["previously_space"] == hashlib.sha256(b"ana@example.com").hexdigest()[:16]
    assert "ana" not in str({key: value for key, value in ours["metadata"].items() if key.startswith("previously")})
    assert all("nostream" not in run["tags"] for name, run in runs.runs.items() if name != "previously.rate")


def test_event_loops_that_come_and_go_share_one_model(services_for: ServicesFor) -> None:
    with LoopbackServer(lambda _call: {"score": 3}, keep_alive=True) as server:
        step = make_step(services_for(server.chat_model()))

        async def twice() -> list[dict[str, Any]]:
            return await asyncio.gather(step.ainvoke({}), step.ainvoke({}))

        updates = [update for _ in range(3) for update in asyncio.run(twice())]
        assert [update.get("score") for update in updates] == [3] * 6
        assert {update["usage"][0]["calls"] for update in updates} == {1}
        assert len(server.requests) == 6


def test_a_hanging_provider_does_not_hold_the_host(services_for: ServicesFor) -> None:
    model = rate_or_chat(lambda _call: Hang(20))
    state = make_graph(services_for(model), timeout=0.2).invoke({}, config(), context=CONTEXT)
    assert state["failure"] == "timeout"
    assert state["messages"][-1].text == "Hi, nice to see you!"


def test_on_the_wire_a_step_asks_for_the_schema_and_a_bounded_answer(services_for: ServicesFor) -> None:
    with LoopbackServer([{"score": 3}]) as server:
        step = make_step(services_for(server.chat_model(max_retries=5), max_output_tokens=321))
        assert step.invoke({})["score"] == 3
        body = server.requests[0].body
        assert body["max_completion_tokens"] == 321
        assert body["response_format"]["json_schema"]["name"] == "Answer"
        assert body["response_format"]["json_schema"]["strict"] is True
        assert not body["stream"]


@pytest.mark.parametrize("message", ["'response_format' of type 'json_schema' is not supported", "json_schema: no"])
def test_a_provider_that_refuses_a_form_is_asked_in_the_next_one_from_then_on(
    message: str, services_for: ServicesFor
) -> None:
    asked: list[str] = []

    def script(call: Any) -> Any:
        form = call.options.get("response_format", {}).get("type") or ("tools" if call.tools else "text")
        asked.append(form)
        return {"score": 3} if form == "json_object" else status(400, message=message.replace("json_schema", form))

    with LoopbackServer(script) as server:
        step = make_step(services_for(server.chat_model()))
        assert step.invoke({})["score"] == 3
        assert step.invoke({})["score"] == 3
        assert asked == ["json_schema", "tools", "json_object", "json_object"]
        system = server.calls[-1].messages[0]
        assert isinstance(system, SystemMessage)
        assert '"score"' in system.text


def test_the_tokens_of_an_answer_that_was_cut_are_counted(services_for: ServicesFor) -> None:
    with LoopbackServer([truncated("{")]) as server:
        update = make_step(services_for(server.chat_model())).invoke({})
        assert "4000 tokens" in update["detail"]
        assert update["usage"][0]["input_tokens"] > 0


def test_cached_tokens_are_counted(services_for: ServicesFor) -> None:
    reply = calls(("Answer", {"score": 3}))
    reply.usage_metadata = {
        "input_tokens": 100,
        "output_tokens": 5,
        "total_tokens": 105,
        "input_token_details": {"cache_read": 90},
    }
    state = make_graph(services_for(rate_or_chat([reply]))).invoke({}, config(), context=CONTEXT)
    assert total_usage(state["usage"])["cached_tokens"] == 90
