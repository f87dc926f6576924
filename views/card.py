"""The card and its changes, as text and as HTML in notebooks."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from itertools import groupby
from typing import Any

from previously.state.card import Card, parse_card, render_card
from previously.state.card_evidence import Evidence, trace
from previously.state.commit import Document
from previously.state.context import DEFAULT_AGENT
from previously.state.ref import Ref
from previously.views.html import BOX, FAINT, NOTHING_YET, Diff


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

    def __repr__(self) -> str:
        """Return what it is in one line."""
        return f"<CardView revision {self.revision} for {self.agent}>"

    def _repr_html_(self) -> str:
        if self.document is None:
            return f'<div style="{BOX}"><i>{NOTHING_YET}</i></div>'
        card = self.card
        updated = f"{card.updated:%Y-%m-%d %H:%M} UTC" if card.updated else ""
        head = f"revision {self.revision} · slice {card.slice_id} · {updated}"
        parts = [f'<div style="{FAINT}">{escape(head)}</div>']
        for section, lines in groupby(self.evidence, key=lambda item: item.section):
            rows = "".join(f"<div>{escape(item.line)} {_refs_html(item)}</div>" for item in lines)
            parts.append(f'<div style="margin-top:.5em"><b>{escape(section)}</b>{rows}</div>')
        parts += [f"<div>{escape(line)}</div>" for line in card.unread]
        return f'<div style="{BOX}">{"".join(parts)}</div>'


def _refs_html(item: Evidence) -> str:
    origin = f"revision {item.revision}: {item.edit['tool'] if item.edit else 'written by a person'}"
    refs = ", ".join(map(str, item.refs)) or "no refs"
    return f'<span style="{FAINT}" title="{escape(origin)}">[{escape(refs)}]</span>'


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

    def __repr__(self) -> str:
        """Return the title."""
        return f"<CardChange {self.title}>"

    def _repr_html_(self) -> str:
        cited = escape(f"evidence: {', '.join(map(str, self.refs)) or 'none, a person wrote it'}")
        why = escape("; ".join(self.reasons))
        return (
            f'<div style="{BOX}"><b>{escape(self.title)}</b><div style="{FAINT}">{why}</div>'
            f'{self.diff._repr_html_()}<div style="{FAINT}">{cited}</div></div>'
        )
