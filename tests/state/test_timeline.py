"""The timeline: one line a slice that no focus can break, and one name for each topic."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from previously.state.ref import slice_id_at
from previously.state.slice import Slice
from previously.state.timeline import fold_tags, normal_strand, opening, pointer, render_timeline

from .given import a_slice, a_turn, texts

CLOCK = "UTC"


def slice_number(number: int, **fields: object) -> Slice:
    start = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(hours=60 * number)
    return replace(
        a_slice(start=start, end=start, timezone=CLOCK, slice_id=slice_id_at(start, ZoneInfo(CLOCK))), **fields
    )


def test_newest_first_by_month_with_counts() -> None:
    slices = [
        slice_number(0, focus="tea", summary="all about tea", tone="positive", tags=("tea", "cake")),
        slice_number(20),
    ]
    assert render_timeline(slices, {slices[1].slice_id: "So, where"}) == (
        "# Timeline\n\n_Slices: 2 | unmarked: 1_\n\n"
        "## 2026-02\n\n- **2026/02/20/0000** _unmarked_ So, where · 00:00–00:00 · 2 turns\n\n"
        "## 2026-01\n\n- **2026/01/01/0000** tea · 00:00–00:00 · 2 turns · positive [tea, cake]\n"
    )


def test_times_are_those_of_the_slices_own_clock() -> None:
    late = a_slice(end=datetime(2026, 8, 11, 22, 10, tzinfo=UTC), focus="tea", summary="s")
    assert pointer(late) == "- **2026/08/11/1426** tea · 14:26–2026-08-12 00:10 · 2 turns"
    assert pointer(replace(late, status="active", closed_by=None)) == "- **2026/08/11/1426** tea · 14:26 · open"


@settings(max_examples=150, deadline=None)
@given(
    focus=texts | st.sampled_from(["_unmarked_ x", "- **2026/01/01/0000** x", "\u202eabc", "a · open"]),
    tags=st.lists(texts, max_size=2),
)
def test_a_focus_forges_no_line_no_heading_and_no_mark(focus: str, tags: list[str]) -> None:
    text = render_timeline([a_slice(focus=focus, summary="s", tags=tuple(tags))], {"2026-08-11-1426": focus})
    lines = text.splitlines()
    assert lines[:5] == ["# Timeline", "", f"_Slices: 1 | unmarked: {int(not focus)}_", "", "## 2026-08"]
    assert lines[5] == ""
    assert lines[6].startswith("- **2026/08/11/1426** ")
    assert len(lines) == 7


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 30), texts, st.booleans()), max_size=12))
def test_lines_put_in_one_by_one_make_the_same_timeline(steps: list[tuple[int, str, bool]]) -> None:
    text, newest = "", dict[str, Slice]()
    for number, focus, closed in steps:
        item = slice_number(number, focus=focus, summary=focus, status="closed" if closed else "active")
        newest[item.slice_id] = item
        text = render_timeline([item], {}, text)
    if newest:
        assert text == render_timeline(newest.values(), {})


def test_the_opening_is_what_the_user_said_first() -> None:
    turns = [a_turn(1, "Hello!", role="assistant"), a_turn(2, "  I have\n a question " + "x" * 80)]
    assert opening(turns) == "I have a question " + "x" * 41 + "…"
    assert opening(turns[:1]) == "Hello!"
    assert opening([]) == ""


@pytest.mark.parametrize(
    ("name", "normal"),
    [
        ("  Green\u3000Tea ", "green tea"),
        ("#ＴＥＡ", "tea"),
        ("Straße", "strasse"),
        ("C#", "c#"),
        ("tea.", "tea"),
        ("茶", "茶"),
    ],
)
def test_a_topic_has_one_spelling(name: str, normal: str) -> None:
    assert normal_strand(name) == normal


@settings(max_examples=300, deadline=None)
@given(texts)
def test_the_spelling_of_a_spelling_is_itself(name: str) -> None:
    once = normal_strand(name)
    assert normal_strand(once) == once
    assert "\n" not in once


def test_new_tags_take_the_names_that_are_there() -> None:
    assert fold_tags(["machine learning", "tea"], ["Machine-Learning", "TEA", "cake", "Cake"]) == [
        "machine learning",
        "tea",
        "cake",
    ]
    assert fold_tags([], ["machine-learning", "machine learning"]) == ["machine-learning"]
    assert fold_tags(["tea"], ["", " ", "#"]) == []


def test_names_that_differ_in_a_telling_sign_stay_apart() -> None:
    assert fold_tags(["c"], ["C++", "C#", "C"]) == ["c++", "c#", "c"]
    assert fold_tags(["कि"], ["का", "की"]) == ["का", "की"]
    assert fold_tags(["🎉"], ["🏃"]) == ["🏃"]
