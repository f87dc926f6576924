"""A run is made before the answer, whichever way an agent is put together."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.graph import END, START, StateGraph

from previously import MemoryContext, Previously
from previously.nodes.host import with_memory
from previously.state.channels import HostState
from previously.testing import ScriptedChatModel
from previously.tests.graphs.evolving import MINUS_ONE, entry, pressed, runs, verdict

ANSWER = verdict(entry("Loses patience with long answers", "m1"))


def own_graph(memory: Previously, model: ScriptedChatModel) -> Any:
    builder = StateGraph(HostState, context_schema=MemoryContext)
    builder.add_node("receive", memory.receive)
    builder.add_node("pressure", memory.pressure)
    builder.add_node("evolution", memory.evolution)
    builder.add_node("brief", memory.brief)
    builder.add_node(
        "answer", lambda state: {"messages": [model.invoke(with_memory(state["messages"], state["brief"]))]}
    )
    builder.add_node("housekeeping", memory.housekeeping)
    for before, after in (
        ("receive", "pressure"),
        ("evolution", "brief"),
        ("brief", "answer"),
        ("answer", "housekeeping"),
    ):
        builder.add_edge(before, after)
    builder.add_edge(START, "receive")
    builder.add_edge("housekeeping", END)
    builder.add_conditional_edges(
        "pressure", lambda state: "evolution" if state["due"] else "brief", ["evolution", "brief"]
    )
    return builder.compile()


def agent_with_middleware(memory: Previously, model: ScriptedChatModel) -> Any:
    agents = pytest.importorskip("langchain.agents")
    return agents.create_agent(model, middleware=[memory.middleware], context_schema=MemoryContext)


HOSTS = {
    "host graph": lambda memory, model: memory.host_graph(model),
    "a graph of one's own": own_graph,
    "middleware": agent_with_middleware,
}


@pytest.mark.parametrize("make", HOSTS.values(), ids=HOSTS)
def test_the_answer_is_given_under_the_new_portrait(talk: Any, make: Any) -> None:
    conversation = pressed(talk, evaluate=ANSWER)
    host = ScriptedChatModel("Fine.")
    graph = make(conversation.memory, host)
    state = {"messages": [*conversation.messages, HumanMessage("Hello.", id="h")]}
    if conversation.is_async:
        result = asyncio.run(graph.ainvoke(state, context=conversation.context))
    else:
        result = graph.invoke(state, context=conversation.context)
    assert "Loses patience with long answers" in host.calls[0].prompt
    assert runs(conversation) == ["changed"]
    assert result["evolution"]["status"] == "changed"
    assert isinstance(result["messages"][-1], AIMessage)


def test_signals_come_in_with_the_middleware_too(talk: Any) -> None:
    conversation = pressed(talk, before=1)
    graph = agent_with_middleware(conversation.memory, ScriptedChatModel("Fine."))
    state = {"messages": conversation.messages, "signals": [{"kind": "interaction_regenerate"}]}
    if conversation.is_async:
        asyncio.run(graph.ainvoke(state, context=conversation.context))
    else:
        graph.invoke(state, context=conversation.context)
    assert len(conversation.memory.services.store.ledger.signals("alex", agent="assistant")) == 1


def test_the_work_of_another_agent_is_done_for_that_agent(talk: Any) -> None:
    conversation = pressed(talk, MINUS_ONE, options={"housekeeping": "deferred"})
    conversation.say("Other: too long", agent="coach")
    conversation.memory.work_now()
    store = conversation.memory.services.store
    assert [(row.delta, row.settled) for row in store.ledger.scores("alex", "coach")] == [(-1, None)]
    assert len(store.ledger.scores("alex", "assistant", settled=True)) == 5
    assert store.owed(space="alex") == []
