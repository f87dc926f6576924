"""What memory shows to people: the card, its changes and the timeline, as text and as HTML in notebooks."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from previously.state.card_diff import line_diff
from previously.state.card import Card, parse_card, render_card
from previously.state.commit import Document
from previously.state.context import DEFAULT_AGENT
from previously.state.slice import Slice
from previously.state.timeline import render_timeline

_BOX = "border:1px solid rgba(128,128,128,.4);border-radius:6px;padding:.6em 1em;margin:.4em 0"
_SIDES = {"+": "color:#2a9d4a", "-": "color:#d1495b"}


@dataclass(frozen=True, kw_only=True)
class CardView:
    """The card as one agent sees it."""

    document: Document | None
    """The stored revision; `None` while nothing is known."""
    agent: str = DEFAULT_AGENT

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
        """The card's Markdown."""
        return render_card(self.card, self.agent) if self.document else ""

    def __str__(self) -> str:
        """Return the Markdown, or a word that there is no card yet."""
        return self.text or "(nothing is known yet)"

    def _repr_markdown_(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return f'<pre style="{_BOX};white-space:pre-wrap">{escape(str(self))}</pre>'


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
    def edits(self) -> list[dict[str, object]]:
        """The edits that were applied, with the refs that prove them."""
        return list(self.after.meta.get("edits") or [])

    @property
    def lines(self) -> list[str]:
        """The line diff: `- gone` and `+ new`."""
        return line_diff(self.before.text if self.before else "", self.after.text)

    def __str__(self) -> str:
        """Return the summary with the diff below it."""
        return "\n".join([f"revision {self.after.revision}, {self.after.at:%Y-%m-%d %H:%M}: {self.summary}", *self.lines])

    def _repr_html_(self) -> str:
        rows = "".join(f'<div style="{_SIDES[line[0]]}">{escape(line)}</div>' for line in self.lines)
        head = escape(f"revision {self.after.revision}: {self.summary}")
        return f'<div style="{_BOX}"><b>{head}</b><div style="font-family:monospace">{rows}</div></div>'


@dataclass(frozen=True, kw_only=True)
class TimelineView:
    """All slices of a space, newest first."""

    space: str
    slices: tuple[Slice, ...]

    @property
    def text(self) -> str:
        """The timeline's Markdown."""
        return render_timeline(self.slices, {})

    def __str__(self) -> str:
        """Return the Markdown."""
        return self.text

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{escape(str(item.ref))}</td><td>{escape(item.focus or '…')}</td><td>{item.turn_count}</td>"
            f"<td>{escape(', '.join(item.tags))}</td><td>{escape(item.closed_by or 'open')}</td></tr>"
            for item in self.slices
        )
        head = "".join(f"<th>{name}</th>" for name in ("slice", "about", "turns", "topics", "ended by"))
        return f'<table style="{_BOX}"><tr>{head}</tr>{rows}</table>'
