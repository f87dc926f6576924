"""The timeline, as text and as HTML in notebooks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from zoneinfo import ZoneInfo

from previously.state.slice import Slice
from previously.state.timeline import render_timeline
from previously.views.html import table


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

    def __repr__(self) -> str:
        """Return how many slices there are."""
        return f"<TimelineView {len(self.slices)} slices of {self.space}>"

    def _repr_html_(self) -> str:
        head = ("slice", "about", "time", "turns", "topics", "tone", "ended by")
        return table(head, map(self._cells, self.slices))

    def _cells(self, item: Slice) -> tuple[str, ...]:
        return (str(item.ref), self.about(item), *self.facts(item))
