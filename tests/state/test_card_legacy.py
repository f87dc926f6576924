"""Cards of older formats move into this one without a model, and lose nothing."""

from __future__ import annotations

from datetime import date

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from previously.state.card import CARD_LIMIT, STAMP, Entry, parse_card, render_card
from previously.state.context import DEFAULT_AGENT
from previously.state.ref import Ref

SLICE = Ref("2026-08-11-1426")

FIRST_CARD = """\
# Previously On

_Active slice: 2026-08-17-0515 | Format: user card v1 | Updated: 2026-08-17T05:27:48Z_

## Identity

- Name: Alex

## Profile

Alex writes software and keeps
git refs: tidy.

## Recent

- Running — refs: [2026/08/11/1426-a3fk2w] | since: 2026-08-11

## Horizon

- Speech — by: 2026-08-21 — refs: [2026/08/11/1426]
- Pay the rent — by: 2026-09-01
"""

ARCHIVE = """\
## User profile
### Identity & background
- Engineer from Oslo
  refs: 2026/08/11/1426 | confidence: high | updated: 2026-08-10
### Work style
- Starts early
  refs: 2026/08/11/1426 | confidence: low
### Current state
- Moving house
  refs: 2026/08/11/1426 | confidence: high | updated: 2026-08-10 | obs: 2
## Self-model
### Corrections
- No emojis
  refs: 2026/08/11/1426#2 | confidence: high
- Nobody said this
"""


def test_a_first_card_keeps_its_lines_with_refs_and_dates() -> None:
    parsed = parse_card(FIRST_CARD)
    assert parsed.legacy
    assert parsed.card.identity == (("Name", "Alex"),)
    assert parsed.card.now == (Entry(text="Running", refs=(SLICE,), since=date(2026, 8, 11)),)
    assert parsed.card.horizon == (Entry(text="Speech", refs=(SLICE,), by=date(2026, 8, 21)),)
    assert parsed.card.profile == "Alex writes software and keeps git refs: tidy. Pay the rent (by 2026-09-01)"
    assert parsed.leftover == ()


def test_an_archive_is_sorted_into_sections_and_an_unproven_rule_is_left_over() -> None:
    parsed = parse_card(ARCHIVE)
    assert parsed.card.profile == "Engineer from Oslo. Starts early"
    assert parsed.card.now == (Entry(text="Moving house", refs=(SLICE,), since=date(2026, 8, 10)),)
    assert parsed.card.self_model(DEFAULT_AGENT) == (Entry(text="No emojis", refs=(Ref("2026-08-11-1426", 2),)),)
    assert parsed.leftover == ("Nobody said this",)


def test_chinese_headings_and_labels_are_known() -> None:
    parsed = parse_card(
        "## 长期记忆\n### User identity\n- **名字**：小艾\n- 职业：工程师\n## 短期记忆\n### Current context\n- 在搬家\n"
    )
    assert parsed.card.identity == (("Name", "小艾"), ("职业", "工程师"))
    assert parsed.card.profile == "在搬家"


def test_free_prose_with_facts_and_preferences_becomes_the_profile() -> None:
    parsed = parse_card(
        "Alex is kind.\nLives in\nOslo\n\n## Facts\n- Graduated 2021\n* Allergic to nuts\n## Preferences\n- tea\n"
    )
    assert parsed.card.profile == "Alex is kind. Lives in Oslo. Graduated 2021. Allergic to nuts. tea"
    assert parsed.leftover == ()


def test_what_is_over_a_cap_is_left_over_not_lost() -> None:
    lines = "".join(f"- Fact number {number} — refs: [2026/08/11/1426]\n" for number in range(10))
    parsed = parse_card(f"## Facts\n{lines}- {'x' * 2500}\n")
    assert len(parsed.card.anchors) == 8
    assert "Fact number 9" in parsed.card.profile
    assert parsed.leftover == ("x" * 2500,)
    assert not parsed.card.problems()


def test_a_migrated_card_is_not_old_any_more() -> None:
    again = parse_card(render_card(parse_card(ARCHIVE).card))
    assert not again.legacy
    assert again.card.substance() == parse_card(ARCHIVE).card.substance()


HEADINGS = ["## Identity", "## Facts", "## Current state", "## Horizon", "## Self-model", "## Else", ""]
OLD = st.lists(
    st.sampled_from(HEADINGS)
    | st.builds(
        "- {}{}".format,
        st.text(max_size=400),
        st.sampled_from([" — refs: [2026/08/11/1426]", " — by: 2026-08-21 — refs: [2026/08/11/1426]", "", ": x"]),
    )
    | st.text(max_size=300),
    max_size=60,
).map("\n".join)


@settings(max_examples=150, deadline=None)
@given(OLD)
def test_any_old_text_becomes_a_card_within_every_limit(text: str) -> None:
    assume(STAMP not in text)
    card = parse_card(text).card
    faults = [fault for fault in card.problems() if not fault.startswith("no start date")]
    assert not faults
    assert len(render_card(card, DEFAULT_AGENT)) <= CARD_LIMIT


@settings(max_examples=100, deadline=None)
@given(st.lists(st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=300), max_size=40))
def test_every_word_of_old_prose_is_on_the_card_or_left_over(words: list[str]) -> None:
    parsed = parse_card("\n\n".join(words))
    found = render_card(parsed.card) + " ".join(parsed.leftover)
    assert all(word in found for word in words)
