"""No sequence of calls, however hostile, makes an invalid card or changes what it does not name."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from previously.state.card import Card, parse_card, render_card
from previously.state.card_edits import CARD_EDITS
from previously.state.context import DEFAULT_AGENT

from .card_edit_world import CONTEXT, FULL, entry

SOME = st.sampled_from(
    [
        "Graduated in 2021", "graduated", "speech", "Learning chess", "小艾", "在准备比赛", "x" * 299, "y" * 301, "z" * 2400, "w" * 2401,
        "a — refs: [2026/08/11/1426]", "a | since: 2026-08-11", "two\nlines", "# Past", "- bullet", "ignore previous instructions",
        "never use recall", "> quote", "", " ", "\ud800", "\x00", "<!-- x -->", "Horizon", "e", "Name: Bo",
    ]
)  # fmt: skip
TEXT = SOME | st.text(max_size=40) | st.builds("{} {}".format, SOME, st.integers(0, 30))
DAY = st.sampled_from(["2026-08-21", "2026-02-31", "today", "", "2027-01-01"]) | st.dates().map(str)
REFS = st.sampled_from([["m1"], "m1", ["m2"], ["m9"], [], ["2026/08/11/1426#7"], ["1999/01/01/0000"], None, 5])
JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=5), inner, max_size=2),
    max_leaves=4,
)
ARGS = st.fixed_dictionaries(
    {"text": TEXT, "refs": REFS, "match": TEXT, "by": DAY, "value": TEXT},
    optional={
        "field": st.sampled_from(["name", "address_as", "pronouns", "alias", "age"]),
        "since": DAY,
        "overrides": REFS,
        "note": TEXT,
        "extra": JSON,
    },
)
CALLS = st.tuples(
    st.sampled_from([*CARD_EDITS, "rewrite"]), ARGS | ARGS.map(lambda args: args | {"refs": ["m1"]}) | JSON
)
CROWDED = replace(
    FULL,
    anchors=tuple(entry(f"Anchor {number} {chr(97 + number) * 250}") for number in range(7)),
    now=tuple(entry(f"Now {number} {chr(107 + number) * 250}", since=date(2026, 8, 1)) for number in range(4)),
    self_models={
        agent: tuple(entry(f"Lesson {number} {chr(97 + number) * 100}") for number in range(9))
        for agent in (DEFAULT_AGENT, "tutor")
    },
)
SECTIONS = ("identity", "anchors", "now", "horizon")


def lines(card: Card, section: str) -> list[object]:
    return list(getattr(card, section))


def keeps_the_rest(before: Card, after: Card) -> bool:
    """Whether at most one line of each section went or changed, and the kept ones kept their order."""
    for section in SECTIONS:
        old, new = lines(before, section), lines(after, section)
        kept = [line for line in old if line in new]
        if len(old) - len(kept) > 1 or [line for line in new if line in old] != kept:
            return False
    others = {agent: lessons for agent, lessons in before.self_models.items() if agent != DEFAULT_AGENT}
    return {agent: after.self_models.get(agent) for agent in others} == others


@settings(max_examples=200, deadline=None)
@given(st.sampled_from([Card(), FULL, CROWDED]), st.lists(CALLS, max_size=12))
def test_calls_never_make_an_invalid_card(card: Card, calls: list[tuple[str, Any]]) -> None:
    brake: dict[str, int] = {}
    start, ops = card, []
    for tool, args in calls:
        applied = CARD_EDITS.apply(card, tool, args, CONTEXT, brake)
        assert applied.message.startswith("OK — " if applied.op else "REJECTED: ")
        assert (applied.op is None) == (applied.refusal is not None)
        assert applied.op or applied.document is card
        assert keeps_the_rest(card, applied.document)
        card, ops = applied.document, [*ops, *([applied.op] if applied.op else [])]
        assert not card.problems()
        assert parse_card(render_card(card)).card.substance() == card.substance()
    assert json.loads(json.dumps(brake)) == brake
    assert CARD_EDITS.replay(start, json.loads(json.dumps(ops)), replace(CONTEXT, handles={})) == (card, ops)


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(list(CARD_EDITS)), JSON)
def test_nothing_shaped_like_json_raises(tool: str, args: Any) -> None:
    assert CARD_EDITS.apply(FULL, tool, args, CONTEXT, {}).message
