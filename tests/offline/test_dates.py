from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from previously.offline import dates_chinese, dates_english

SAID = date(2026, 8, 11)
"""A Tuesday."""

ENGLISH = [
    ("tomorrow", "2026-08-12"),
    ("the day after tomorrow", "2026-08-13"),
    ("tonight", "2026-08-11"),
    ("yesterday", "2026-08-10"),
    ("on Friday", "2026-08-14"),
    ("on Tuesday", "2026-08-18"),
    ("next Friday", "2026-08-21"),
    ("last Friday", "2026-08-07"),
    ("on Monday next week", "2026-08-17"),
    ("this weekend", "2026-08-16"),
    ("next week", "2026-08-23"),
    ("next month", "2026-09-30"),
    ("in 3 days", "2026-08-14"),
    ("in two weeks", "2026-08-25"),
    ("in a couple of weeks", "2026-08-25"),
    ("in a month", "2026-09-11"),
    ("a week from now", "2026-08-18"),
    ("by March 3", "2027-03-03"),
    ("March 3rd, 2028", "2028-03-03"),
    ("on 5 May", "2027-05-05"),
    ("the 5th of September", "2026-09-05"),
    ("on the 15th", "2026-08-15"),
    ("on the 3rd", "2026-09-03"),
    ("in October", "2026-10-31"),
    ("in February", "2027-02-28"),
    ("in May 2024", "2024-05-31"),
    ("by the end of the month", "2026-08-31"),
    ("at the end of the year", "2026-12-31"),
    ("2026-09-01", "2026-09-01"),
    ("February 29", "2028-02-29"),
]
CHINESE = [
    ("明天", "2026-08-12"),
    ("后天", "2026-08-13"),
    ("大后天", "2026-08-14"),
    ("昨天", "2026-08-10"),
    ("周五", "2026-08-14"),
    ("星期二", "2026-08-18"),
    ("这周五", "2026-08-14"),
    ("下周五", "2026-08-21"),
    ("下个星期天", "2026-08-23"),
    ("上周五", "2026-08-07"),
    ("周末", "2026-08-16"),
    ("下周末", "2026-08-23"),
    ("下周", "2026-08-23"),
    ("下个月", "2026-09-30"),
    ("三天后", "2026-08-14"),
    ("两周后", "2026-08-25"),
    ("3个月后", "2026-11-11"),
    ("8月21日前", "2026-08-21"),
    ("3月8号", "2027-03-08"),
    ("十二月三号", "2026-12-03"),
    ("十月二十一日", "2026-10-21"),
    ("2027年1月2日", "2027-01-02"),
    ("明年3月", "2027-03-31"),
    ("15号", "2026-08-15"),
    ("3号", "2026-09-03"),
    ("月底", "2026-08-31"),
    ("9月底", "2026-09-30"),
    ("下个月底", "2026-09-30"),
    ("年底", "2026-12-31"),
    ("2026-09-01", "2026-09-01"),
]


@pytest.mark.parametrize(("text", "day"), ENGLISH)
def test_english_dates(text: str, day: str) -> None:
    assert [spoken.day.isoformat() for spoken in dates_english.find_dates(text, SAID)] == [day]


@pytest.mark.parametrize(("text", "day"), CHINESE)
def test_chinese_dates(text: str, day: str) -> None:
    assert [spoken.day.isoformat() for spoken in dates_chinese.find_dates(text, SAID)] == [day]


@pytest.mark.parametrize(
    "text", ["I may go", "March on", "Feb 30", "the sun is up", "2026-13-45", "on Sundays", "room 12"]
)
def test_what_is_no_english_date(text: str) -> None:
    assert dates_english.find_dates(text, SAID) == []


@pytest.mark.parametrize("text", ["2月30日", "每周三", "下下周五", "13月1号", "一个人", "十分好"])
def test_what_is_no_chinese_date(text: str) -> None:
    assert dates_chinese.find_dates(text, SAID) == []


@given(st.text(alphabet="0123456789年月日号周一二十下个后天明 -/in next on of the Mayweek", max_size=40), st.dates())
def test_no_text_and_no_day_raises_and_spans_are_real(text: str, said: date) -> None:
    for find in (dates_english.find_dates, dates_chinese.find_dates):
        spans = [(spoken.start, spoken.end) for spoken in find(text, said)]
        assert all(0 <= start < end <= len(text) for start, end in spans)
        assert spans == sorted(spans)
