"""The timeline: one line for each slice, newest month first; and the names of the topics that slices share."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from zoneinfo import ZoneInfo

from previously.state.slice import Slice
from previously.state.turn import Turn

_OPENING = 60
_BREAKING = re.compile(r"[\s\x00-\x1f\x7f\x85\u2028\u2029]+")
_MARKUP = re.compile(r"([\\`*_\[\]<>#])")


def normal_strand(name: str) -> str:
    """Return the one spelling of a topic: compatible characters, lower case, single spaces, no surrounding signs."""
    plain = unicodedata.normalize("NFKC", name).casefold()
    return _BREAKING.sub(" ", plain).strip(" \t#,.;:，。；：")


def fold_tags(known: Iterable[str], tags: Iterable[str]) -> list[str]:
    """Return tags as topic names, each once; one that differs from a known one by signs or spaces only is that one."""
    by_key = {_key(name): name for name in known}
    names = (normal_strand(tag) for tag in tags)
    return list(dict.fromkeys(by_key.get(_key(name), name) for name in names if name))


def _key(name: str) -> str:
    return "".join(char for char in normal_strand(name) if char.isalnum()) or name


def opening(turns: Sequence[Turn]) -> str:
    """Return the beginning of the first thing that the user said (else anybody), for a slice that nobody has marked."""
    first = next((turn.text for turn in [*filter(_by_user, turns), *turns]), "")
    line = _BREAKING.sub(" ", first).strip()
    return line if len(line) <= _OPENING else line[: _OPENING - 1].rstrip() + "…"


def _by_user(turn: Turn) -> bool:
    return turn.role == "user"


def plain_mark(turns: Sequence[Turn], tags: Sequence[str]) -> tuple[str, str]:
    """Return focus and summary by rule, for a slice that a model was shown and left unmarked."""
    return opening(turns) or "…", f"{len(turns)} turns" + (f": {', '.join(tags)}" if tags else "")


def render_timeline(slices: Sequence[Slice], openings: Mapping[str, str]) -> str:
    """Return the timeline's text. `openings` has a line for slices without a focus, by slice id."""
    newest = sorted(slices, key=lambda item: item.slice_id, reverse=True)
    dry = sum(item.dry for item in newest)
    blocks = ["# Timeline", f"_Slices: {len(newest)} | unmarked: {dry}_"]
    for month, group in groupby(newest, key=lambda item: item.slice_id[:7]):
        blocks.append(f"## {month}")
        blocks.append("\n".join(pointer(item, openings.get(item.slice_id, "")) for item in group))
    return "\n\n".join(blocks) + "\n"


def pointer(item: Slice, opening: str = "") -> str:
    """Return the line that points to a slice: ref, what it was about, local times, turns, tone, topics.

    The line of an open slice says nothing that changes with its next turn.
    """
    zone = ZoneInfo(item.timezone)
    start, end = item.start.astimezone(zone), item.end.astimezone(zone)
    about = f"- **{item.ref}** {_plain(item.focus or opening)} · {start:%H:%M}"
    if item.status == "active":
        return f"{about} · open"
    until = f"{end:%H:%M}" if end.date() == start.date() else f"{end:%Y-%m-%d %H:%M}"
    parts = [f"{about}–{until}", f"{item.turn_count} turns", *filter(None, [item.tone, "unmarked" if item.dry else ""])]
    tags = f" [{', '.join(map(_plain, item.tags))}]" if item.tags else ""
    return " · ".join(parts) + tags


def _plain(text: str) -> str:
    """Return a text as one line without Markdown in it."""
    return _MARKUP.sub(r"\\\1", _BREAKING.sub(" ", text).strip())
