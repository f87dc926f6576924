"""Calendar arithmetic behind spoken dates. Weeks begin on Monday."""

from __future__ import annotations

import calendar
from dataclasses import dataclass
from datetime import date, timedelta


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


def drop_overlaps(found: list[Spoken]) -> list[Spoken]:
    """Return the dates in the order of the text; of two that overlap, the longer one."""
    kept: list[Spoken] = []
    for spoken in sorted(found, key=lambda item: (item.start - item.end, item.start)):
        if all(spoken.end <= other.start or spoken.start >= other.end for other in kept):
            kept.append(spoken)
    return sorted(kept, key=lambda item: item.start)
