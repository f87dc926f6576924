"""The cognition log: what the agent did, from its messages alone, short, and back from its file."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage

from previously.state.cognition import cognition, parse_cognition, render_cognition
from previously.state.errors import InvalidInput

words = st.text(st.characters(exclude_categories=["Cs"]), max_size=30) | st.sampled_from(
    ["", "`", "``a`", ' "', "a, b=c", "a)", "## Turn 2", "x\n- `y` · ok", "\u2028", "` · ok", "\\", '"', "na me", " "]
)
calls = st.builds(
    lambda tool, args, outcome: {"tool": tool, "args": args, **outcome},
    words,
    st.dictionaries(words, words, max_size=3),
    st.just({"status": "no result"})
    | st.builds(lambda size: {"status": "ok", "size": size}, st.integers(0, 10**9))
    | st.builds(lambda size, error, tenths: {"status": "error", "size": size, "error": error, "seconds": tenths / 10},
                st.integers(0, 999), words, st.integers(0, 99999)),
)  # fmt: skip
entries = st.builds(
    lambda done, reasoning, text: {"calls": done, "reasoning": reasoning, "text": text},
    st.lists(calls, max_size=3),
    st.integers(0, 999),
    st.integers(0, 999),
)


def asked(tool: str, args: dict[str, Any], *, call: str = "1", **kwargs: Any) -> AIMessage:
    return AIMessage("", tool_calls=[{"name": tool, "args": args, "id": call}], additional_kwargs=kwargs)


@settings(max_examples=200, deadline=None)
@given(log=st.lists(st.tuples(st.integers(1, 99), entries), max_size=3))
def test_it_reads_back_as_it_was(log: list[tuple[int, dict[str, Any]]]) -> None:
    assert parse_cognition(render_cognition("2026/08/11/1426", log)) == log


@settings(max_examples=100, deadline=None)
@given(log=st.lists(st.tuples(st.integers(1, 99), entries), max_size=2))
def test_nothing_that_a_tool_said_begins_a_line(log: list[tuple[int, dict[str, Any]]]) -> None:
    lines = render_cognition("2026/08/11/1426", log).split("\n")
    headings = [line for line in lines if line.startswith("#")]
    assert headings == ["# Cognition log of 2026/08/11/1426", *(f"## Turn {number}" for number, _ in log)]
    assert all(line.startswith(("- `", "- answer: ", "#")) for line in lines if line)


@settings(max_examples=100, deadline=None)
@given(name=st.text(max_size=20), value=st.text(max_size=200), error=st.text(max_size=400))
def test_whatever_an_agent_did_is_plain_short_and_writable(name: str, value: str, error: str) -> None:
    messages: list[AnyMessage] = [asked("t", {name: value}), ToolMessage(error, tool_call_id="1", status="error")]
    entry = cognition(messages)
    assert json.loads(json.dumps(entry)) == entry
    (call,) = entry["calls"]
    assert len(call["error"]) <= 200
    assert all(len(text) <= 80 for text in (*call["args"], *call["args"].values()))
    assert parse_cognition(render_cognition("r", [(1, entry)])) == [(1, entry)]
    assert render_cognition("r", [(1, entry)]).encode()


def test_a_call_with_its_outcome() -> None:
    messages: list[AnyMessage] = [
        HumanMessage("Weather?"),
        asked("weather", {"city": "Ghent", "days": 2}, timestamp="2026-08-11T12:26:00+00:00"),
        ToolMessage("Sunny.", tool_call_id="1", additional_kwargs={"timestamp": "2026-08-11T12:26:01.25+00:00"}),
        AIMessage("It is sunny."),
    ]
    entry = cognition(messages)
    assert entry == {
        "calls": [
            {"tool": "weather", "args": {"city": "Ghent", "days": "2"}, "status": "ok", "size": 6, "seconds": 1.2}
        ],
        "reasoning": 0,
        "text": 12,
    }
    assert "- `weather(city=Ghent, days=2)` · ok · 6 characters · 1.2 s\n" in render_cognition("r", [(1, entry)])


def test_an_error_and_a_call_that_nothing_came_back_from() -> None:
    messages = [
        asked("a", {}),
        ToolMessage("no `route`\nto host", tool_call_id="1", status="error"),
        asked("b", {}, call="2"),
    ]
    text = render_cognition("r", [(3, cognition(messages))])
    assert '- `a()` · error · 18 characters · `` "no `route` to host" ``' in text
    assert "- `b()` · no result\n" in text


def test_five_arguments_are_kept() -> None:
    (call,) = cognition([asked("t", {str(number): "x" * 100 for number in range(7)})])["calls"]
    assert list(call["args"]) == ["0", "1", "2", "3", "4"]
    assert all(value == "x" * 79 + "…" for value in call["args"].values())


def test_reasoning_is_counted_and_not_kept() -> None:
    entry = cognition([AIMessage([{"type": "reasoning", "reasoning": "secret"}, {"type": "text", "text": "Yes."}])])
    assert (entry["reasoning"], entry["text"]) == (6, 4)
    assert "reasoning: 6 characters" in render_cognition("r", [(1, entry)])
    assert "secret" not in str(entry)


@pytest.mark.parametrize("text", ["# x\n\n## Turn 1\n", "# x\n\n## Turn y\n\n- answer: 1 characters\n", "# x\n\n## Turn 1\n\nfree\n- answer: 1 characters\n", '# x\n\n## Turn 1\n\n- `"\\q"()` · ok\n- answer: 1 characters\n'])  # fmt: skip
def test_what_is_no_log_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match=r"agent\.md"):
        parse_cognition(text)
