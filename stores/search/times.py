"""The times that a question names, as windows of instants, by rules.

Read are dates in figures in any language, dates and months by name in English, German, French, Spanish, Italian,
Portuguese, Russian, Chinese and Japanese, and relative times ("last March", "3 weeks ago", 上个月) in English, Chinese
and Japanese. A month without a year means that month in every year that the space has turns of.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

Days = tuple[date, date]
"""First day, and the day behind the last."""
_Reader = Callable[[re.Match[str], date, range], Iterable[Days | None]]

_MONTHS = (
    "january|jan|januar|janvier|enero|gennaio|janeiro|январ[ьяе]",
    "february|feb|februar|février|fevrier|febrero|febbraio|fevereiro|феврал[ьяе]",
    "march|märz|mars|marzo|março|март[ае]?",
    "april|apr|avril|abril|aprile|апрел[ьяе]",
    "may|mai|mayo|maggio|maio|ма[йяе]",
    "june|jun|juni|juin|junio|giugno|junho|июн[ьяе]",
    "july|jul|juli|juillet|julio|luglio|julho|июл[ьяе]",
    "august|aug|août|aout|agosto|август[ае]?",
    "september|sept|sep|septembre|septiembre|settembre|setembro|сентябр[ьяе]",
    "october|oct|oktober|octobre|octubre|ottobre|outubro|октябр[ьяе]",
    "november|nov|novembre|noviembre|novembro|ноябр[ьяе]",
    "december|dec|dezember|décembre|decembre|diciembre|dicembre|dezembro|декабр[ьяе]",
)
_NAME = "|".join(_MONTHS)
_ALSO_NAMES = frozenset(("may", "march", "mars", "jan", "april", "june", "august", "mai", "augusto"))
"""Months that mean something else as well: they count with a preposition, a day or a year."""
_NUMBERS = {char: value for value, char in enumerate("一二三四五六七八九十", 1)}
_NUMBERS |= {"两": 2, "兩": 2, "十一": 11, "十二": 12}
_ENGLISH = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7}
_NUMBER = r"(\d{1,3}|十[一二]|[一二两兩三四五六七八九十])"
_UNIT = {"天": "day", "日": "day", "周": "week", "週": "week", "星期": "week", "月": "month", "年": "year"}
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


def windows(text: str, now: datetime, zone: ZoneInfo, years: range) -> tuple[tuple[float, float], ...]:
    """Return the times that `text` names at the instant `now`, by the calendar of `zone`.

    A time is its first second and the one behind its last, since 1970. `years` are those that a month without a year
    may belong to.
    """
    rest, today, found = text.casefold(), now.astimezone(zone).date(), dict[Days, None]()
    for pattern, read in _READERS:
        for match in pattern.finditer(rest):
            found |= dict.fromkeys(days for days in _calendar(read, match, today, years) if days)
        rest = pattern.sub(" ; ", rest)
    return tuple((_instant(start, zone), _instant(end, zone)) for start, end in found)


def _calendar(read: _Reader, match: re.Match[str], today: date, years: range) -> list[Days | None]:
    """Read one expression; what the calendar does not have (30 February, a thousand years ago) names no time."""
    try:
        return list(read(match, today, years))
    except (ValueError, OverflowError):
        return []


def _instant(day: date, zone: ZoneInfo) -> float:
    return datetime.combine(day, time(), zone).astimezone(UTC).timestamp()


def _number(text: str) -> int:
    return int(text) if text.isdecimal() else _NUMBERS.get(text) or _ENGLISH[text]


def _day(year: int, month: int, day: int) -> Days:
    return date(year, month, day), date(year, month, day) + timedelta(days=1)


def _month(year: int, month: int) -> Days:
    year, month = year + (month - 1) // 12, (month - 1) % 12 + 1
    return date(year, month, 1), date(year + month // 12, month % 12 + 1, 1)


def _year(year: int) -> Days:
    return date(year, 1, 1), date(year + 1, 1, 1)


def _back(today: date, unit: str, count: int) -> Days:
    """Return the day, week, month or year that lies `count` before the one of `today`."""
    if unit == "day":
        return today - timedelta(days=count), today - timedelta(days=count - 1)
    if unit == "week":
        monday = today - timedelta(days=today.weekday() + 7 * count)
        return monday, monday + timedelta(days=7)
    return _month(today.year, today.month - count) if unit == "month" else _year(today.year - count)


def _figures(match: re.Match[str], _today: date, _years: range) -> Iterable[Days]:
    year, month, day = (int(part) if part else None for part in match.groups())
    if year and month:
        yield _day(year, month, day) if day else _month(year, month)


def _in_years(month: int, day: int | None, years: Iterable[int]) -> Iterable[Days]:
    for year in years:
        with suppress(ValueError):
            yield _day(year, month, day) if day else _month(year, month)


def _named(match: re.Match[str], today: date, years: range) -> Iterable[Days]:
    which, before, name, behind, year = match.groups()
    month = next(number for number, names in enumerate(_MONTHS, 1) if re.fullmatch(names, name))
    day = int(before or behind) if before or behind else None
    if name in _ALSO_NAMES and not (which or day or year):
        return ()
    if year:
        return _in_years(month, day, [int(year)])
    if which in ("last", "this", "next"):
        passed = {"last": month >= today.month, "this": False, "next": month <= today.month}[which]
        return _in_years(month, day, [today.year + {"last": -1, "this": 0, "next": 1}[which] * passed])
    return _in_years(month, day, years)


def _chinese(match: re.Match[str], today: date, years: range) -> Iterable[Days]:
    year, relative, month, day = match.groups()
    which: Iterable[int] = [int(year)] if year else years
    if relative:
        which = [today.year - {"前": 2, "去": 1, "昨": 1, "今": 0}[relative[0]]]
    if month:
        return _in_years(_number(month), _number(day) if day else None, which)
    return [_year(one) for one in which] if year or relative else ()


def _ago(match: re.Match[str], today: date, _years: range) -> Iterable[Days]:
    yield _back(today, match[2], _number(match[1]))


def _chinese_ago(match: re.Match[str], today: date, _years: range) -> Iterable[Days]:
    yield _back(today, _UNIT[match[2]], _number(match[1]))


def _relative(match: re.Match[str], today: date, _years: range) -> Iterable[Days]:
    yield _back(today, match[2], {"last": 1, "past": 1, "previous": 1, "this": 0, "next": -1}[match[1]])


def _weekday(match: re.Match[str], today: date, _years: range) -> Iterable[Days]:
    behind = (today.weekday() - _WEEKDAYS.index(match[1]) - 1) % 7 + 1
    yield _back(today, "day", behind)


def _fixed(unit: str, count: int) -> _Reader:
    return lambda _match, today, _years: [_back(today, unit, count)]


_CHINESE_YEAR = r"(?:(\d{4})年|(前年|去年|昨年|今年)の?)"
_CHINESE_MONTH = _NUMBER + r"月(?:" + _NUMBER.replace("{1,3}", "{1,2}") + "[日号號])?"
_READERS: tuple[tuple[re.Pattern[str], _Reader], ...] = (
    (re.compile(r"(?<!\d)(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)"), _figures),
    (re.compile(r"(?<!\d)(\d{4})[-/](\d{1,2})()(?![\d/-])"), _figures),
    (re.compile(_NUMBER + r"\s*[个個かヶ]?(天|日|周|週|星期|月|年)(?:間|间)?[前]"), _chinese_ago),
    (re.compile(rf"{_CHINESE_YEAR}?(?<![上下这這个個])(?:{_CHINESE_MONTH})"), _chinese),
    (re.compile(rf"{_CHINESE_YEAR}()()"), _chinese),
    (re.compile("昨天|昨日"), _fixed("day", 1)),
    (re.compile("前天|一昨日|おととい"), _fixed("day", 2)),
    (re.compile("今天|今日"), _fixed("day", 0)),
    (re.compile("上个?(?:周|星期|礼拜)|先週"), _fixed("week", 1)),
    (re.compile("[这這本]个?(?:周|星期)|今週"), _fixed("week", 0)),
    (re.compile("上个?月|先月"), _fixed("month", 1)),
    (re.compile("[这這本]个?月|今月"), _fixed("month", 0)),
    (
        re.compile(
            rf"(?:\b(last|this|next|in|im|en|em|в|since|of|during|early|late|mid|until|by)\s+)?"
            rf"(?:\b(\d{{1,2}})(?:st|nd|rd|th|er|\.|º)?\s+(?:of\s+|de\s+)?)?\b({_NAME})\b\.?"
            rf"(?:\s+(\d{{1,2}})(?:st|nd|rd|th)?\b)?(?:,?\s+(?:of\s+|de\s+)?(\d{{4}})\b)?"
        ),
        _named,
    ),
    (re.compile(rf"\b(\d{{1,3}}|{'|'.join(_ENGLISH)})\s+(day|week|month|year)s?\s+ago\b"), _ago),
    (re.compile(r"\b(last|past|previous|this|next)\s+(week|month|year)\b"), _relative),
    (re.compile(rf"\b(?:last|on)\s+({'|'.join(_WEEKDAYS)})\b"), _weekday),
    (re.compile(r"\byesterday\b"), _fixed("day", 1)),
    (re.compile(r"\btoday\b"), _fixed("day", 0)),
    (re.compile(r"(?<![\d-])((?:19|20)\d{2})(?![\d-])"), lambda match, _today, _years: [_year(int(match[1]))]),
)
