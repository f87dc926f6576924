"""Cards of older formats, and notes in free prose: what they hold, put where it belongs today.

A migration is mechanical and loses nothing. A line with refs goes to its section. One without can't be proven, so it
joins the profile, which is prose; a rule of behaviour without them can't stand at all. What finds no place becomes
leftover: the Previously Agent is shown it, and the old text stays as a revision.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from previously.state.card_model import (
    ANCHOR_CAP,
    CARD_LIMIT,
    HORIZON_LIMIT,
    IDENTITY_CAP,
    IDENTITY_LIMIT,
    LABELS,
    LINE_LIMIT,
    NOW_CAP,
    PROFILE_LIMIT,
    SELF_MODEL_CAP,
    Card,
    Entry,
    breaks_format,
    render_card,
)
from previously.state.card_text import BULLET, read_identity
from previously.state.context import DEFAULT_AGENT
from previously.state.errors import InvalidInput
from previously.state.ref import Ref

_HEADINGS = {
    "identity": ("identity", "user identity", "identity & background", "name", "身份", "用户身份"),
    "anchors": ("past", "facts", "anchors", "history", "key facts", "事实"),
    "now": ("now", "recent", "current state", "current context", "boundaries & sensitivities", "短期记忆"),
    "horizon": ("horizon", "commitments", "open loops", "plans", "计划", "待办"),
    "self_model": (
        "self-model", "agent strategies", "tool discipline", "reasoning & decomposition", "answer form",
        "recurring errors", "recall discipline", "corrections", "instructions",
    ),
}  # fmt: skip
"""Section of today → headings of older formats, lower-cased; every other heading is about the user: the profile."""
_SECTION_OF = {heading: section for section, headings in _HEADINGS.items() for heading in headings}
_LABELS = {name.casefold(): name for name in LABELS.values()} | {
    "名字": "Name", "姓名": "Name", "称呼": "Address them as", "代词": "Pronouns", "别名": "Alias",
}  # fmt: skip
_ROOM = {
    "anchors": (ANCHOR_CAP, LINE_LIMIT),
    "now": (NOW_CAP, LINE_LIMIT),
    "horizon": (20, HORIZON_LIMIT),
    "self_model": (SELF_MODEL_CAP, LINE_LIMIT),
}
_REF = re.compile(r"\d{4}[/-]\d{2}[/-]\d{2}[/-]\d{4}(?:#[1-9]\d{0,8})?", re.ASCII)
_TAIL = re.compile(r"\s*[—|]\s*(?:refs|by|since|confidence|updated|obs|expires|superseded_by|refuted_by):.*\Z")
_META = re.compile(r"(?:[-*]\s+)?(?:refs|confidence|updated|obs|expires|superseded_by|refuted_by|since):")
_DAY = r"\b(?:{}):\s*(\d{{4}}-\d{{2}}-\d{{2}})"
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_STAMPS = re.compile(r"_(?:Active slice|Generated|Updated).*")


@dataclass
class _Item:
    section: str
    text: str
    meta: str = ""


def migrate(text: str) -> tuple[Card, list[str]]:
    """Return the card that an older text becomes, and what of it has no place there."""
    card, leftover = Card(), list[str]()
    for item in _items(text):
        placed = _placed(card, item)
        if placed and len(render_card(placed, DEFAULT_AGENT)) <= CARD_LIMIT:
            card = placed
        else:
            leftover.append(item.text + item.meta)
    return card, leftover


def _items(text: str) -> Iterator[_Item]:
    """Yield each bullet and each paragraph with its section; an indented line of metadata belongs to the one above."""
    section, item, open_paragraph = "profile", None, False
    for line in _COMMENT.sub("", text).split("\n"):
        bare, bullet = line.strip(), BULLET.match(line.strip())
        if bare.startswith("#"):
            section, open_paragraph = _SECTION_OF.get(bare.strip("# ").lower(), "profile"), False
        elif item and line[:1].isspace() and _META.match(bare):
            item.meta += f" {bare}"
        elif item and open_paragraph and bare and not bullet:
            item.text += f" {bare}"
        elif bare and not _STAMPS.match(bare):
            if item:
                yield item
            open_paragraph = not bullet and section != "identity"
            prose = section == "anchors" and not bullet
            item = _Item("profile" if prose else section, bare[bullet.end() :] if bullet else bare)
        else:
            open_paragraph = False
    if item:
        yield item


def _placed(card: Card, item: _Item) -> Card | None:
    """Return the card with an item in its section, else in the profile; `None` when it fits neither."""
    found = _TAIL.search(item.text)
    text = item.text[: found.start() if found else None].replace("**", "").strip()
    about = f"{found[0] if found else ''} {item.meta}"
    if item.section == "identity" and (line := _identity(card, text)):
        return replace(card, identity=(*card.identity, line))
    if item.section in _ROOM and (entry := _entry(item.section, text, about)):
        cap, limit = _ROOM[item.section]
        lines = (*_lines(card, item.section), entry)
        if len(lines) <= cap and len(text) <= limit:
            if item.section == "self_model":
                return card.with_self_model(DEFAULT_AGENT, lines)
            changes: dict[str, Any] = {item.section: lines}
            return replace(card, **changes)
    return None if item.section == "self_model" else _joined(card, text, _day(about, "by"))


def _lines(card: Card, section: str) -> tuple[Entry, ...]:
    return card.self_model(DEFAULT_AGENT) if section == "self_model" else getattr(card, section)


def _identity(card: Card, text: str) -> tuple[str, str] | None:
    pair = read_identity(text)
    if pair is None or len(card.identity) >= IDENTITY_CAP or len(pair[1]) > IDENTITY_LIMIT:
        return None
    label = _LABELS.get(pair[0].casefold(), pair[0])
    return None if breaks_format(label) or breaks_format(pair[1]) else (label, pair[1])


def _entry(section: str, text: str, about: str) -> Entry | None:
    """Return a line that can stand in its section: with refs, on Horizon with a due date, in a readable form."""
    refs, by = _refs(about), _day(about, "by")
    if not refs or breaks_format(text) or (section == "horizon" and by is None):
        return None
    since = _day(about, "since|updated") if section == "now" else None
    return Entry(text=text, refs=refs, since=since, by=by if section == "horizon" else None)


def _joined(card: Card, text: str, by: date | None) -> Card | None:
    """Return the card with a sentence more in its profile; `None` when it does not fit."""
    sentence = f"{text} (by {by})" if by else text
    stop = "" if not card.profile or card.profile[-1] in ".!?…。！？" else "."
    profile = f"{card.profile}{stop} {sentence}".strip()
    if len(profile) > PROFILE_LIMIT or breaks_format(sentence) or breaks_format(profile, paragraph=True):
        return None
    return replace(card, profile=profile)


def _refs(text: str) -> tuple[Ref, ...]:
    found: dict[Ref, None] = {}
    for written in _REF.findall(text):
        try:
            found[Ref.parse(written)] = None
        except InvalidInput:
            continue
    return tuple(found)


def _day(text: str, names: str) -> date | None:
    found = re.search(_DAY.format(names), text, re.ASCII)
    try:
        return date.fromisoformat(found[1]) if found else None
    except ValueError:
        return None
