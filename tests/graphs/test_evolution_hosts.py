"""A run is made before the answer, whichever way an agent is put together."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command

from previously import InvalidInput, MemoryContext, Previously
from previously.nodes.host import with_memory
from previously.state.channels import HostState
from previously.state.paths import DIRECTION_PATH
from previously.testing import ScriptedChatModel, calls
from previously.tests.graphs.conftest import ANALYSIS
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


def test_what_nobody_can_be_asked_about_waits_for_the_next_turn(talk: Any) -> None:
    conversation = pressed(talk, evaluate=ANSWER, options={"review": True})
    memory = conversation.memory
    for _ in range(2):
        account = memory.evolve(conversation.context)
        assert account is not None
        assert (account["status"], "person" in account["reason"]) == ("waiting", True)
    assert memory.direction("alex").revision == 0
    graph, config = (
        memory.host_graph(ScriptedChatModel("Fine."), checkpointer=InMemorySaver()),
        {"configurable": {"thread_id": "t"}},
    )
    state = {"messages": [*conversation.messages, HumanMessage("Hello.", id="h")]}
    conversation.run(graph, state, conversation.context, config=config)
    conversation.run(graph, Command(resume="accept"), conversation.context, config=config)
    assert runs(conversation) == ["changed"]


def test_owed_work_that_needs_a_review_is_given_back(talk: Any) -> None:
    wish = {**ANALYSIS, "memory_update": {"content": "likes tea", "section": "past", "quote": "I like tea"}}
    edits = calls(
        ("add_past_anchor", {"text": "Likes tea", "refs": ["m1"]}), ("finish", {"reasoning": "r", "summary": "s"})
    )
    conversation = talk({"analyze": wish, "previously_agent": edits}, review=True)
    conversation.memory.record([HumanMessage("I like tea", id="u")], conversation.context)
    (account,) = conversation.memory.work_now(limit=1)
    assert account["status"] == "waiting"
    (job,) = conversation.memory.backlog("alex")
    assert (job.key, job.owner, job.attempts) == ("turn:u", None, 0)
    assert conversation.memory.card("alex").revision == 0


def test_a_review_in_the_background_is_refused() -> None:
    with pytest.raises(InvalidInput, match="review"):
        Previously("unused", review=True, housekeeping="deferred")


def test_a_fact_that_comes_with_the_next_message_is_about_the_answer_before_it(talk: Any) -> None:
    conversation = pressed(talk, before=1)
    conversation.messages += [HumanMessage("Next.", id="n"), AIMessage("Yes.", id="m")]
    state = {"messages": conversation.messages, "signals": [{"kind": "interaction_interrupt"}]}
    conversation.run(conversation.memory.intake, state, conversation.context)
    (fact,) = conversation.memory.services.store.ledger.signals("alex", agent="assistant")
    assert fact.detail == "the user stopped the answer to 2026/08/11/1427#1"
    first = {"messages": [HumanMessage("Hi.", id="f")], "signals": [{"kind": "interaction_interrupt"}]}
    conversation.run(conversation.memory.intake, first, conversation.context.at(thread="fresh"))
    assert len(conversation.memory.services.store.ledger.signals("alex", agent="assistant")) == 1


@pytest.mark.parametrize("resume", [{"action": "edit"}, {"action": "accept"}])
def test_what_was_reviewed_on_an_old_reading_is_not_installed_as_something_else(
    talk: Any, resume: dict[str, Any]
) -> None:
    conversation = pressed(talk, evaluate=ANSWER, options={"review": True})
    memory = conversation.memory
    graph, config = (
        memory.host_graph(ScriptedChatModel("Fine."), checkpointer=InMemorySaver()),
        {"configurable": {"thread_id": "t"}},
    )
    state = {"messages": [*conversation.messages, HumanMessage("Hello.", id="h")]}
    conversation.run(graph, state, conversation.context, config=config)
    mine = "# Portrait\n\n## Values & boundaries\n\n- Values tea — refs: [2026/08/11/1427#1]\n\n# Hypotheses\n"
    memory.write("alex", DIRECTION_PATH, mine, reason="meanwhile")
    edited = mine.replace("tea", "coffee")
    given = {**resume, "direction": edited} if resume["action"] == "edit" else resume
    conversation.run(graph, Command(resume=given), conversation.context, config=config)
    text = str(memory.direction("alex"))
    assert "Values tea" in text
    assert "coffee" not in text
    edit = resume["action"] == "edit"
    assert ("Loses patience" in text) is not edit
    assert runs(conversation) == ["failed" if edit else "changed"]
