"""Turns in, slices opened and closed: what happens inside one recording transaction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, insert, select, update

from previously.state.context import aware, clean_text, zone
from previously.state.ref import next_slice_id, slice_id_at
from previously.state.slice import ClosedBy, Recorded, Slice, SlicePolicy
from previously.state.turn import NewTurn, content_hash
from previously.stores import backlog
from previously.stores.rows import as_slice, slice_of
from previously.stores.schema import slices, spaces, turns


@dataclass
class Recording:
    """One recording into one space whose row is locked."""

    connection: Connection
    space: str
    policy: SlicePolicy
    zone: str
    now: datetime
    answering: timedelta
    """For how long the jobs of new user turns wait for their reply."""
    agent: str
    """For whom the jobs are done."""
    seq: int
    """Sequence number of the newest turn of the space."""
    new: list[str] = field(default_factory=list)
    known: list[str] = field(default_factory=list)
    closed: list[str] = field(default_factory=list)
    opened: list[str] = field(default_factory=list)

    def record(self, batch: Sequence[NewTurn]) -> Recorded:
        """Store the turns that are not there yet, in order."""
        for turn in batch:
            aware("event_time", turn.event_time)
            found = select(turns.c.id).where(turns.c.space == self.space, turns.c.id == turn.id)
            if self.connection.execute(found).first():
                self.known.append(turn.id)
            else:
                self._add(turn)
        if self.new:
            self.connection.execute(update(spaces).where(spaces.c.space == self.space).values(turn_seq=self.seq))
        return Recorded(
            new=tuple(self.new), known=tuple(self.known), closed=tuple(self.closed), opened=tuple(self.opened)
        )

    def _add(self, turn: NewTurn) -> None:
        place = self._slice_for(turn)
        self.seq += 1
        text = clean_text(turn.text)
        row = {
            "space": self.space,
            "id": turn.id,
            "seq": self.seq,
            "slice_id": place.slice_id,
            "number": place.turn_count + 1,
            "thread": turn.thread,
            "role": turn.role,
            "speaker": turn.speaker,
            "authority": turn.authority,
            "trust": turn.trust,
            "text": text,
            "hash": content_hash(text),
            "event_time": turn.event_time,
            "ingested_at": self.now,
        }
        self.connection.execute(insert(turns).values(row))
        grown = {"turn_count": place.turn_count + 1, "end": max(place.end, turn.event_time)}
        self.connection.execute(update(slices).where(*_named(self.space, place.slice_id)).values(grown))
        if turn.role == "user":
            due, data = self.now + self.answering, {"agent": self.agent}
            job: dict[str, Any] = {"kind": "turn", "thread": turn.thread, "now": self.now, "next_at": due, "data": data}
            backlog.add(self.connection, self.space, f"turn:{turn.id}", **job)
        else:
            backlog.answered(self.connection, self.space, turn.thread, self.now, self.now + self.answering)
        self.new.append(turn.id)

    def _slice_for(self, turn: NewTurn) -> Slice:
        active = active_slice(self.connection, self.space, turn.thread)
        reason = self.policy.closing_reason(active, turn) if active else None
        if active and reason is None:
            return active
        if active and reason:
            close(self.connection, active, reason, self.now, self.agent)
            self.closed.append(active.slice_id)
        return self._open(turn)

    def _open(self, turn: NewTurn) -> Slice:
        slice_id = slice_id_at(turn.event_time, zone("timezone", self.zone))
        while slice_of(self.connection, self.space, slice_id):
            slice_id = next_slice_id(slice_id)
        fresh = {
            "space": self.space,
            "slice_id": slice_id,
            "thread": turn.thread,
            "status": "active",
            "start": turn.event_time,
            "end": turn.event_time,
            "timezone": self.zone,
            "turn_count": 0,
            "focus": "",
            "summary": "",
            "tags": [],
            "related": [],
        }
        self.connection.execute(insert(slices).values(fresh))
        self.opened.append(slice_id)
        return Slice(**{**fresh, "tags": (), "related": (), "closed_by": None})  # type: ignore[arg-type]


def active_slice(connection: Connection, space: str, thread: str) -> Slice | None:
    """Return the open slice of a thread."""
    query = select(slices).where(slices.c.space == space, slices.c.thread == thread, slices.c.status == "active")
    row = connection.execute(query).first()
    return as_slice(row) if row else None


def close(connection: Connection, item: Slice, reason: ClosedBy, now: datetime, agent: str) -> None:
    """End a slice; its review becomes a job of the agent that was talked to."""
    ended = update(slices).where(*_named(item.space, item.slice_id)).values(status="closed", closed_by=reason)
    connection.execute(ended)
    key, data = f"slice:{item.slice_id}", {"agent": agent}
    backlog.add(connection, item.space, key, kind="slice", thread=item.thread, now=now, data=data)


def _named(space: str, slice_id: str) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    return slices.c.space == space, slices.c.slice_id == slice_id
