"""The direction as a document: read, written, and its guesses retired in time."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from previously.state.direction import (
    DIMENSIONS,
    HYPOTHESIS_LIFE,
    Direction,
    Hypothesis,
    PortraitEntry,
    parse_direction,
    render_direction,
    render_portrait,
    retire,
)
from previously.state.direction_edits import DIRECTION_EDITS
from previously.state.ref import Ref

from .direction_world import COMMUNICATION, CONTEXT, FIRST, GUESS, PATTERNS, SECOND, SOME, TEXT, apply

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)
LINE = st.text(st.characters(exclude_categories=("C", "Z")), min_size=1, max_size=40).filter(
    lambda text: not text.startswith(("#", "_", ">", "-")) and "—" not in text and "[" not in text
)
REF = st.builds(Ref, st.sampled_from(["2026-08-11-1426", "2026-08-12-0900"]), st.none() | st.integers(1, 99))
ENTRY = st.builds(PortraitEntry, text=LINE, refs=st.lists(REF, min_size=1, max_size=3, unique=True).map(tuple))
GUESSES = st.builds(Hypothesis, text=LINE, falsify=LINE, proposed=st.just("2026-08-01-0900"))
DIRECTION = st.builds(
    Direction,
    portrait=st.dictionaries(st.sampled_from(DIMENSIONS), st.lists(ENTRY, min_size=1, max_size=3).map(tuple)),
    hypotheses=st.lists(GUESSES, max_size=4).map(tuple),
)
OLD = "# Direction\n\nBe brief.\n\n# Anti-goals\n\n- waffling\n\n# Evidence\n\n# Log\n\n- 2026: began"
TEMPLATE = "\n\n".join(
    ["# Portrait", *(f"## {name}\n\n_(Not set yet — nothing)_" for name in DIMENSIONS), "# Hypotheses"]
)


@given(DIRECTION)
def test_what_is_written_is_read_back(direction: Direction) -> None:
    assert parse_direction(render_direction(direction)).direction == direction


@given(
    st.text()
    | st.lists(st.sampled_from(["# Portrait", f"## {COMMUNICATION}", "# Hypotheses", "- x", "x", "> y"])).map("\n".join)
)
def test_any_text_is_read_and_nothing_of_it_is_lost(text: str) -> None:
    once = render_direction(parse_direction(text).direction)
    assert render_direction(parse_direction(once).direction) == once


def test_all_dimensions_stand_in_the_file_and_the_filled_ones_in_the_prompt() -> None:
    text = render_direction(SOME)
    assert [line[3:] for line in text.splitlines() if line.startswith("## ")] == list(DIMENSIONS)
    assert [line for line in text.splitlines() if line.startswith("# ")] == ["# Portrait", "# Hypotheses"]
    assert render_portrait(SOME) == (
        f"## {PATTERNS}\n- Plans late and then all at once — refs: [2026/08/11/1426#1], [2026/08/12/0900#1]"
    )


@pytest.mark.parametrize(("text", "mode"), [
    ("", "bootstrap"), ("\n\n", "bootstrap"), (TEMPLATE, "bootstrap"), (render_direction(Direction()), "bootstrap"),
    (OLD, "migrate"), ("# Portrait\n\n# Hypotheses\n\n# Evidence\n\n# Log", "migrate"), (render_direction(SOME), "steady"),
    ("prose", "steady"),
])  # fmt: skip
def test_the_mode(text: str, mode: str) -> None:
    assert parse_direction(text).mode == mode


def test_an_older_format_is_evidence_only() -> None:
    parsed = parse_direction(OLD)
    assert parsed.direction == Direction()
    assert parsed.leftover == ("Be brief.", "- waffling", "- 2026: began")


def test_refs_are_read_in_either_form() -> None:
    text = f"# Portrait\n## {PATTERNS}\n- Plans late — refs: 2026-08-11-1426, 2026-08-12-0900\n"
    (entry,) = parse_direction(text).direction.portrait[PATTERNS]
    assert entry == PortraitEntry(text="Plans late", refs=(Ref("2026-08-11-1426"), Ref("2026-08-12-0900")))


def test_what_a_person_broke_is_kept_and_named() -> None:
    text = f"# Portrait\n## {PATTERNS}\n- no refs\n- bad — refs: [2026/99/99/9999]\n## Hobbies\n- chess\n# Hypotheses\n- no clock\n"
    direction = parse_direction(text).direction
    problems = "\n".join(direction.problems())
    for fault in (
        "no refs: no refs",
        "no refs: bad",
        "not understood: ## Hobbies",
        "wrong: no clock",
        "marked with the slice",
    ):
        assert fault in problems
    assert "chess" in render_direction(direction)


LATER = [f"2026-08-{day:02}-0900" for day in range(2, 9)]


@pytest.mark.parametrize(("ended", "gone"), [
    (LATER[:3], False), (LATER[:4], True), (LATER[:3] * 2, False), (["2026-08-01-0900", *LATER[:3]], False),
    (["2026-07-01-0900"] * 9, False), (LATER, True), ([], False),
])  # fmt: skip
def test_a_guess_lives_for_four_slices(ended: list[str], gone: bool) -> None:
    assert HYPOTHESIS_LIFE == 4
    left, retired = retire(SOME, ended)
    assert (GUESS in [each.text for each in retired]) is gone
    assert (left == SOME) is not gone
    assert left.portrait == SOME.portrait


def test_a_guess_without_a_clock_is_left_alone() -> None:
    by_hand = replace(SOME, hypotheses=(Hypothesis(text="mine"),))
    assert retire(by_hand, LATER) == (by_hand, ())


def test_the_clock_is_set_by_code() -> None:
    applied = apply("add_hypothesis", text="Likes tea", falsify="asks for coffee twice")
    assert applied.document.hypotheses[-1].proposed == CONTEXT.slice_id
    assert applied.document.hypotheses[0] == SOME.hypotheses[0]


def test_edits_touch_one_line_and_can_be_replayed() -> None:
    steps = [
        ("add_portrait_entry", {"dimension": "communication preferences", "text": TEXT, "refs": "m1, m2"}),
        ("promote_hypothesis", {"match": f"- [proposed 2026-08-01-0900] {GUESS} — falsify if: x", "dimension": PATTERNS,
                                "text": GUESS, "refs": ["m1", "m2"]}),
        ("update_portrait_entry", {"match": "Plans late", "text": "Plans at the last minute", "refs": ["m2"]}),
        ("add_hypothesis", {"text": "Likes tea", "falsify": "asks for coffee twice"}),
    ]  # fmt: skip
    direction, ops = SOME, []
    for name, args in steps:
        applied = apply(name, direction, **args)
        assert applied.op, applied.message
        direction = applied.document
        ops.append(applied.op)
    assert [entry.text for entry in direction.portrait[PATTERNS]] == ["Plans at the last minute", GUESS]
    assert direction.portrait[PATTERNS][0].refs == (FIRST, SECOND)
    assert [guess.text for guess in direction.hypotheses] == ["Likes tea"]
    again, kept = DIRECTION_EDITS.replay(SOME, json.loads(json.dumps(ops)), replace(CONTEXT, handles={}))
    assert (again, kept) == (direction, ops)
    removed = apply("remove_portrait_entry", direction, match="last minute").document
    assert [entry.text for entry in removed.portrait[PATTERNS]] == [GUESS]


@given(st.sampled_from([*DIRECTION_EDITS, "rewrite"]), JSON | st.fixed_dictionaries({"match": st.text(), "text": st.text(),
       "dimension": st.sampled_from(DIMENSIONS), "refs": st.just(["m1", "m2"]), "falsify": st.text()}))  # fmt: skip
def test_nothing_that_a_model_sends_raises(name: str, args: object) -> None:
    applied = DIRECTION_EDITS.apply(SOME, name, args, CONTEXT, {})
    assert applied.message.startswith(("OK — ", "REJECTED: "))
    if applied.op is None:
        assert applied.document == SOME
    else:
        assert parse_direction(render_direction(applied.document)).direction == applied.document
