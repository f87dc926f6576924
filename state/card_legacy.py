"""Cards of older formats, and notes in free prose: what they hold, put where it belongs today.

A migration is mechanical and loses nothing: what has no evidence or no room becomes leftover, which the Previously Agent
is shown at the next boundary, and the old text stays as a revision.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date

from previously.state.card import (
    ANCHOR_CAP,
    IDENTITY_CAP,
    LABELS,
    LINE_LIMIT,
    NOW_CAP,
    PROFILE_LIMIT,
    SELF_MODEL_CAP,
    Card,
    Entry,
    breaks_format,
)
from previously.state.context import DEFAULT_AGENT
from previously.state.errors import InvalidInput
from previously.state.ref import Ref

_HEADINGS = {
    "identity": ("identity", "user identity", "identity & background", "name"),
    "past": ("past", "facts", "anchors", "history", "key facts"),
    "now": ("now", "recent", "current state", "current context", "boundaries & sensitivities", "短期记忆"),
    "self_model": (
        "self-model", "agent strategies", "tool discipline", "reasoning & decomposition", "answer form",
        "recurring errors", "recall discipline", "corrections", "instructions",
    ),
}  # fmt: skip
"""Section of today → headings of older formats, lower-cased; every other heading is about the user: the profile."""
_SECTION_OF = {heading: section for section, headings in _HEADINGS.items() for heading in headings}
_REF = re.compile(r"\d{4}[/-]\d{2}[/-]\d{2}[/-]\d{4}")
_DAY = re.compile(r"\b(?:since|updated):\s*(\d{4}-\d{2}-\d{2})", re.ASCII)
_META = re.compile(r"\s*(?:—\s*)?(?:\|\s*)?\b(?:refs|confidence|updated|obs|expires|superseded_by|refuted_by|since):.*\Z")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_NOISE = re.compile(r"_(?:Active slice|Generated|Updated).*")


@dataclass
class _Item:
    section: str
    text: str
    meta: str = ""


@dataclass
class _Draft:
    identity: list[tuple[str, str]] = field(default_factory=list)
    profile: list[str] = field(default_factory=list)
    entries: dict[str, list[Entry]] = field(default_factory=lambda: {"past": [], "now": [], "self_model": []})
    leftover: list[str] = field(default_factory=list)


def migrate(text: str) -> tuple[Card, list[str]]:
    """Return the card that an older text becomes, and what of it has no place there."""
    draft = _Draft()
    for item in _items(text):
        _place(draft, item)
    card = Card(
        identity=tuple(draft.identity),
        profile=" ".join(draft.profile),
        anchors=tuple(draft.entries["past"]),
        now=tuple(draft.entries["now"]),
    )
    return card.with_self_model(DEFAULT_AGENT, draft.entries["self_model"]), draft.leftover


def _items(text: str) -> Iterator[_Item]:
    """Yield each bullet and each paragraph line with its section; an indented line continues the bullet above."""
    section, item = "profile", None
    for line in _COMMENT.sub("", text).split("\n"):
        bare = line.strip()
        if bare.startswith("#"):
            heading = bare.lstrip("#").strip().lower()
            section = _SECTION_OF.get(heading, "profile")
        elif item and line.startswith((" ", "\t")) and bare:
            item.meta += f" {bare}"
            continue
        elif bare and not _NOISE.match(bare):
            if item:
                yield item
            is_bullet = bare.startswith(("- ", "* "))
            paragraph = "profile" if section == "past" and not is_bullet else section
            item = _Item(paragraph, bare[2:].strip() if is_bullet else bare)
    if item:
        yield item


def _place(draft: _Draft, item: _Item) -> None:
    """Put an item into its section, or among the leftover when it has no evidence, no room or no form for it."""
    whole = f"{item.text} {item.meta}".strip()
    text = _META.sub("", item.text).strip()
    refs, day = _refs(whole), _day(whole)
    if item.section == "identity" and len(draft.identity) < IDENTITY_CAP and (line := _identity(text)):
        draft.identity.append(line)
    elif item.section in draft.entries and refs and _fits(draft, item.section, text):
        since = day if item.section == "now" else None
        draft.entries[item.section].append(Entry(text=text, refs=refs, since=since))
    elif item.section in {"identity", "profile"} and _joins(draft, text):
        draft.profile.append(text)
    else:
        draft.leftover.append(whole)


def _identity(text: str) -> tuple[str, str] | None:
    label, colon, value = text.partition(":")
    known = {name.lower(): name for name in LABELS.values()}
    found = known.get(label.strip().lower())
    return (found, value.strip()) if colon and found and value.strip() else None


def _fits(draft: _Draft, section: str, text: str) -> bool:
    cap = {"past": ANCHOR_CAP, "now": NOW_CAP, "self_model": SELF_MODEL_CAP}[section]
    return len(draft.entries[section]) < cap and len(text) <= LINE_LIMIT and breaks_format(text) is None


def _joins(draft: _Draft, text: str) -> bool:
    size = len(" ".join([*draft.profile, text]))
    return size <= PROFILE_LIMIT and breaks_format(text, paragraph=not draft.profile) is None


def _refs(text: str) -> tuple[Ref, ...]:
    found: dict[Ref, None] = {}
    for written in _REF.findall(text):
        try:
            found[Ref.parse(written)] = None
        except InvalidInput:
            continue
    return tuple(found)


def _day(text: str) -> date | None:
    found = _DAY.search(text)
    try:
        return date.fromisoformat(found[1]) if found else None
    except ValueError:
        return None
