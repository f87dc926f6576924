"""A slice: a stretch of one conversation bounded by time, and the rule that ends it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from previously.state.ref import Ref
from previously.state.turn import NewTurn

SliceStatus = Literal["active", "closed"]
ClosedBy = Literal["time_cap", "capacity", "context_lost", "user_explicit"]
Tone = Literal["positive", "neutral", "negative", "mixed"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Slice:
    """A slice as the store keeps it. Its text is its turns; its files are rendered from both."""

    space: str
    slice_id: str
    """`YYYY-MM-DD-HHMM` of its start in the space's zone; the next free minute when that one was taken."""
    thread: str
    status: SliceStatus
    start: datetime
    """Event time of its first turn."""
    end: datetime
    """Event time of its last turn."""
    closed_by: ClosedBy | None
    timezone: str
    """IANA zone in which the id was made."""
    turn_count: int
    focus: str = ""
    summary: str = ""
    """At most 100 characters; empty together with `focus`: the slice is dry and still to be marked."""
    tags: tuple[str, ...] = ()
    tone: Tone | None = None
    related: tuple[str, ...] = ()
    """Ids of other slices."""
    card_revision: int | None = None
    """Revision of the card as it stood when the slice ended."""

    @property
    def dry(self) -> bool:
        """Whether the slice is closed and was never marked."""
        return self.status == "closed" and not (self.focus and self.summary)

    @property
    def ref(self) -> Ref:
        """Return the citation of the whole slice."""
        return Ref(self.slice_id)


@dataclass(frozen=True, kw_only=True, slots=True)
class SlicePolicy:
    """When a slice ends. Checked at the next turn, never in between."""

    max_minutes: int = 30
    """Minutes since the slice's *start* (5 … 240)."""
    max_turns: int = 50
    """Turns of any speaker (at least 5)."""

    def closing_reason(self, active: Slice, turn: NewTurn) -> ClosedBy | None:
        """Return why `turn` can't belong to `active`, or `None` when it does.

        A reply stays with the turn that it answers, however long the agent took for it, unless nothing was said for
        `max_minutes`.
        """
        limit = timedelta(minutes=self.max_minutes)
        if turn.role == "assistant":
            return "time_cap" if turn.event_time - active.end >= limit else None
        if turn.event_time - active.start >= limit:
            return "time_cap"
        if active.turn_count >= self.max_turns:
            return "capacity"
        return None if turn.continues else "context_lost"


@dataclass(frozen=True, kw_only=True, slots=True)
class Recorded:
    """What recording a message list did."""

    new: tuple[str, ...]
    """Ids of the turns that were inserted now, in order."""
    known: tuple[str, ...]
    """Ids that were there already."""
    closed: tuple[str, ...] = ()
    """Ids of the slices that the new turns ended."""
    opened: tuple[str, ...] = ()
    """Ids of the slices that the new turns began."""
