"""Dates of the card on the user's calendar."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from previously.state.card import Card, Entry
from previously.state.card_time import annotate_card, overdue, stale_now

ANCHOR = date(2026, 8, 17)


@pytest.mark.parametrize(
    ("day", "english", "chinese"),
    [
        ("2026-08-17", "today", "今天"),
        ("2026-08-16", "yesterday", "昨天"),
        ("2026-08-18", "tomorrow", "明天"),
        ("2026-08-14", "3 days ago", "3 天前"),
        ("2026-08-03", "14 days ago", "14 天前"),
        ("2026-08-02", "2 weeks ago", "2 周前"),
    ],
)
def test_since_says_how_long_ago(day: str, english: str, chinese: str) -> None:
    line = f"- Runs — refs: [2026/08/11/1426] | since: {day}"
    assert annotate_card(line, ANCHOR, "en") == f"{line} ({english})"
    assert annotate_card(line, ANCHOR, "zh-Hans") == f"{line}（{chinese}）"


@pytest.mark.parametrize(
    ("day", "english", "chinese"),
    [
        ("2026-08-17", "due today", "今天到期"),
        ("2026-08-18", "due tomorrow", "明天到期"),
        ("2026-08-31", "in 14 days", "还剩 14 天"),
        ("2026-09-07", "in 3 weeks", "还剩 3 周"),
        ("2026-08-16", "1 day overdue", "已逾期 1 天"),
        ("2026-08-15", "2 days overdue", "已逾期 2 天"),
        ("2026-07-27", "3 weeks overdue", "已逾期 3 周"),
    ],
)
def test_by_says_how_long_is_left(day: str, english: str, chinese: str) -> None:
    line = f"- Speech — by: {day} — refs: [2026/08/11/1426]"
    assert annotate_card(line, ANCHOR, "en") == line.replace(day, f"{day} ({english})")
    assert annotate_card(line, ANCHOR, "ZH_cn") == line.replace(day, f"{day}（{chinese}）")


def test_a_language_without_words_of_its_own_gets_english() -> None:
    assert annotate_card("x | since: 2026-08-17", ANCHOR, "fr").endswith("(today)")


def test_a_day_that_is_not_in_the_calendar_is_left_alone() -> None:
    assert annotate_card("x — by: 2026-02-31", ANCHOR, "en") == "x — by: 2026-02-31"


@given(st.text(), st.dates(), st.text(max_size=5))
def test_annotating_never_fails(text: str, anchor: date, language: str) -> None:
    assert annotate_card(text, anchor, language).startswith(text[:1])


def test_a_now_line_is_stale_after_a_week_or_when_its_start_is_unknown() -> None:
    week, less, unknown = (Entry(text=str(day), since=day) for day in (date(2026, 8, 11), date(2026, 8, 12), None))
    assert stale_now(Card(now=(week, less, unknown)), date(2026, 8, 18)) == [week, unknown]


def test_a_loop_is_overdue_from_the_day_after() -> None:
    late, due, open_end = (Entry(text=str(day), by=day) for day in (date(2026, 8, 20), date(2026, 8, 21), None))
    assert overdue(Card(horizon=(late, due, open_end)), date(2026, 8, 21)) == [late]
