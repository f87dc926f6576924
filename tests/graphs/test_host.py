"""Around the host's own model: recorded first, briefed, and nothing of ours in its stream."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph

from previously import InvalidInput, MemoryContext, Previously
from previously.nodes.host import with_memory
from previously.nodes.recording import said
from previously.state.channels import Brief, HostState
from previously.testing import ScriptedChatModel, calls
from previously.tests.graphs.conftest import ANALYSIS
from previously.tests.graphs.conftest import START as NOW

CONTEXT = MemoryContext(space="alex", timezone="Europe/Berlin", now=NOW)
REQUEST = {**ANALYSIS, "memory_update": {"content": "likes tea", "section": "past", "quote": "tea"}}
SCRIPT: dict[str, Any] = {
    "analyze": REQUEST,
    "previously_agent": calls(
        ("add_past_anchor", {"text": "Likes tea", "refs": ["m1"]}), ("finish", {"reasoning": "r", "summary": "s"})
    ),
    "": "Hello there!",
}


@pytest.fixture
def scripted(memory: Previously) -> ScriptedChatModel:
    """The model of the memory work and of the host, in one script."""
    model = ScriptedChatModel(SCRIPT)
    object.__setattr__(memory.services, "model", model)
    return model


def test_the_turn_is_stored_before_the_model_is_asked(memory: Previously) -> None:
    def answer(_call: Any) -> str:
        assert [turn.text for turn in memory.services.store.turns("alex")] == ["Hi."]
        return "Hello."

    memory.host_graph(ScriptedChatModel(answer)).invoke({"messages": [("user", "Hi.")]}, context=CONTEXT)
    assert [turn.role for turn in memory.services.store.turns("alex")] == ["user", "assistant"]


def test_a_host_model_that_fails_leaves_the_turn(memory: Previously) -> None:
    graph = memory.host_graph(ScriptedChatModel(ValueError("down")))
    with pytest.raises(ValueError, match="down"):
        graph.invoke({"messages": [("user", "Hi.")]}, context=CONTEXT)
    assert [turn.text for turn in memory.services.store.turns("alex")] == ["Hi."]
    assert [job.kind for job in memory.backlog("alex")] == ["turn"]


def test_a_run_without_a_space_names_it(memory: Previously) -> None:
    graph = memory.host_graph(ScriptedChatModel("Hi."))
    with pytest.raises(InvalidInput, match="space"):
        graph.invoke({"messages": [("user", "Hi.")]})
    with pytest.raises(InvalidInput, match="space"):
        MemoryContext()


@pytest.mark.parametrize("field", ["timezone", "authority", "now", "space", "agent"])
def test_a_bad_context_names_the_field(field: str) -> None:
    bad: dict[str, Any] = {
        "timezone": "Mars/Base",
        "authority": "king",
        "now": NOW.replace(tzinfo=None),
        "space": "  ",
        "agent": "a\nb",
    }
    with pytest.raises(InvalidInput, match=field):
        MemoryContext(**{"space": "alex", field: bad[field]})


def test_a_host_may_keep_the_context_in_its_own(memory: Previously, scripted: ScriptedChatModel) -> None:
    @dataclass
    class Own:
        memory: MemoryContext

    memory.intake.invoke({"messages": [("user", "Hi.")]}, context={"space": "alex"})
    builder = StateGraph(HostState, context_schema=Own)
    builder.add_node("receive", memory.receive)
    builder.add_edge(START, "receive")
    builder.compile().invoke({"messages": [("user", "Ho.")]}, context=Own(memory=CONTEXT))
    assert len(memory.services.store.turns("alex")) == 2


@pytest.mark.parametrize("is_async", [False, True])
def test_the_hosts_stream_holds_only_the_hosts_tokens(
    memory: Previously, scripted: ScriptedChatModel, is_async: bool
) -> None:
    graph = memory.host_graph(scripted)
    options = {"context": CONTEXT, "stream_mode": ["messages", "custom"], "subgraphs": True}
    state = {"messages": [("user", "Remember: I like tea.")]}

    async def play() -> list[Any]:
        return [chunk async for chunk in graph.astream(state, **options)]

    chunks = asyncio.run(play()) if is_async else list(graph.stream(state, **options))
    tokens = "".join(value[0].text for _, mode, value in chunks if mode == "messages")
    assert tokens == "Hello there!"
    events = [
        (value["previously"]["kind"], value["previously"]["status"]) for _, mode, value in chunks if mode == "custom"
    ]
    assert events == [
        ("turn", "recorded"),
        ("analysis", "analyzed"),
        ("evolution", "started"),
        ("evolution", "changed"),
    ]


def test_events_come_in_order_from_a_subgraph_of_somebody_elses_graph(
    memory: Previously, scripted: ScriptedChatModel
) -> None:
    inner = memory.host_graph(scripted)
    builder = StateGraph(HostState, context_schema=MemoryContext)
    builder.add_node("assistant", inner)
    builder.add_edge(START, "assistant")
    builder.add_edge("assistant", END)
    state = {"messages": [("user", "Remember: I like tea.")]}
    chunks = builder.compile().stream(state, context=CONTEXT, stream_mode="custom", subgraphs=True)
    events = [(value["previously"]["kind"], value["previously"]["status"]) for _, value in chunks]
    assert events == [
        ("turn", "recorded"),
        ("analysis", "analyzed"),
        ("evolution", "started"),
        ("evolution", "changed"),
    ]


def test_the_history_is_never_edited(memory: Previously, scripted: ScriptedChatModel) -> None:
    graph = memory.host_graph(scripted, system_prompt="Be kind.", checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": "t"}}
    for text in ("Remember: I like tea.", "And now?"):
        state = graph.invoke({"messages": [("user", text)]}, config, context=CONTEXT)
    assert [message.type for message in state["messages"]] == ["human", "ai", "human", "ai"]
    host_prompt = [call for call in scripted.calls if call.step == ""][-1].messages
    assert host_prompt[0].text.startswith("Be kind.\n\n")
    assert "Likes tea — refs: [2026/08/11/1426#1]" in host_prompt[0].text


def test_the_block_keeps_its_bytes_within_a_slice_and_the_note_tells_what_is_late(memory: Previously) -> None:
    card = (
        "# Previously On\n\n_Active slice: 2026-08-01-1000 | Format: user card v2 | Updated: 2026-08-01T08:00:00Z_\n\n## Now\n\n"
        "- Training — refs: [2026/08/01/1000] | since: 2026-08-01\n\n## Horizon\n\n- Speech — by: 2026-08-10 — refs: [2026/08/01/1000]\n"
    )
    memory.write_card("alex", card, reason="test")
    model = ScriptedChatModel({"": "ok"})
    graph = memory.host_graph(model, checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": "t"}}
    for minutes in (0, 20):
        graph.invoke({"messages": [("user", "Hi.")]}, config, context=CONTEXT.at(now=NOW + timedelta(minutes=minutes)))
    first, second = (call.messages for call in model.calls if call.step == "")
    assert first[0].text == second[0].text
    assert "since: 2026-08-01 (10 days ago)" in first[0].text
    assert "by: 2026-08-10 (1 day overdue)" in first[0].text
    assert [message.type for message in first] == ["system", "human", "human"]
    assert "Speech" in first[-1].text
    assert "Training" in first[-1].text
    assert first[-1].name == "memory"


def test_what_memory_adds_stands_around_the_history() -> None:
    brief = Brief(block="BLOCK", note="NOTE", tokens=2)
    history = [SystemMessage("own"), HumanMessage("a"), AIMessage("b"), HumanMessage("c"), AIMessage("", tool_calls=[])]
    texts = [message.text for message in with_memory(history, brief, "host")]
    assert texts == ["host\n\nown\n\nBLOCK", "a", "b", "c", "NOTE", ""]
    assert with_memory([HumanMessage("a")], None) == [HumanMessage("a")]
    assert [m.text for m in history] == ["own", "a", "b", "c", ""]


@tool
def weather(city: str) -> str:
    """Tell the weather."""
    return f"Sunny in {city}."


def test_tools_and_what_the_agent_did(memory: Previously) -> None:
    script = {"analyze": ANALYSIS, "": [calls(("weather", {"city": "Ghent"})), "It is sunny."]}
    model = ScriptedChatModel(script)
    object.__setattr__(memory.services, "model", model)
    graph = memory.host_graph(model, [weather])
    graph.invoke({"messages": [HumanMessage("Weather?", id="u")]}, context=CONTEXT)
    (note,) = memory.services.store.annotations("alex", kind="cognition")
    assert note.turn_id == "u"
    assert note.data["calls"] == [{"tool": "weather", "args": {"city": "Ghent"}, "status": "ok", "size": 15}]
    log = memory.services.mirror.folder("alex") / "memory/episodic/slices/2026/08/11/1426/agent.md"
    assert "weather(city=Ghent)" in log.read_text()


class TestRecording:
    """Which messages of a history are new."""

    def _say(self, memory: Previously, *messages: Any, **context: Any) -> Any:
        return memory.record(list(messages), CONTEXT.at(thread="t", **context))

    def _texts(self, memory: Previously) -> list[str]:
        return [turn.text for turn in memory.services.store.turns("alex")]

    def test_only_what_is_new_is_stored(self, memory: Previously) -> None:
        one, two, three = HumanMessage("a", id="1"), AIMessage("b", id="2"), HumanMessage("c", id="3")
        self._say(memory, one, two)
        assert self._say(memory, one, two, three).new == ("3",)
        assert self._say(memory, one, two, three).new == ()
        assert self._texts(memory) == ["a", "b", "c"]

    def test_a_host_that_makes_new_ids_at_every_call_doubles_nothing(self, memory: Previously) -> None:
        history: list[tuple[type, str]] = []
        for number in range(6):
            history += [(HumanMessage, "ok"), (AIMessage, f"reply {number % 2}")]
            self._say(memory, *(kind(text, id=f"{number}-{i}") for i, (kind, text) in enumerate(history[:-1])))
            self._say(memory, *(kind(text, id=f"{number}-{i}") for i, (kind, text) in enumerate(history)))
        assert self._texts(memory) == [text for _, text in history]

    def test_messages_without_ids_are_told_apart_by_their_place(self, memory: Previously) -> None:
        self._say(memory, HumanMessage("ok"), AIMessage("ok"), HumanMessage("ok"))
        self._say(memory, HumanMessage("ok"), AIMessage("ok"), HumanMessage("ok"), AIMessage("ok"))
        assert self._texts(memory) == ["ok"] * 4

    def test_a_trimmed_history_goes_on(self, memory: Previously) -> None:
        messages = [kind(f"{i}", id=f"{i}") for i in range(60) for kind in ([HumanMessage, AIMessage][i % 2],)]
        self._say(memory, *messages[:50])
        self._say(memory, *messages[45:])
        assert self._texts(memory) == [f"{i}" for i in range(60)]

    def test_tool_messages_and_silent_answers_are_no_turns(self, memory: Previously) -> None:
        self._say(memory, HumanMessage("a", id="1"), AIMessage("", id="2", tool_calls=[{"name": "f", "args": {}, "id": "x"}]),
                  ToolMessage("secret", tool_call_id="x"), AIMessage("b", id="3"))  # fmt: skip
        assert self._texts(memory) == ["a", "b"]

    def test_a_history_that_was_cleared_closes_the_slice(self, memory: Previously) -> None:
        self._say(memory, HumanMessage("a", id="1"), AIMessage("b", id="2"))
        recorded = self._say(memory, HumanMessage("c", id="3"), now=NOW + timedelta(minutes=2))
        assert recorded.closed == ("2026-08-11-1426",)
        assert memory.slice("alex", "2026-08-11-1426").closed_by == "context_lost"
        assert memory.slice("alex", "2026-08-11-1428").status == "active"

    def test_messages_in_any_form_that_langchain_takes(self, memory: Previously) -> None:
        self._say(memory, ("user", "a"), {"role": "assistant", "content": "b"}, HumanMessage("c"))
        assert self._texts(memory) == ["a", "b", "c"]
        for wrong in ("text", [3], [{"content": "x"}]):
            with pytest.raises(InvalidInput, match="messages"):
                memory.record(wrong, CONTEXT)  # type: ignore[arg-type]
        with pytest.raises(InvalidInput, match="context"):
            memory.record([], None)  # type: ignore[arg-type]

    def test_a_fork_records_the_branch(self, memory: Previously) -> None:
        start = [HumanMessage("a", id="1"), AIMessage("b", id="2")]
        self._say(memory, *start, HumanMessage("c", id="3"), AIMessage("d", id="4"))
        self._say(memory, *start, HumanMessage("other", id="5"))
        assert self._texts(memory) == ["a", "b", "c", "d", "other"]

    def test_pictures_and_files_are_named(self) -> None:
        content = [
            {"type": "text", "text": "look"},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
        ]
        assert said(HumanMessage(content)) == "look\n[image]"

    def test_what_no_database_can_hold_is_replaced(self, memory: Previously) -> None:
        self._say(memory, HumanMessage("a\x00b\ud800c", id="1"))
        assert self._texts(memory) == ["a\u2400b\ufffdc"]

    def test_times_come_from_the_message_and_must_be_aware(self, memory: Previously) -> None:
        self._say(memory, HumanMessage("a", id="1", additional_kwargs={"timestamp": "2020-01-01T00:00:00+01:00"}))
        assert memory.services.store.turn("alex", "1").event_time == datetime(2019, 12, 31, 23, tzinfo=UTC)
        with pytest.raises(InvalidInput, match="timestamp"):
            self._say(memory, HumanMessage("b", id="2", additional_kwargs={"timestamp": "2020-01-01T00:00:00"}))


@pytest.mark.parametrize("is_async", [False, True])
def test_the_middleware_remembers(memory: Previously, scripted: ScriptedChatModel, is_async: bool) -> None:
    from langchain.agents import create_agent

    agent = create_agent(
        scripted, middleware=[memory.middleware], system_prompt="Be kind.", context_schema=MemoryContext
    )
    for text in ("Remember: I like tea.", "And now?"):
        state = {"messages": [("user", text)]}
        options = {"context": CONTEXT.at(thread=text)}
        result = asyncio.run(agent.ainvoke(state, **options)) if is_async else agent.invoke(state, **options)
    assert result["messages"][-1].text == "Hello there!"
    assert result["memory"]["status"] == "done"
    prompt = [call for call in scripted.calls if call.step == ""][-1].messages
    assert prompt[0].text.startswith("Be kind.")
    assert "Likes tea" in prompt[0].text
    assert len(memory.services.store.turns("alex")) == 4


def test_a_worker_leaves_a_turn_that_is_being_answered(memory: Previously, scripted: ScriptedChatModel) -> None:
    done: list[Any] = []

    def answer(_call: Any) -> str:
        done.extend(memory.work_now())
        return "Hello."

    memory.host_graph(ScriptedChatModel(answer)).invoke({"messages": [("user", "Hi.")]}, context=CONTEXT)
    assert done == []
    assert memory.backlog() == []


def test_many_threads_of_one_space_at_once_each_get_their_own_account(memory: Previously) -> None:
    object.__setattr__(memory.services, "model", ScriptedChatModel({"analyze": ANALYSIS}))
    graph = memory.host_graph(ScriptedChatModel("Hello."))

    async def say(number: int) -> str:
        state = {"messages": [HumanMessage(f"Remember: I like tea {number}.", id=f"u{number}")]}
        found = await graph.ainvoke(state, context=CONTEXT.at(thread=f"t{number}"))
        return f"{found['memory']['status']} {found['memory']['turn']}"

    async def all_at_once() -> list[str]:
        return await asyncio.gather(*map(say, range(8)))

    assert asyncio.run(all_at_once()) == [f"done u{number}" for number in range(8)]
    assert memory.backlog() == []
    assert len(memory.services.store.turns("alex")) == 16


def test_nothing_said_is_nothing_to_do(memory: Previously) -> None:
    account = memory.intake.invoke({"messages": [SystemMessage("x")]}, context=CONTEXT)["memory"]
    assert (account["status"], account["reason"]) == ("skipped", "no user said anything")
    assert memory.changes("nobody") == []
    with pytest.raises(InvalidInput, match="housekeeping"):
        Previously(memory.home, housekeeping="later")  # type: ignore[arg-type]
