"""Dates as English speakers say them."""

from __future__ import annotations

import re
from datetime import date, timedelta

from previously.offline.dates import (
    Groups,
    Read,
    Spoken,
    Wording,
    coming,
    coming_weekday,
    day_of,
    find,
    later_month,
    month_end,
    weekday_of_week,
)

_MONTH_NAMES = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_DAY_NAMES = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_NUMBERS = {"a": 1, "an": 1, "one": 1, "a couple of": 2, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6,
            "seven": 7, "eight": 8, "nine": 9, "ten": 10}  # fmt: skip
_MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|"
    r"oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_WEEKDAY = r"(?P<weekday>mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?"
_FULL_WEEKDAY = rf"(?P<weekday>{'|'.join(_DAY_NAMES)})"
_COUNT = rf"(?P<count>\d{{1,3}}|{'|'.join(sorted(_NUMBERS, key=len, reverse=True))})"


def _month(groups: Groups) -> int:
    return next(n for n, name in enumerate(_MONTH_NAMES, 1) if name.startswith(groups["month"][:3]))


def _weekday(groups: Groups) -> int:
    return next(n for n, name in enumerate(_DAY_NAMES) if name.startswith(groups["weekday"][:3]))


def _month_day(groups: Groups, said: date) -> date | None:
    month, day = _month(groups), int(groups["day"])
    return day_of(int(groups["year"]), month, day) if groups.get("year") else coming(said, month, day)


def _month_only(groups: Groups, said: date) -> date | None:
    month = _month(groups)
    if groups.get("year"):
        return month_end(int(groups["year"]), month)
    return month_end(said.year + (month < said.month), month)


def _after(groups: Groups, said: date) -> date | None:
    count = int(groups["count"]) if groups["count"].isdecimal() else _NUMBERS[groups["count"]]
    if groups["unit"] == "month":
        return later_month(said, count)
    return said + timedelta(days=count * (7 if groups["unit"] == "week" else 1))


def _day_of_month(groups: Groups, said: date) -> date | None:
    day = int(groups["day"])
    months = ((said.year + (said.month + ahead - 1) // 12, (said.month + ahead - 1) % 12 + 1) for ahead in range(3))
    found = (day_of(year, month, day) for year, month in months)
    return next((item for item in found if item and item >= said), None)


def _end_of(groups: Groups, said: date) -> date | None:
    ahead = 1 if groups["which"] == "next" else 0
    if groups["unit"] == "week":
        return weekday_of_week(said, 6, ahead)
    return month_end(said.year + ahead, 12) if groups["unit"] == "year" else month_end(said.year, said.month + ahead)


_READERS: list[tuple[str, Read, bool, bool]] = [
    # pattern, reader, relative, exact
    (r"(?P<y>\d{4})-(?P<m>\d\d)-(?P<d>\d\d)", lambda g, _: day_of(int(g["y"]), int(g["m"]), int(g["d"])), False, True),
    (rf"{_MONTH} (?:the )?{_DAY}(?:,? {_YEAR})?(?! ?(?:%|am|pm|people|times))", _month_day, False, True),
    (rf"(?:the )?{_DAY}(?: of)? {_MONTH}(?:,? {_YEAR})?", _month_day, False, True),
    (rf"{_MONTH},? (?:of )?{_YEAR}", _month_only, False, False),
    (rf"(?:(?<=\bin )|(?<=\bby )|(?<=\bthis )|(?<=\bnext )){_MONTH}", _month_only, False, False),
    (r"(?<=\bin )(?P<year>(?:19|20)\d\d)", lambda g, _: date(int(g["year"]), 12, 31), False, False),
    (r"(?<=\bon )the (?P<day>\d{1,2})(?:st|nd|rd|th)", _day_of_month, False, True),
    (r"(?:the )?day after tomorrow", lambda _, said: said + timedelta(days=2), True, True),
    (r"tomorrow(?: (?:morning|afternoon|evening|night))?", lambda _, said: said + timedelta(days=1), True, True),
    (r"(?:later )?today|tonight|this (?:morning|afternoon|evening)", lambda _, said: said, True, True),
    (r"yesterday|last night", lambda _, said: said - timedelta(days=1), True, True),
    (rf"next {_WEEKDAY}", lambda g, said: weekday_of_week(said, _weekday(g), 1), True, True),
    (rf"last {_WEEKDAY}", lambda g, said: coming_weekday(said, _weekday(g)) - timedelta(days=7), True, True),
    (rf"(?:this |coming )?{_FULL_WEEKDAY}", lambda g, said: coming_weekday(said, _weekday(g)), True, True),
    (rf"{_FULL_WEEKDAY} (?:next week|after next)", lambda g, said: weekday_of_week(said, _weekday(g), 1), True, True),
    (r"this weekend|the weekend", lambda _, said: weekday_of_week(said, 6, 0), True, False),
    (r"next weekend", lambda _, said: weekday_of_week(said, 6, 1), True, False),
    (rf"in {_COUNT} (?P<unit>day|week|month)s?(?: time)?", _after, True, True),
    (rf"{_COUNT} (?P<unit>day|week|month)s? from (?:now|today)", _after, True, True),
    (r"(?:the )?end of (?P<which>the|this|next) (?P<unit>week|month|year)", _end_of, True, False),
    (r"(?P<which>this|next) (?P<unit>week|month|year)", _end_of, True, False),
]
_WORDINGS = [
    Wording(re.compile(rf"(?<![\w-])(?:{pattern})(?![\w-])"), read, relative, exact)
    for pattern, read, relative, exact in _READERS
]


def find_dates(text: str, said: date) -> list[Spoken]:
    """Return the dates in an English text that was said on `said`; dates without a year are taken as coming ones."""
    lowered = text.lower()
    # A letter that grows when lowered would shift the spans.
    return find(lowered, said, _WORDINGS) if len(lowered) == len(text) else []
