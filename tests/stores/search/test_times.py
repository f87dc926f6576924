from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from previously.stores.search.times import windows

NOW = datetime(2026, 8, 11, 12, tzinfo=UTC)
BERLIN = ZoneInfo("Europe/Berlin")


def days(text: str, zone: ZoneInfo = BERLIN, now: datetime = NOW, years: range = range(2025, 2027)) -> list[str]:
    return [
        "…".join(datetime.fromtimestamp(at, zone).strftime("%Y-%m-%d") for at in window)
        for window in windows(text, now, zone, years)
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What did I say last March?", ["2026-03-01…2026-04-01"]),
        ("last September", ["2025-09-01…2025-10-01"]),
        ("last August", ["2025-08-01…2025-09-01"]),
        ("this May", ["2026-05-01…2026-06-01"]),
        ("next January", ["2027-01-01…2027-02-01"]),
        ("on 8 May, 2023", ["2023-05-08…2023-05-09"]),
        ("May 8th, 2023", ["2023-05-08…2023-05-09"]),
        ("on the 3rd of October 2025", ["2025-10-03…2025-10-04"]),
        ("in July", ["2025-07-01…2025-08-01", "2026-07-01…2026-08-01"]),
        ("in July 2026", ["2026-07-01…2026-08-01"]),
        ("2026-08-01", ["2026-08-01…2026-08-02"]),
        ("2026/08", ["2026-08-01…2026-09-01"]),
        ("in 2024", ["2024-01-01…2025-01-01"]),
        ("yesterday", ["2026-08-10…2026-08-11"]),
        ("3 weeks ago", ["2026-07-20…2026-07-27"]),
        ("two months ago", ["2026-06-01…2026-07-01"]),
        ("a year ago", ["2025-01-01…2026-01-01"]),
        ("last week", ["2026-08-03…2026-08-10"]),
        ("last month", ["2026-07-01…2026-08-01"]),
        ("last Tuesday", ["2026-08-04…2026-08-05"]),
        ("im März 2025", ["2025-03-01…2025-04-01"]),
        ("8 de mayo de 2023", ["2023-05-08…2023-05-09"]),
        ("le 14 juillet 2025", ["2025-07-14…2025-07-15"]),
        ("3 мая 2026", ["2026-05-03…2026-05-04"]),
        ("2023年5月8日", ["2023-05-08…2023-05-09"]),
        ("去年三月我说了什么", ["2025-03-01…2025-04-01"]),
        ("今年の7月", ["2026-07-01…2026-08-01"]),
        ("上个月", ["2026-07-01…2026-08-01"]),
        ("先週", ["2026-08-03…2026-08-10"]),
        ("三天前", ["2026-08-08…2026-08-09"]),
        ("昨天", ["2026-08-10…2026-08-11"]),
        ("29 February", ["2024-02-29…2024-03-01"]),
        ("2023-02-30", []),
        ("31 February 2026", []),
        ("may I ask who April is?", []),
        ("9999 years ago", []),
        ("", []),
    ],
)
def test_words_of_time(text: str, expected: list[str]) -> None:
    years = range(2023, 2027) if "February" in text else range(2025, 2027)
    assert days(text, years=years) == expected


def test_today_is_that_of_the_zone() -> None:
    late = datetime(2026, 8, 11, 23, tzinfo=UTC)
    assert days("today", ZoneInfo("Pacific/Kiritimati"), late) == ["2026-08-12…2026-08-13"]
    assert days("today", ZoneInfo("America/Los_Angeles"), late) == ["2026-08-11…2026-08-12"]


def test_a_day_with_a_change_of_clocks_is_a_day() -> None:
    ((start, end),) = windows("2026-03-29", NOW, BERLIN, range(2026, 2027))
    assert end - start == 23 * 3600


@given(st.text(alphabet="0123456789 年月日前个天-/. lastmarchyegodyweks上去", max_size=40))
@settings(max_examples=200)
def test_any_text_is_read(text: str) -> None:
    assert all(start < end for start, end in windows(text, NOW, BERLIN, range(2020, 2027)))
