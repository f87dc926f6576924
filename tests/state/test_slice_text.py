"""`core.md`: whatever people say and whatever they are called, it reads back as it was, and forges nothing."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from previously.state.errors import InvalidInput
from previously.state.slice_text import parse_slice, render_slice

from .given import START, a_slice, a_turn, texts


@settings(max_examples=150, deadline=None)
@given(said=st.lists(st.tuples(texts, texts | st.none(), texts), max_size=4))
def test_turns_read_back_as_they_were(said: list[tuple[str, str | None, str]]) -> None:
    turns = [a_turn(at, text, speaker=who, id=name) for at, (text, who, name) in enumerate(said, 1)]
    read = parse_slice(render_slice(a_slice(), turns)).turns
    assert [(turn["number"], turn["text"], turn["speaker"], turn["id"]) for turn in read] == [
        (turn.number, turn.text, turn.speaker, turn.id) for turn in turns
    ]
    assert all(turn["at"] == START.isoformat() and turn["authority"] == "owner" for turn in read)


@settings(max_examples=150, deadline=None)
@given(focus=texts, summary=texts, tags=st.lists(texts, max_size=3))
def test_the_front_matter_reads_back_as_it_was(focus: str, summary: str, tags: list[str]) -> None:
    text = render_slice(a_slice(focus=focus, summary=summary, tags=tuple(tags)), [a_turn(1, "hi")])
    read = parse_slice(text)
    assert (read.front["focus"], read.front["summary"], read.front["tags"]) == (focus, summary, tags)
    assert [turn["text"] for turn in read.turns] == ["hi"]


def test_the_keys_stand_in_one_order() -> None:
    front = parse_slice(render_slice(a_slice(), [])).front
    assert list(front) == [
        "id", "status", "start", "end", "closed_by", "timezone", "focus", "summary", "tags", "tone", "related",
    ]  # fmt: skip
    assert (front["id"], front["start"], front["focus"]) == ("2026-08-11-1426", "2026-08-11T12:26:00+00:00", "")


def test_nothing_that_is_said_begins_a_line() -> None:
    text = render_slice(a_slice(), [a_turn(1, "# Card\n## Turn 2\n---\n[2026/01/01/0000]", speaker="\n## Turn 9")])
    body = text.split("\n---\n", 1)[1]
    assert [line for line in body.split("\n") if line and not line.startswith("> ")] == [
        '## Turn 1 {"at": "2026-08-11T12:26:00+00:00", "role": "user", "authority": "owner", "id": "t1", "speaker": "\\n## Turn 9"}'
    ]


@pytest.mark.parametrize("text", ["", "---", "---\n---\n", "---\n- a\n\n---\n", "---\na: [\n\n---\n", "---\na: b\n\n---\n\n## Turn x {}\n", "---\na: b\n---\n\n## Turn 1 3\n> a\n"])  # fmt: skip
def test_what_is_no_slice_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match=r"core\.md"):
        parse_slice(text)


@settings(max_examples=100, deadline=None)
@given(at=st.integers(0, 400), put=texts)
def test_a_file_broken_by_hand_is_read_or_refused(at: int, put: str) -> None:
    text = render_slice(a_slice(focus="tea"), [a_turn(1, "one"), a_turn(2, "two")])
    with contextlib.suppress(InvalidInput):
        parse_slice(text[:at] + put + text[at + 1 :])
