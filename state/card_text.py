"""Reading a card line by line, also one that a person broke by hand: nothing is dropped, nothing is guessed."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Any

from previously.state.card_model import NO_PARAGRAPH, SELF_MODEL, STAMP, TITLE, UNREAD, Card, Entry
from previously.state.context import DEFAULT_AGENT, clean_text
from previously.state.ref import Ref, parse_refs, valid_slice_id

_HEADER = re.compile(r"_Active slice: (\S*) \| " + re.escape(STAMP) + r" \| Updated: (\S+)_")
BULLET = re.compile(r"[-*+•]\s+(?=\S)")
_LABELLED = re.compile(r"([^:：]*[^:：\s])\s*[:：]\s*(\S.*)", re.DOTALL)
_PATTERNS = {
    "refs": re.compile(r"\s—\s*refs:\s*(\[[^\[\]]*\](?:\s*,\s*\[[^\[\]]*\])*)\Z"),
    "since": re.compile(r"\s\|\s*since:\s*(\d{4}-\d{2}-\d{2})\Z", re.ASCII),
    "by": re.compile(r"\s—\s*by:\s*(\d{4}-\d{2}-\d{2})\Z", re.ASCII),
}
_TAILS = {"Past": ("refs",), "Now": ("since", "refs"), "Horizon": ("refs", "by"), SELF_MODEL: ("refs",)}
_NEVER = datetime.fromtimestamp(0, UTC)


@dataclass
class CardReader:
    """Collects the lines of a card, section by section."""

    heading: str | None = None
    """The section that is being read; `None` before the first."""
    agent: str = DEFAULT_AGENT
    """Whose Self-model is being read."""
    header: tuple[str, datetime | None] | None = None
    identity: list[tuple[str, str]] = field(default_factory=list)
    profile: list[str] = field(default_factory=list)
    entries: dict[str, list[Entry]] = field(default_factory=lambda: {name: [] for name in _TAILS if name != SELF_MODEL})
    lessons: dict[str, list[Entry]] = field(default_factory=dict)
    unread: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def read(self, text: str) -> Card:
        """Return the card that a text is; `problems` then says what a person should look at."""
        for line in text.split("\n"):
            self._read(line.strip())
        if self.header is None:
            self.problems.insert(0, "the header line is missing or broken")
        slice_id, updated = self.header or ("", None)
        return Card(
            slice_id=slice_id,
            updated=updated,
            identity=tuple(self.identity),
            profile="\n".join(self.profile),
            anchors=tuple(self.entries["Past"]),
            now=tuple(self.entries["Now"]),
            horizon=tuple(self.entries["Horizon"]),
            self_models={agent: tuple(lessons) for agent, lessons in self.lessons.items()},
            unread=tuple(self.unread),
        )

    def _read(self, line: str) -> None:
        if not line or line == TITLE:
            return
        if line.startswith("## "):
            self._enter(line[3:].strip(), line)
        elif self.heading is None and self.header is None and (found := _HEADER.fullmatch(line)):
            self.header = _header(found)
        elif self.heading == UNREAD:
            self.unread.append(line.removeprefix(">").strip() or line)
        elif not self._placed(line):
            self.problems.append(f"not understood: {line[:80]}")
            self.unread.append(line)

    def _enter(self, heading: str, line: str) -> None:
        self.heading, self.agent = heading, DEFAULT_AGENT
        if agent := _agent(heading):
            self.heading, self.agent = SELF_MODEL, agent
        elif heading not in {"Identity", *_TAILS, UNREAD}:
            self.problems.append(f"unknown section: {heading[:80]}")
            self.unread.append(line)

    def _placed(self, line: str) -> bool:
        """Put a line where its section wants it; False when it has no place there."""
        bullet = BULLET.match(line)
        if bullet and self.heading == "Identity":
            pair = read_identity(line[bullet.end() :])
            self.identity += [pair] if pair else []
            return pair is not None
        if bullet and self.heading in _TAILS:
            entry, problems = read_entry(line[bullet.end() :], self.heading)
            self.problems += problems
            section = self.entries.get(self.heading)
            (self.lessons.setdefault(self.agent, []) if section is None else section).append(entry)
            return True
        if self.heading == "Past" and not NO_PARAGRAPH.match(line):
            self.profile.append(line)
            return True
        return False


def read_identity(text: str) -> tuple[str, str] | None:
    """Return label and value of a line of Identity, `None` when it has no such form."""
    found = _LABELLED.fullmatch(text)
    return (found[1].strip(), found[2].strip()) if found else None


def read_entry(text: str, section: str) -> tuple[Entry, list[str]]:
    """Read the content of a bullet: the tails that its section has, in whatever order, and what is wrong with them."""
    text, problems, values = text.strip(), list[str](), dict[str, Any]()
    left = list(_TAILS[section])
    while found := next(((name, match) for name in left if (match := _PATTERNS[name].search(text))), None):
        name, match = found
        left.remove(name)
        if value := _read_tail(name, match[1], problems):
            values[name] = value
            text = text[: match.start()].rstrip()
    return Entry(text=text, **values), problems


def _read_tail(name: str, text: str, problems: list[str]) -> tuple[Ref, ...] | date | None:
    try:
        if name == "refs":
            return parse_refs(text)
        return date.fromisoformat(text)
    except ValueError as error:
        problems.append(str(error))
        return None


def _agent(heading: str) -> str | None:
    """Return the agent whose Self-model the heading names, when it names one."""
    name = heading.removeprefix(f"{SELF_MODEL} — ").strip()
    if name == heading:
        return None
    try:
        return clean_text(json.loads(f'"{name}"')).strip() or None
    except ValueError:
        return name or None


def _header(found: re.Match[str]) -> tuple[str, datetime | None]:
    slice_id = found[1] if valid_slice_id(found[1]) else ""
    try:
        updated = datetime.fromisoformat(found[2])
        return slice_id, updated.astimezone(UTC) if updated.tzinfo and updated > _NEVER else None
    except (ValueError, OverflowError):
        return slice_id, None
