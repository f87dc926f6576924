"""The card and the calendar: which lines are old or overdue, and the injected copy with relative times."""

from __future__ import annotations

import re
from datetime import date

from previously.state.card import Card, Entry

STALE_DAYS = 7
"""Age in days from which a Now line is flagged."""
_IN_DAYS = 14
"""Distances up to this many days are given in days, longer ones in weeks."""
_DATED = re.compile(r"(\| since|— by): (\d{4}-\d{2}-\d{2})", re.ASCII)

_WORDS = {
    "en": {
        "frame": " ({})",
        "today": "today", "yesterday": "yesterday", "tomorrow": "tomorrow",
        "ago_days": "{} days ago", "ago_weeks": "{} weeks ago", "from_days": "in {} days", "from_weeks": "in {} weeks",
        "due_today": "due today", "due_tomorrow": "due tomorrow",
        "left_days": "in {} days", "left_weeks": "in {} weeks",
        "late_day": "1 day overdue", "late_days": "{} days overdue", "late_weeks": "{} weeks overdue",
    },
    "zh": {
        "frame": "（{}）",
        "today": "今天", "yesterday": "昨天", "tomorrow": "明天",
        "ago_days": "{} 天前", "ago_weeks": "{} 周前", "from_days": "{} 天后", "from_weeks": "{} 周后",
        "due_today": "今天到期", "due_tomorrow": "明天到期", "left_days": "还剩 {} 天", "left_weeks": "还剩 {} 周",
        "late_day": "已逾期 1 天", "late_days": "已逾期 {} 天", "late_weeks": "已逾期 {} 周",
    },
}  # fmt: skip


def stale_now(card: Card, today: date) -> list[Entry]:
    """Return the Now lines that are a week old or more, and those whose start nobody knows."""
    return [entry for entry in card.now if entry.since is None or (today - entry.since).days >= STALE_DAYS]


def overdue(card: Card, today: date) -> list[Entry]:
    """Return the Horizon lines whose day has passed."""
    return [entry for entry in card.horizon if entry.by is not None and entry.by < today]


def annotate_card(text: str, anchor: date, language: str) -> str:
    """Return a card's text with a relative time behind every date, counted from the local day `anchor`."""
    words = _WORDS["zh" if language.lower().startswith("zh") else "en"]

    def add(found: re.Match[str]) -> str:
        try:
            days = (date.fromisoformat(found[2]) - anchor).days
        except ValueError:
            return found[0]
        phrase = _since(days, words) if found[1] == "| since" else _by(days, words)
        return found[0] + words["frame"].format(phrase)

    return _DATED.sub(add, text)


def _since(days: int, words: dict[str, str]) -> str:
    near = {0: "today", -1: "yesterday", 1: "tomorrow"}
    if days in near:
        return words[near[days]]
    return _distance(abs(days), words, "ago" if days < 0 else "from")


def _by(days: int, words: dict[str, str]) -> str:
    near = {0: "due_today", 1: "due_tomorrow", -1: "late_day"}
    if days in near:
        return words[near[days]]
    return _distance(abs(days), words, "late" if days < 0 else "left")


def _distance(days: int, words: dict[str, str], direction: str) -> str:
    if days <= _IN_DAYS:
        return words[f"{direction}_days"].format(days)
    return words[f"{direction}_weeks"].format(round(days / 7))
