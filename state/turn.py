"""A turn: one message said by one speaker, the unit of evidence. Append-only."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from previously.state.context import Authority
from previously.state.ref import Ref

Role = Literal["user", "assistant"]
Trust = Literal["trusted", "pending"]


def content_hash(text: str) -> str:
    """Return the first 32 hex digits of the SHA-256 of a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def derived_turn_id(thread: str, position: int, role: Role, text: str) -> str:
    """Return the id of a message that has none of its own: a hash of where it stands and what it says."""
    return content_hash(f"{len(thread)}:{thread}|{position}|{role}|{text}")


@dataclass(frozen=True, kw_only=True, slots=True)
class NewTurn:
    """What is handed to the store; the store gives it its slice and its numbers."""

    id: str
    """The message's own id, or `derived_turn_id`. Unique in its space."""
    thread: str
    role: Role
    speaker: str | None
    """Display name of who said it; `None`: the user of the space, or the nameless assistant."""
    authority: Authority
    trust: Trust
    text: str
    """What was said, in full."""
    event_time: datetime
    """When it was said: aware, UTC."""
    continues: bool = True
    """False when the host's history no longer holds the open slice (`context_lost`)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Turn:
    """A recorded turn."""

    space: str
    id: str
    seq: int
    """Order of recording in the space, from 1, without gaps."""
    slice_id: str
    number: int
    """Order in its slice, from 1: the `#N` of a ref."""
    thread: str
    role: Role
    speaker: str | None
    authority: Authority
    trust: Trust
    text: str
    hash: str
    event_time: datetime
    ingested_at: datetime

    @property
    def ref(self) -> Ref:
        """Return the citation of this turn."""
        return Ref(self.slice_id, self.number)
