"""What an account of a change says."""

from __future__ import annotations

from datetime import date

from previously.state.card import Card, Entry, render_card
from previously.state.card_diff import change_counts, line_diff


def lines(*texts: str) -> tuple[Entry, ...]:
    return tuple(Entry(text=text) for text in texts)


def test_equal_cards_have_no_diff() -> None:
    card = Card(anchors=lines("a"))
    assert line_diff(render_card(card), render_card(card)) == []
    assert not any(change_counts(card, card).values())


def test_an_edited_line_goes_and_comes_and_scaffolding_does_not_count() -> None:
    before, after = (
        Card(anchors=lines("Has a cat", "Lives in Oslo")),
        Card(slice_id="2026-08-11-1426", anchors=lines("Has two cats", "Lives in Oslo")),
    )
    assert line_diff(render_card(before), render_card(after)) == ["- Has a cat", "+ Has two cats"]


def test_equal_lines_count_once_and_each_side_is_capped() -> None:
    assert line_diff("", "x\nx\n  x  \n\n") == ["+ x"]
    many = "\n".join(str(number) for number in range(30))
    assert line_diff(many, "y") == [*(f"- {number}" for number in range(12)), "+ y"]


def test_a_reworded_anchor_and_a_dropped_now_line_are_counted_as_such() -> None:
    before = Card(anchors=lines("Graduated from Oslo in 2021"), now=lines("Runs"))
    after = Card(anchors=lines("Graduated from the university of Oslo in 2021"))
    assert change_counts(before, after) == {"added": 0, "removed": 1, "reworded": 1, "profile": 0}


def test_chinese_rewording_is_seen() -> None:
    counts = change_counts(Card(anchors=lines("喜欢喝绿茶")), Card(anchors=lines("很喜欢喝绿茶和红茶")))
    assert counts["reworded"] == 1


def test_a_new_due_date_is_a_change() -> None:
    before, after = (Card(horizon=(Entry(text="Speech", by=date(2026, 8, day)),)) for day in (20, 21))
    assert change_counts(before, after)["reworded"] == 1
