"""The direction: what is understood about the user as a person (the portrait), and guesses that are still unproven.

A value with parse and render. Its edits are in `direction_edits`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from previously.state.errors import InvalidInput
from previously.state.ref import Ref, parse_refs, refs_tail, valid_slice_id

DIMENSIONS = (
    "Traits & cognitive style",
    "Triggers & rhythms",
    "Patterns & loops",
    "Strengths & resilience",
    "Communication preferences",
    "Values & boundaries",
)
DIRECTION_LIMIT = 12_000
"""Characters of the whole document."""
HYPOTHESIS_CAP = 10
LINE_LIMIT = 300
"""Characters of an entry, a guess or a condition; without tails."""
HYPOTHESIS_LIFE = 4
"""Slices that may end after a guess was made until it is retired unproven."""

Mode = Literal["bootstrap", "migrate", "steady"]
_PORTRAIT, _HYPOTHESES, _UNREAD = "# Portrait", "# Hypotheses", "# Unrecognised"
_LEGACY = frozenset({"# Direction", "# Anti-goals", "# Evidence", "# Log"})
"""Headings of older formats: a text with one of them is read as evidence only."""
_PLACEHOLDER = re.compile(r"_\(.*\)_")
_REFS = re.compile(r"\s—\s*refs:\s*([\[\]\d/#,\s-]+)\Z")
_HYPOTHESIS = re.compile(
    r"\[proposed (?P<slice>[^\]\s]+)\]\s+(?P<text>\S.*?)\s+—\s*falsify if:\s*(?P<falsify>\S.*)", re.IGNORECASE
)
MARKER = re.compile(r"—\s*(?:refs|falsify if):|\[proposed\b|<!--|-->", re.IGNORECASE)
"""What the format itself uses, and no text may hold."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PortraitEntry:
    """One line of the portrait, with what it rests on."""

    text: str
    refs: tuple[Ref, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Hypothesis:
    """A guess about the person, and what would prove it wrong."""

    text: str
    falsify: str = ""
    proposed: str = ""
    """Id of the slice in which it was made; `""` in a line that a person wrote without one: it is never retired."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Direction:
    """The document. Values only: edits return a new one."""

    portrait: Mapping[str, tuple[PortraitEntry, ...]] = field(default_factory=dict)
    """Dimension → its lines."""
    hypotheses: tuple[Hypothesis, ...] = ()
    unread: tuple[str, ...] = ()
    """Lines of a hand-edited file that fit nowhere."""

    def entries(self) -> Iterator[tuple[str, PortraitEntry]]:
        """Yield every line of the portrait with its dimension, in the order of the document."""
        for dimension in DIMENSIONS:
            for entry in self.portrait.get(dimension, ()):
                yield dimension, entry

    def with_entries(self, dimension: str, entries: Iterable[PortraitEntry]) -> Direction:
        """Return the direction with other lines in one dimension."""
        lines = {**self.portrait, dimension: tuple(entries)}
        return replace(self, portrait={name: kept for name, kept in lines.items() if kept})

    @property
    def empty(self) -> bool:
        """Whether nothing is understood or guessed yet."""
        return not self.hypotheses and next(self.entries(), None) is None

    def problems(self) -> list[str]:
        """Return what makes this no valid direction, one sentence each."""
        found = [f"no refs: {entry.text[:60]}" for _, entry in self.entries() if not entry.refs]
        for guess in self.hypotheses:
            if not guess.falsify:
                found.append(f"no condition that would prove it wrong: {guess.text[:60]}")
            if not valid_slice_id(guess.proposed):
                found.append(f"not marked with the slice that it was proposed in: {guess.text[:60]}")
        if len(self.hypotheses) > HYPOTHESIS_CAP:
            found.append(f"{len(self.hypotheses)} hypotheses, at most {HYPOTHESIS_CAP}")
        texts = [entry.text for _, entry in self.entries()]
        texts += [text for guess in self.hypotheses for text in (guess.text, guess.falsify)]
        found += [
            f"{len(text)} characters, at most {LINE_LIMIT}: {text[:60]}" for text in texts if len(text) > LINE_LIMIT
        ]
        if (size := len(render_direction(self))) > DIRECTION_LIMIT:
            found.append(f"the direction has {size} characters, at most {DIRECTION_LIMIT}")
        return found + [f"not understood: {line[:60]}" for line in self.unread]


def render_direction(direction: Direction) -> str:
    """Return the text of a direction: all six dimensions, also those without a line."""
    blocks = [_PORTRAIT]
    for dimension in DIMENSIONS:
        lines = [entry_line(entry) for entry in direction.portrait.get(dimension, ())]
        blocks += [f"## {dimension}", *(["\n".join(lines)] if lines else [])]
    guesses = [hypothesis_line(guess) for guess in direction.hypotheses]
    blocks += [_HYPOTHESES, *(["\n".join(guesses)] if guesses else [])]
    if direction.unread:
        blocks += [_UNREAD, "\n".join(f"> {line}" for line in direction.unread)]
    return "\n\n".join(blocks) + "\n"


def render_portrait(direction: Direction) -> str:
    """Return the dimensions that have lines, without the document's own heading; `""` when none has."""
    filled = [(dimension, entries) for dimension in DIMENSIONS if (entries := direction.portrait.get(dimension))]
    return "\n\n".join("\n".join([f"## {dimension}", *map(entry_line, entries)]) for dimension, entries in filled)


def entry_line(entry: PortraitEntry) -> str:
    """Return the line of an entry of the portrait."""
    return f"- {entry.text}{refs_tail(entry.refs)}"


def hypothesis_line(guess: Hypothesis) -> str:
    """Return the line of a guess."""
    stamp = f"[proposed {guess.proposed}] " if guess.proposed else ""
    condition = f" — falsify if: {guess.falsify}" if guess.falsify else ""
    return f"- {stamp}{guess.text}{condition}"


@dataclass(frozen=True, kw_only=True, slots=True)
class ParsedDirection:
    """A text read as a direction, as far as that goes."""

    direction: Direction
    mode: Mode
    """`bootstrap` when the text says nothing yet, `migrate` when it is of an older format, else `steady`."""
    leftover: tuple[str, ...] = ()
    """The lines of an older format, which count as evidence only."""


def parse_direction(text: str) -> ParsedDirection:
    """Read a text as a direction. Never raises: what is not understood is kept in `Direction.unread`."""
    lines = [line.strip() for line in text.split("\n")]
    if not _LEGACY.isdisjoint(lines):
        told = tuple(line for line in lines if line and not line.startswith("#") and not _PLACEHOLDER.fullmatch(line))
        return ParsedDirection(direction=Direction(), mode="migrate", leftover=told)
    reader = _Reader()
    for line in lines:
        if line and not _PLACEHOLDER.fullmatch(line):
            reader.read(line)
    direction = reader.direction()
    written = not direction.empty or direction.unread
    return ParsedDirection(direction=direction, mode="steady" if written else "bootstrap")


@dataclass
class _Reader:
    section: str = ""
    dimension: str = ""
    portrait: dict[str, list[PortraitEntry]] = field(default_factory=dict)
    hypotheses: list[Hypothesis] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)

    def direction(self) -> Direction:
        portrait = {dimension: tuple(entries) for dimension, entries in self.portrait.items()}
        return Direction(portrait=portrait, hypotheses=tuple(self.hypotheses), unread=tuple(self.unread))

    def read(self, line: str) -> None:
        if line in {_PORTRAIT, _HYPOTHESES, _UNREAD}:
            self.section, self.dimension = line, ""
        elif self.section == _PORTRAIT and line.removeprefix("## ") in DIMENSIONS:
            self.dimension = line.removeprefix("## ")
        elif self.section == _UNREAD:
            self.unread.append(line.removeprefix(">").strip() or line)
        elif line.startswith("- ") and self.dimension:
            self.portrait.setdefault(self.dimension, []).append(_read_entry(line[2:].strip()))
        elif line.startswith("- ") and self.section == _HYPOTHESES:
            self.hypotheses.append(_read_hypothesis(line[2:].strip()))
        else:
            self.unread.append(line)


def _read_entry(text: str) -> PortraitEntry:
    if found := _REFS.search(text):
        try:
            return PortraitEntry(text=text[: found.start()].rstrip(), refs=parse_refs(found[1]))
        except InvalidInput:
            pass  # the tail stays part of the text, where a person sees it
    return PortraitEntry(text=text)


def _read_hypothesis(text: str) -> Hypothesis:
    found = _HYPOTHESIS.fullmatch(text)
    if found is None or not valid_slice_id(found["slice"]):
        return Hypothesis(text=text)
    return Hypothesis(text=found["text"], falsify=found["falsify"], proposed=found["slice"])


def retire(direction: Direction, ended: Iterable[str]) -> tuple[Direction, tuple[Hypothesis, ...]]:
    """Return the direction without the guesses whose time is up, and those guesses.

    `ended` are the ids of the slices that have ended. A guess that was made in a slice lives until four distinct
    slices with later ids have ended (evolution spec: lifecycle in code).
    """
    known = frozenset(ended)

    def over(guess: Hypothesis) -> bool:
        later = sum(slice_id > guess.proposed for slice_id in known)
        return bool(guess.proposed) and later >= HYPOTHESIS_LIFE

    gone = tuple(guess for guess in direction.hypotheses if over(guess))
    kept = tuple(guess for guess in direction.hypotheses if not over(guess))
    return replace(direction, hypotheses=kept), gone
