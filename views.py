"""What memory shows to people: the card, its changes and the timeline, as text and as HTML in notebooks.

The HTML brings its own style, takes its text colour from the page (light or dark) and holds no text unescaped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from html import escape
from itertools import groupby
from typing import Any, Self
from zoneinfo import ZoneInfo

from previously.state.card import Card, parse_card, render_card
from previously.state.card_diff import line_diff
from previously.state.card_evidence import Evidence, trace
from previously.state.commit import Document
from previously.state.context import DEFAULT_AGENT
from previously.state.ref import Ref
from previously.state.slice import Slice
from previously.state.timeline import render_timeline

_BOX = "border:1px solid rgba(128,128,128,.4);border-radius:6px;padding:.6em 1em;margin:.4em 0;max-width:60em"
_FAINT = "opacity:.65;font-size:85%"
_CELL = "text-align:left;padding:.15em .8em .15em 0"
_SIDES = {
    "+": "background:rgba(46,160,67,.18);border-left:3px solid #2ea043",
    "-": "background:rgba(218,54,51,.18);border-left:3px solid #da3633",
}
_PLAIN_SIDE = "border-left:3px solid transparent"
_BULLET = re.compile(r"^([+-]) - ")
NOTHING_YET = "(nothing is known yet)"


@dataclass(frozen=True, kw_only=True)
class Diff:
    """Lines that went (`- …`) and lines that came (`+ …`)."""

    lines: tuple[str, ...]

    @classmethod
    def between(cls, before: str, after: str) -> Self:
        """Return what changed between two texts of a card, at most 12 lines a side."""
        return cls.of(line_diff(before, after))

    @classmethod
    def of(cls, lines: Iterable[str]) -> Self:
        """Return the lines of an account's `diff`, without the bullets of the card's own lists."""
        return cls(lines=tuple(_BULLET.sub(r"\1 ", line) for line in lines))

    @property
    def text(self) -> str:
        """The lines as one text."""
        return "\n".join(self.lines)

    def __str__(self) -> str:
        """Return the text."""
        return self.text

    def _repr_html_(self) -> str:
        rows = "".join(
            f'<div style="padding:0 .5em;white-space:pre-wrap;{_SIDES.get(line[:1], _PLAIN_SIDE)}">{escape(line)}</div>'
            for line in self.lines
        )
        return f'<div style="font-family:monospace;margin:.3em 0">{rows}</div>'


@dataclass(frozen=True, kw_only=True)
class CardView:
    """The card as one agent sees it."""

    document: Document | None
    """The stored revision; `None` while nothing is known."""
    agent: str = DEFAULT_AGENT
    history: tuple[Document, ...] = ()
    """All revisions up to that one, oldest first: where the evidence of lines without refs is found."""

    @property
    def card(self) -> Card:
        """The card as values."""
        return parse_card(self.document.text if self.document else "").card

    @property
    def revision(self) -> int:
        """Number of the stored revision, 0 while there is none."""
        return self.document.revision if self.document else 0

    @property
    def text(self) -> str:
        """The card's Markdown, `""` while there is none."""
        return render_card(self.card, self.agent) if self.document else ""

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """For each line the refs that prove it and the edit that wrote it."""
        return trace(self.history or tuple(filter(None, [self.document])), self.agent)

    def __str__(self) -> str:
        """Return the Markdown, or a word that there is no card yet."""
        return self.text or NOTHING_YET

    def _repr_html_(self) -> str:
        if self.document is None:
            return f'<div style="{_BOX}"><i>{NOTHING_YET}</i></div>'
        card = self.card
        updated = f"{card.updated:%Y-%m-%d %H:%M} UTC" if card.updated else ""
        head = f"revision {self.revision} · slice {card.slice_id} · {updated}"
        parts = [f'<div style="{_FAINT}">{escape(head)}</div>']
        for section, lines in groupby(self.evidence, key=lambda item: item.section):
            rows = "".join(f"<div>{escape(item.line)} {_refs_html(item)}</div>" for item in lines)
            parts.append(f'<div style="margin-top:.5em"><b>{escape(section)}</b>{rows}</div>')
        parts += [f"<div>{escape(line)}</div>" for line in card.unread]
        return f'<div style="{_BOX}">{"".join(parts)}</div>'


def _refs_html(item: Evidence) -> str:
    origin = f"revision {item.revision}: {item.edit['tool'] if item.edit else 'written by a person'}"
    refs = ", ".join(map(str, item.refs)) or "no refs"
    return f'<span style="{_FAINT}" title="{escape(origin)}">[{escape(refs)}]</span>'


@dataclass(frozen=True, kw_only=True)
class CardChange:
    """One evolution of the card."""

    before: Document | None
    after: Document

    @property
    def summary(self) -> str:
        """One sentence on what changed, for the user."""
        return str(self.after.meta.get("summary") or "")

    @property
    def edits(self) -> list[dict[str, Any]]:
        """The edits that were applied, with the refs that prove them."""
        return list(self.after.meta.get("edits") or [])

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why the card was looked at: what the user asked for, or what made the end of a slice worth it."""
        rows = self.after.meta.get("triggers") or []
        return tuple(dict.fromkeys(str(row.get("reason") or row.get("content") or row.get("kind")) for row in rows))

    @property
    def refs(self) -> tuple[Ref, ...]:
        """What the edits cite, each once."""
        cited = (ref for edit in self.edits for ref in (edit.get("args") or {}).get("refs") or ())
        return tuple(dict.fromkeys(map(Ref.parse, cited)))

    @property
    def diff(self) -> Diff:
        """Which lines went and which came."""
        return Diff.between(self.before.text if self.before else "", self.after.text)

    @property
    def lines(self) -> list[str]:
        """The lines of the diff."""
        return list(self.diff.lines)

    @property
    def title(self) -> str:
        """Revision, time and summary in one line."""
        return f"revision {self.after.revision}, {self.after.at:%Y-%m-%d %H:%M} UTC: {self.summary}"

    @property
    def text(self) -> str:
        """The title, the diff, and what the edits cite."""
        cited = [f"evidence: {', '.join(map(str, self.refs))}"] if self.refs else []
        return "\n".join([self.title, *self.lines, *cited])

    def __str__(self) -> str:
        """Return the text."""
        return self.text

    def _repr_html_(self) -> str:
        cited = escape(f"evidence: {', '.join(map(str, self.refs)) or 'none, a person wrote it'}")
        why = escape("; ".join(self.reasons))
        return (
            f'<div style="{_BOX}"><b>{escape(self.title)}</b><div style="{_FAINT}">{why}</div>'
            f'{self.diff._repr_html_()}<div style="{_FAINT}">{cited}</div></div>'
        )


@dataclass(frozen=True, kw_only=True)
class TimelineView:
    """All slices of a space, newest first."""

    space: str
    slices: tuple[Slice, ...]
    openings: Mapping[str, str] = field(default_factory=dict)
    """Slice id → how a slice begins that nobody has marked yet."""

    @property
    def text(self) -> str:
        """The timeline's Markdown."""
        return render_timeline(self.slices, self.openings)

    def about(self, item: Slice) -> str:
        """Return what a slice was about, in a few words."""
        return item.focus or self.openings.get(item.slice_id, "") or "…"

    def facts(self, item: Slice) -> tuple[str, str, str, str, str]:
        """Return when a slice was (on the clock of its own zone), its turns, topics and tone, and how it ended."""
        zone = ZoneInfo(item.timezone)
        start, end = item.start.astimezone(zone), item.end.astimezone(zone)
        until = f"{end:%H:%M}" if end.date() == start.date() else f"{end:%Y-%m-%d %H:%M}"
        ended = "unmarked" if item.dry else (item.closed_by or "open").replace("_", " ")
        return f"{start:%H:%M}–{until}", f"{item.turn_count} turns", ", ".join(item.tags), item.tone or "", ended

    def __str__(self) -> str:
        """Return the Markdown."""
        return self.text

    def _repr_html_(self) -> str:
        head = _row("th", ("slice", "about", "time", "turns", "topics", "tone", "ended by"))
        rows = "".join(_row("td", self._cells(item)) for item in self.slices)
        return f'<table style="{_BOX};border-collapse:collapse">{head}{rows}</table>'

    def _cells(self, item: Slice) -> tuple[str, ...]:
        return (str(item.ref), self.about(item), *self.facts(item))


def _row(tag: str, cells: Iterable[str]) -> str:
    return "<tr>" + "".join(f'<{tag} style="{_CELL}">{escape(cell)}</{tag}>' for cell in cells) + "</tr>"
