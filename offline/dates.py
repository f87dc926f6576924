"""Calendar arithmetic behind spoken dates. Weeks begin on Monday."""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import NamedTuple

DATE = "\ue001"
"""Stands for a date in a text whose dates are marked."""
Groups = dict[str, str]
Read = Callable[[Groups, date], date | None]
"""What a wording means on the day it was said; `None` when the calendar has no such day."""


class Wording(NamedTuple):
    """One way of saying a date."""

    pattern: re.Pattern[str]
    read: Read
    relative: bool
    exact: bool


@dataclass(frozen=True, slots=True)
class Spoken:
    """A date as it stands in a text."""

    start: int
    end: int
    """Span of the words, as offsets in the text."""
    day: date
    """The day meant; of a week, month or year, its last day."""
    relative: bool
    """Whether the words mean something only on the day they were said."""
    exact: bool
    """Whether the words name a day, not a week, a month or a year."""


def day_of(year: int, month: int, day: int) -> date | None:
    """Return that day, or `None` when the calendar has no such day."""
    try:
        return date(year, month, day)
    except ValueError:
        return None


def coming(said: date, month: int, day: int) -> date | None:
    """Return the next such day of a year, today included; `None` when no such day exists within four years."""
    years = (day_of(said.year + ahead, month, day) for ahead in range(5))
    return next((found for found in years if found and found >= said), None)


def month_end(year: int, month: int) -> date:
    """Return the last day of a month; `month` may run past 12 into later years."""
    year, month = year + (month - 1) // 12, (month - 1) % 12 + 1
    return date(year, month, calendar.monthrange(year, month)[1])


def later_month(said: date, months: int) -> date:
    """Return the same day some months later, or the last one of a shorter month."""
    end = month_end(said.year, said.month + months)
    return end.replace(day=min(said.day, end.day))


def coming_weekday(said: date, weekday: int) -> date:
    """Return the next such weekday after `said`, within seven days (0 is Monday)."""
    return said + timedelta(days=(weekday - said.weekday() - 1) % 7 + 1)


def weekday_of_week(said: date, weekday: int, weeks: int) -> date:
    """Return a weekday of the calendar week that lies `weeks` after the one of `said`."""
    return said + timedelta(days=weekday - said.weekday() + 7 * weeks)


def find(text: str, said: date, wordings: Sequence[Wording]) -> list[Spoken]:
    """Return the dates in a text that was said on `said`, in the order of the text; of two that overlap the longer."""
    found = []
    for wording in wordings:
        for match in wording.pattern.finditer(text):
            try:
                day = wording.read(match.groupdict(default=""), said)
            except (OverflowError, ValueError):  # beyond the years of the calendar
                continue
            if day:
                found.append(Spoken(match.start(), match.end(), day, wording.relative, wording.exact))
    return _without_overlaps(found)


def mark(text: str, dates: Sequence[Spoken]) -> str:
    """Return a text with `DATE` in place of each of its dates."""
    for spoken in reversed(dates):
        text = text[: spoken.start] + DATE + text[spoken.end :]
    return text


def _without_overlaps(found: list[Spoken]) -> list[Spoken]:
    kept: list[Spoken] = []
    for spoken in sorted(found, key=lambda item: (item.start - item.end, item.start)):
        if all(spoken.end <= other.start or spoken.start >= other.end for other in kept):
            kept.append(spoken)
    return sorted(kept, key=lambda item: item.start)
