"""Reading a card from text: the current format, older ones, and files that a person broke by hand."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Any

from previously.state.card import (
    BY_TAIL,
    REFS_TAIL,
    SECTIONS,
    SINCE_TAIL,
    STAMP,
    TITLE,
    UNREAD,
    Card,
    Entry,
)
from previously.state.card_legacy import migrate
from previously.state.context import DEFAULT_AGENT
from previously.state.ref import Ref, valid_slice_id

_HEADER = re.compile(r"_Active slice: (\S*) \| " + re.escape(STAMP) + r" \| Updated: (\S+)_")
_PATTERNS = {
    "refs": re.compile(re.escape(REFS_TAIL) + r"(\[[^\[\]]*\](?:, \[[^\[\]]*\])*)\Z"),
    "since": re.compile(re.escape(SINCE_TAIL) + r"(\d{4}-\d{2}-\d{2})\Z", re.ASCII),
    "by": re.compile(re.escape(BY_TAIL) + r"(\d{4}-\d{2}-\d{2})\Z", re.ASCII),
}
_TAILS = {"Past": ("refs",), "Now": ("since", "refs"), "Horizon": ("refs", "by"), "Self-model": ("refs",)}
"""Tails of each section's lines, from the end of the line."""
_AGENT = "Self-model of "
_NEVER = datetime.fromtimestamp(0, UTC)


@dataclass(frozen=True, kw_only=True, slots=True)
class ParsedCard:
    """A text read as a card, as far as that goes."""

    card: Card
    problems: tuple[str, ...] = ()
    """What a person should look at, one sentence each."""
    legacy: bool = False
    """Whether the text is of an older format, read by `card_legacy`."""
    leftover: tuple[str, ...] = ()
    """What an older format held and no section has a place for."""


def parse_card(text: str) -> ParsedCard:
    """Read a text as a card. Never raises: what is not understood is reported, and kept.

    A text without the stamp of this format is of an older one and is migrated mechanically; an empty text is an empty card.
    """
    if not text.strip():
        return ParsedCard(card=Card())
    if STAMP not in text:
        card, leftover = migrate(text)
        return ParsedCard(card=card, legacy=True, leftover=tuple(leftover))
    reader = _Reader()
    for line in text.split("\n"):
        reader.read(line.strip())
    return ParsedCard(card=reader.card(), problems=tuple(reader.problems))


@dataclass
class _Reader:
    """Collects the lines of a card, section by section."""

    heading: str | None = None
    """Heading of the section that is being read; `None` before the first."""
    header: tuple[str, datetime | None] | None = None
    identity: list[tuple[str, str]] = field(default_factory=list)
    profile: list[str] = field(default_factory=list)
    entries: dict[str, list[Entry]] = field(default_factory=dict)
    unread: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def read(self, line: str) -> None:
        """Take in one line, trimmed."""
        if not line or line == TITLE:
            return
        if line.startswith("## "):
            self._enter(line[3:].strip(), line)
        elif self.heading is None and self.header is None and (found := _HEADER.fullmatch(line)):
            self.header = _header(found)
        elif self.heading == UNREAD:
            self._keep(line.removeprefix(">").strip() or line)
        elif not self._placed(line):
            self.problems.append(f"not understood: {line[:80]}")
            self._keep(line)

    def _enter(self, heading: str, line: str) -> None:
        self.heading = heading
        if heading not in SECTIONS and heading != UNREAD and not _agent(heading):
            self.problems.append(f"unknown section: {heading[:80]}")
            self._keep(line)

    def _keep(self, line: str) -> None:
        self.unread.append(line)

    def _placed(self, line: str) -> bool:
        """Put a line where its section wants it; False when it has no place there."""
        bullet = line.startswith("- ")
        if self.heading == "Identity" and bullet:
            label, colon, value = line[2:].partition(": ")
            if colon and label.strip() and value.strip():
                self.identity.append((label.strip(), value.strip()))
            return bool(colon and label.strip() and value.strip())
        if self.heading == "Past" and not bullet and not line.startswith(("#", ">", "_")):
            self.profile.append(line)
            return True
        name = _agent(self.heading or "") or self.heading or ""
        if not bullet or (self.heading not in _TAILS and not _agent(self.heading or "")):
            return False
        entry, problems = read_entry(line[2:], self.heading if self.heading in _TAILS else "Self-model")
        self.problems += problems
        if entry.text:
            self.entries.setdefault(name, []).append(entry)
        return bool(entry.text)

    def card(self) -> Card:
        """Return what was read."""
        if self.header is None:
            self.problems.insert(0, "the header line is missing or broken")
        slice_id, updated = self.header or ("", None)
        lessons = {
            (DEFAULT_AGENT if name == "Self-model" else name.removeprefix(_AGENT)): tuple(entries)
            for name, entries in self.entries.items()
            if name == "Self-model" or name.startswith(_AGENT)
        }
        return Card(
            slice_id=slice_id,
            updated=updated,
            identity=tuple(self.identity),
            profile="\n".join(self.profile),
            anchors=tuple(self.entries.get("Past", ())),
            now=tuple(self.entries.get("Now", ())),
            horizon=tuple(self.entries.get("Horizon", ())),
            self_models=lessons,
            unread=tuple(self.unread),
        )


def _agent(heading: str) -> str | None:
    """Return the key of another agent's lessons, when the heading names one."""
    name = heading.removeprefix("Self-model — ").strip()
    return f"{_AGENT}{name}" if heading.startswith("Self-model — ") and name else None


def _header(found: re.Match[str]) -> tuple[str, datetime | None]:
    slice_id = found[1] if valid_slice_id(found[1]) else ""
    try:
        updated = datetime.fromisoformat(found[2])
    except ValueError:
        return slice_id, None
    return slice_id, updated.astimezone(UTC) if updated.tzinfo and updated > _NEVER else None


def read_entry(text: str, section: str) -> tuple[Entry, list[str]]:
    """Read the content of a bullet: the tails that its section has, from the end backwards, and what is wrong with them."""
    text, problems, values = text.strip(), list[str](), dict[str, Any]()
    for name in _TAILS[section]:
        found = _PATTERNS[name].search(text)
        value = _read_tail(name, found[1], problems) if found else None
        if found and value:
            values[name] = value
            text = text[: found.start()].rstrip()
    return Entry(text=text, **values), problems


def _read_tail(name: str, text: str, problems: list[str]) -> tuple[Ref, ...] | date | None:
    try:
        if name == "refs":
            return tuple(Ref.parse(part.strip("[]")) for part in text.split(", "))
        return date.fromisoformat(text)
    except ValueError as error:
        problems.append(str(error))
        return None
