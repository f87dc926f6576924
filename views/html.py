"""What all views share: a style that takes its text colour from the page (light or dark), escaped text, diffs."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from typing import Self

from previously.state.card_diff import line_diff

BOX = "border:1px solid rgba(128,128,128,.4);border-radius:6px;padding:.6em 1em;margin:.4em 0;max-width:60em"
FAINT = "opacity:.65;font-size:85%"
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

    def __repr__(self) -> str:
        """Return how many lines there are."""
        return f"<Diff of {len(self.lines)} lines>"

    def _repr_html_(self) -> str:
        rows = "".join(
            f'<div style="padding:0 .5em;white-space:pre-wrap;{_SIDES.get(line[:1], _PLAIN_SIDE)}">{escape(line)}</div>'
            for line in self.lines
        )
        return f'<div style="font-family:monospace;margin:.3em 0">{rows}</div>'


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a table in HTML."""
    body = "".join(_row("td", cells) for cells in rows)
    return f'<table style="{BOX};border-collapse:collapse">{_row("th", head)}{body}</table>'


def _row(tag: str, cells: Iterable[str]) -> str:
    return "<tr>" + "".join(f'<{tag} style="{_CELL}">{escape(cell)}</{tag}>' for cell in cells) + "</tr>"
