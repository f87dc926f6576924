"""The card's text: what is written is read back, and what a person broke is kept."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from previously.state.card import Card, Entry, breaks_format, parse_card, render_card
from previously.state.context import DEFAULT_AGENT, normal_id
from previously.state.ref import Ref

EXAMPLE = """\
# Previously On

_Active slice: 2026-09-03-0840 | Format: user card v2 | Updated: 2026-09-03T08:52:11Z_

## Identity

- Name: Mira
- Address them as: you
- Alias: 米拉

## Past

Mira repairs string instruments and wants to hear how a result was
reached before she trusts it. She gave up a chain of shops — her
father's — to have one bench of her own
and two apprentices.

- Opened the workshop in March 2022 — refs: [2026/07/26/1539]
- Sells no instrument that she would not play — refs: [2026/08/02/1105], [2026/08/02/1105#4]

## Now

- Restoring a cello — the neck is off until the glue arrives — refs: [2026/08/11/1426] | since: 2026-08-11

## Horizon

- Give Jonas his quote for the viola — by: 2026-09-12 — refs: [2026/08/15/2030]

## Self-model

- Name the source of a price before the price itself — refs: [2026/08/11/1426]
"""


def card_of(sections: str) -> str:
    return f"# Previously On\n\n_Active slice: 2026-09-03-0840 | Format: user card v2 | Updated: 2026-09-03T08:52:11Z_\n\n{sections}"


def test_the_documented_example_keeps_every_byte() -> None:
    parsed = parse_card(EXAMPLE)
    assert render_card(parsed.card) == EXAMPLE
    assert not parsed.problems
    assert not parsed.legacy
    assert not parsed.card.problems()


def test_the_example_is_read_into_its_parts() -> None:
    card = parse_card(EXAMPLE).card
    assert card.slice_id == "2026-09-03-0840"
    assert card.updated == datetime(2026, 9, 3, 8, 52, 11, tzinfo=UTC)
    assert card.identity == (("Name", "Mira"), ("Address them as", "you"), ("Alias", "米拉"))
    assert card.now[0].since == date(2026, 8, 11)
    assert card.horizon[0].by == date(2026, 9, 12)
    assert card.self_model(DEFAULT_AGENT)[0].refs == (Ref("2026-08-11-1426"),)
    assert len(card.profile.split("\n")) == 4


def test_blank_lines_between_bullets_change_nothing() -> None:
    assert parse_card(EXAMPLE.replace("\n- ", "\n\n- ")).card == parse_card(EXAMPLE).card


def test_an_empty_card_has_its_header_only_and_an_empty_text_is_an_empty_card() -> None:
    assert render_card(Card()).count("\n") == 3
    assert parse_card("").card == parse_card(" \n ").card == Card()
    assert parse_card(render_card(Card())).card == Card()


def test_refs_may_cite_turns_and_are_written_with_slashes() -> None:
    card = parse_card(card_of("## Past\n\n- A fact — refs: [2026-08-11-1426#3],[2026/08/12/0900]\n")).card
    assert "- A fact — refs: [2026/08/11/1426#3], [2026/08/12/0900]\n" in render_card(card)


def test_tails_are_read_in_any_order() -> None:
    card = parse_card(card_of("## Horizon\n\n- Call Bo — refs: [2026/08/11/1426] — by: 2026-09-01\n")).card
    assert card.horizon == (Entry(text="Call Bo", refs=(Ref("2026-08-11-1426"),), by=date(2026, 9, 1)),)


@pytest.mark.parametrize(
    ("line", "section", "problem"),
    [
        ("- No date — refs: [2026/08/11/1426]", "Now", "no start date: No date"),
        ("- No date — refs: [2026/08/11/1426]", "Horizon", "no due date: No date"),
        ("- No refs | since: 2026-08-11", "Now", "no refs: No refs"),
        ("- Bad — by: 2026-02-31 — refs: [2026/08/11/1426]", "Horizon", "no due date"),
        ("- Bad — refs: [last week]", "Past", "no refs: Bad"),
        ("Just a sentence", "Now", "not understood: Just a sentence"),
        ("- no colon here", "Identity", "not understood: - no colon here"),
    ],
)
def test_a_broken_line_is_reported_and_kept(line: str, section: str, problem: str) -> None:
    parsed = parse_card(card_of(f"## {section}\n\n{line}\n"))
    assert any(problem in found for found in (*parsed.problems, *parsed.card.problems()))
    assert line.removeprefix("- ").split(" — ")[0].split(" | ")[0] in render_card(parsed.card)


def test_a_missing_date_is_unknown_never_today() -> None:
    card = parse_card(card_of("## Now\n\n- Runs — refs: [2026/08/11/1426]\n")).card
    assert card.now[0].since is None


def test_unknown_sections_stay_in_a_section_of_their_own() -> None:
    parsed = parse_card(
        card_of("## Hobbies\n\n- chess\n\n## Now\n\n- Runs — refs: [2026/08/11/1426] | since: 2026-08-11\n")
    )
    assert parsed.card.unread == ("## Hobbies", "- chess")
    text = render_card(parsed.card)
    assert text.endswith("## Unrecognised\n\n> ## Hobbies\n> - chess\n")
    assert parse_card(text).card == parsed.card
    assert "Hobbies" not in render_card(parsed.card, DEFAULT_AGENT)


def test_a_broken_header_is_reported_and_the_rest_is_read() -> None:
    parsed = parse_card(EXAMPLE.replace("_Active slice: 2026-09-03-0840 | ", "_Slice | "))
    assert "the header line is missing or broken" in parsed.problems
    assert parsed.card.substance() == replace(parse_card(EXAMPLE).card, unread=parsed.card.unread).substance()


@pytest.mark.parametrize("stamp", ["9999-12-31T23:59:59-23:00", "0001-01-01T00:00:00+23:00", "yesterday", "2026-08-17"])
def test_a_stamp_that_is_no_instant_is_unknown(stamp: str) -> None:
    assert parse_card(EXAMPLE.replace("2026-09-03T08:52:11Z", stamp)).card.updated is None


def test_each_agent_has_its_own_self_model() -> None:
    mine, other = (
        Entry(text="Be brief", refs=(Ref("2026-08-11-1426"),)),
        Entry(text="Be thorough", refs=(Ref("2026-08-11-1426"),)),
    )
    card = Card().with_self_model(DEFAULT_AGENT, [mine]).with_self_model("tutor", [other])
    text = render_card(card)
    assert text.index("## Self-model\n") < text.index("## Self-model — tutor\n")
    assert parse_card(text).card.self_models == card.self_models
    assert "Be brief" not in render_card(card, "tutor")
    assert "## Self-model\n\n- Be thorough" in render_card(card, "tutor")
    assert "Self-model" not in render_card(card, "nobody")


def test_substance_does_not_see_the_header() -> None:
    card = parse_card(EXAMPLE).card
    assert replace(card, slice_id="2026-08-18-0000", updated=None).substance() == card.substance()
    assert replace(card, profile="Other").substance() != card.substance()


@pytest.mark.parametrize("text", ["a\nb", "a — refs: [x]", "a —by: b", "a | since: b", "a <!-- b", " a", "", "a\r"])
def test_text_that_would_break_a_line_is_told_apart(text: str) -> None:
    assert breaks_format(text)


@pytest.mark.parametrize("text", ["- a", "# a", "> a", "_a_", "* a", "<!x", "•\ta"])
def test_a_paragraph_may_not_look_like_something_else(text: str) -> None:
    assert bool(breaks_format(text, paragraph=True)) == (text != "<!x")
    assert breaks_format(text) is None


SLICES = st.datetimes(datetime(2000, 1, 1), datetime(2999, 1, 1)).map(lambda at: at.strftime("%Y-%m-%d-%H%M"))  # noqa: DTZ001
REFS = st.lists(st.builds(Ref, SLICES, st.none() | st.integers(1, 999)), min_size=1, max_size=3, unique=True).map(tuple)
DAYS = st.dates(date(1900, 1, 1), date(2999, 1, 1))
WORDS = st.text(max_size=20).map(str.strip)
LINES = st.lists(
    WORDS | st.sampled_from(["—", "|", "refs:", "since:", "[x]", "-", "##", ">", "小艾", "by: 2026-01-01"]), max_size=5
)
TEXTS = LINES.map(" ".join).map(str.strip).filter(lambda text: breaks_format(text) is None)
PARAGRAPHS = TEXTS.filter(lambda text: breaks_format(text, paragraph=True) is None)
LABELS = TEXTS.filter(lambda text: ":" not in text and "：" not in text)
AGENTS = st.text(max_size=12).filter(str.strip).map(lambda name: normal_id("agent", name)) | st.sampled_from(
    ["Self-model", "Past", "a\nb", 'a"b', "a\\n"]
)


def entries(**more: st.SearchStrategy[object]) -> st.SearchStrategy[tuple[Entry, ...]]:
    return st.lists(st.builds(Entry, text=TEXTS, refs=REFS, **more), max_size=3).map(tuple)


CARDS = st.builds(
    Card,
    slice_id=st.just("") | SLICES,
    updated=st.none()
    | st.datetimes(datetime(1971, 1, 1), timezones=st.just(UTC)).map(lambda at: at.replace(microsecond=0)),  # noqa: DTZ001
    identity=st.lists(st.tuples(LABELS, TEXTS), max_size=4).map(tuple),
    profile=st.lists(PARAGRAPHS, max_size=3).map("\n".join),
    anchors=entries(),
    now=entries(since=DAYS),
    horizon=entries(by=DAYS),
    self_models=st.dictionaries(AGENTS, entries().filter(bool), max_size=3),
    unread=st.lists(TEXTS, max_size=2).map(tuple),
)


@settings(max_examples=150, deadline=None)
@given(CARDS)
def test_every_card_is_read_back_as_it_was_written(card: Card) -> None:
    parsed = parse_card(render_card(card))
    assert parsed.card == card
    assert not parsed.problems


BROKEN = st.lists(
    st.sampled_from(
        [
            *EXAMPLE.split("\n"),
            "## Self-model — x",
            "## Unrecognised",
            "> a",
            ">",
            "* a",
            "## ",
            "- ",
            "Format: user card v2",
        ]
    )
    | st.builds("{}{}".format, st.sampled_from(["- ", "", "## ", "> ", "_"]), st.text(max_size=30))
    | st.builds(
        "- {}{}{}".format,
        TEXTS,
        st.sampled_from(
            ["", " — refs: [2026/08/11/1426]", " | since: 2026-13-01", " — by: 2026-08-11", " — refs: [x]"]
        ),
        st.sampled_from(
            ["", " — refs: [2026/08/11/1426], [y]", " | since: 2026-08-01", " — by: 2026-08-11", " <!-- x"]
        ),
    ),
    max_size=25,
).map("\n".join)


@settings(max_examples=300, deadline=None)
@given(BROKEN | st.text() | BROKEN.map(card_of))
def test_any_text_settles_after_one_reading(text: str) -> None:
    once = render_card(parse_card(text).card)
    again = parse_card(once)
    assert not again.legacy
    assert render_card(again.card) == once


@settings(max_examples=150, deadline=None)
@given(BROKEN.map(card_of))
def test_no_line_of_a_broken_card_is_thrown_away(text: str) -> None:
    written = render_card(parse_card(text).card)
    for line in (line for line in text.split("\n") if not line.strip().startswith("## ")):
        for word in line.strip("#>-*•+ ").split(" — ")[0].split():
            if word.isalpha():
                assert word in written
