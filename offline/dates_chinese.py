"""Dates as Chinese speakers say them."""

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

_DIGITS = {digit: value for value, digit in enumerate("零一二三四五六七八九")} | {"两": 2, "〇": 0}
_NUMBER = r"\d{1,3}|[一二两三四五六七八九十]{1,3}"
_WEEKDAY = r"(?:周|星期|礼拜)(?P<weekday>[一二三四五六日天])"
_FIXED = {
    "大后天": 3,
    "后天": 2,
    "明天": 1,
    "明早": 1,
    "明晚": 1,
    "今天": 0,
    "今晚": 0,
    "昨天": -1,
    "昨晚": -1,
    "前天": -2,
}
_YEARS = {"今年": 0, "明年": 1, "去年": -1}


def _number(text: str) -> int:
    """Return the value of `12`, `十二`, `二十一`; 0 for what is no number up to 99."""
    if text.isdecimal():
        return int(text)
    tens, ten, ones = text.partition("十")
    if not ten:
        return _DIGITS.get(text, 0)
    return _DIGITS.get(tens, 1) * 10 + _DIGITS.get(ones, 0)


def _weekday(groups: Groups) -> int:
    return "一二三四五六日".index(groups["weekday"].replace("天", "日"))


def _year(groups: Groups, said: date) -> int | None:
    year = groups.get("year", "")
    if year in _YEARS:
        return said.year + _YEARS[year]
    return int(year.rstrip("年")) if year else None


def _month_day(groups: Groups, said: date) -> date | None:
    month, day, year = _number(groups["month"]), _number(groups["day"]), _year(groups, said)
    return day_of(year, month, day) if year else coming(said, month, day)


def _month_only(groups: Groups, said: date) -> date | None:
    month, year = _number(groups["month"]), _year(groups, said)
    if day_of(said.year, month, 1) is None:
        return None
    end = month_end(year or said.year + (month < said.month), month)
    return end.replace(day=10) if groups.get("part") == "初" else end


def _after(groups: Groups, said: date) -> date | None:
    unit, count = groups["unit"], _number(groups["count"])
    if not count:
        return None
    return later_month(said, count) if unit == "个月" else said + timedelta(days=count * (1 if unit == "天" else 7))


def _day_of_month(groups: Groups, said: date) -> date | None:
    day = _number(groups["day"])
    later = month_end(said.year, said.month + 1)
    found = (day_of(said.year, said.month, day), day_of(later.year, later.month, day))
    return next((item for item in found if item and item >= said), None)


def _this_month(_groups: Groups, said: date) -> date | None:
    return month_end(said.year, said.month)


def _numeric(groups: Groups, _said: date) -> date | None:
    return day_of(int(groups["y"]), int(groups["m"]), int(groups["d"]))


_NO_DIGIT = r"(?![\d一二三四五六七八九十])"
_YEAR = r"(?P<year>(?:19|20)\d\d年|今年|明年|去年)"
_READERS: list[tuple[str, Read, bool, bool]] = [
    # pattern, reader, relative, exact
    (r"(?P<y>\d{4})[-/.](?P<m>\d\d?)[-/.](?P<d>\d\d?)(?!\d)", _numeric, False, True),
    (rf"{_YEAR}?(?P<month>{_NUMBER})月(?P<day>{_NUMBER})[日号]?", _month_day, False, True),
    (rf"{_YEAR}?(?P<month>{_NUMBER})月份?(?P<part>[底末初])?{_NO_DIGIT}", _month_only, False, False),
    (rf"(?<![月\d])(?P<day>{_NUMBER})号", _day_of_month, False, True),
    ("|".join(_FIXED), lambda g, said: said + timedelta(days=_FIXED[g["whole"]]), True, True),
    (rf"(?<!下)下个?{_WEEKDAY}", lambda g, said: weekday_of_week(said, _weekday(g), 1), True, True),
    (rf"(?<!上)上个?{_WEEKDAY}", lambda g, said: weekday_of_week(said, _weekday(g), -1), True, True),
    (rf"[这本]个?{_WEEKDAY}", lambda g, said: weekday_of_week(said, _weekday(g), 0), True, True),
    (rf"(?<![每下上这本个]){_WEEKDAY}", lambda g, said: coming_weekday(said, _weekday(g)), True, True),
    (rf"(?P<count>{_NUMBER})(?P<unit>天|周|个星期|个礼拜|个月)(?:之后|以后|后)", _after, True, True),
    (r"[这本]?个?周末", lambda _, said: weekday_of_week(said, 6, 0), True, False),
    (r"下个?周末", lambda _, said: weekday_of_week(said, 6, 1), True, False),
    (r"下(?:周|个?星期|个?礼拜)(?![一二三四五六日天末])", lambda _, said: weekday_of_week(said, 6, 1), True, False),
    (r"[这本](?:周|个?星期|个?礼拜)(?![一二三四五六日天末])", lambda _, said: weekday_of_week(said, 6, 0), True, False),
    (r"下个?月[底末]?", lambda _, said: month_end(said.year, said.month + 1), True, False),
    (r"(?<![\d一二三四五六七八九十下上个])(?:[这本]个?)?月[底末]|[这本]个?月", _this_month, True, False),
    (r"(?<!明)年底|今年", lambda _, said: date(said.year, 12, 31), True, False),
    (r"明年底?", lambda _, said: date(said.year + 1, 12, 31), True, False),
    (r"(?P<year>(?:19|20)\d\d)年", lambda g, _: date(int(g["year"]), 12, 31), False, False),
]  # fmt: skip
_WORDINGS = [
    Wording(re.compile(f"(?P<whole>{pattern})"), read, relative, exact) for pattern, read, relative, exact in _READERS
]


def find_dates(text: str, said: date) -> list[Spoken]:
    """Return the dates in a Chinese text that was said on `said`; dates without a year are taken as coming ones."""
    return find(text, said, _WORDINGS)
