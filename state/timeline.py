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
_BREAKING = re.compile(r"[\s\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]+")
"""White space, control characters, and the marks that make a line read in another order."""
_MARKUP = re.compile(r"([\\`*_\[\]<>#])")
_AROUND_NAMES = " ,.;:，。；："
_SIGNS_IN_NAMES = "+#"
"""What tells C, C++ and C# apart."""
_POINTER = re.compile(r"- \*\*(\d{4}/\d{2}/\d{2}/\d{4})\*\* ")
_UNMARKED = "_unmarked_"
"""Nobody's words can look like it: the underscores in them are escaped."""


def normal_strand(name: str) -> str:
    """Return the one spelling of a topic: compatible characters, lower case, single spaces, no surrounding signs."""
    plain = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    return _BREAKING.sub(" ", plain).lstrip(_AROUND_NAMES + "#").rstrip(_AROUND_NAMES)


def fold_tags(known: Iterable[str], tags: Iterable[str]) -> list[str]:
    """Return tags as topic names, each once; one that differs by punctuation or spaces only takes the earlier name."""
    by_key: dict[str, str] = {}
    for name in known:
        by_key.setdefault(_key(name), name)
    names = (normal_strand(tag) for tag in tags)
    return list(dict.fromkeys(by_key.setdefault(_key(name), name) for name in names if name))


def _key(name: str) -> str:
    """Return the letters (with what belongs to them), digits and telling signs of a name."""
    plain = normal_strand(name)
    return "".join(char for char in plain if unicodedata.category(char)[0] in "LMN" or char in _SIGNS_IN_NAMES) or plain


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


def render_timeline(slices: Iterable[Slice], openings: Mapping[str, str], before: str = "") -> str:
    """Return the timeline's text: the lines of `before`, an earlier one, with those of the given slices put in.

    `openings` has a line for slices without a focus, by slice id.
    """
    lines = {found[1]: line for line in before.split("\n") if (found := _POINTER.match(line))}
    lines |= {str(item.ref): pointer(item, openings.get(item.slice_id, "")) for item in slices}
    unmarked = sum(line.startswith(_UNMARKED, len(f"- **{ref}** ")) for ref, line in lines.items())
    blocks = ["# Timeline", f"_Slices: {len(lines)} | unmarked: {unmarked}_"]
    for month, refs in groupby(sorted(lines, reverse=True), key=lambda ref: ref[:7]):
        blocks += [f"## {month.replace('/', '-')}", "\n".join(lines[ref] for ref in refs)]
    return "\n\n".join(blocks) + "\n"


def pointer(item: Slice, opening: str = "") -> str:
    """Return the line that points to a slice: ref, whether it is unmarked, subject, local times, turns, tone, topics.

    The line of an open slice says nothing that changes with its next turn.
    """
    zone = ZoneInfo(item.timezone)
    start, end = item.start.astimezone(zone), item.end.astimezone(zone)
    flag = f"{_UNMARKED} " if item.dry else ""
    about = f"- **{item.ref}** {flag}{_plain(item.focus or opening)} · {start:%H:%M}"
    if item.status == "active":
        return f"{about} · open"
    until = f"{end:%H:%M}" if end.date() == start.date() else f"{end:%Y-%m-%d %H:%M}"
    parts = [f"{about}–{until}", f"{item.turn_count} turns", *filter(None, [item.tone])]
    tags = f" [{', '.join(map(_plain, item.tags))}]" if item.tags else ""
    return " · ".join(parts) + tags


def _plain(text: str) -> str:
    """Return a text as one line without Markdown in it."""
    return _MARKUP.sub(r"\\\1", _BREAKING.sub(" ", text).strip())
