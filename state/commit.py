"""What the store keeps besides turns, and the commit that installs it: values only.

A commit is one transaction. It carries the revisions that were read (`base`), so that a change made on an old reading
is refused, and a key, so that doing it again returns the first result.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from previously.state.context import DEFAULT_AGENT
from previously.state.errors import Failure

Json = dict[str, Any]
JobKind = Literal["turn", "slice", "card", "evolution"]
Bucket = Literal["card", "recall", "search", "thinkdeep", "interaction"]
BUCKETS: tuple[Bucket, ...] = ("card", "recall", "search", "thinkdeep", "interaction")
Colleague = Literal["recall", "search", "thinkdeep"]
COLLEAGUES: tuple[Colleague, ...] = ("recall", "search", "thinkdeep")
"""The buckets that have a sub-agent, and so a playbook, of their own."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Document:
    """One revision of a text at a path."""

    path: str
    revision: int
    """From 1; the newest is the head."""
    text: str
    meta: Json
    """How it came about: for a card the applied edits with their refs, the signal, the summary."""
    at: datetime
    """Event time of the commit that wrote it."""
    commit: int
    """Sequence number of that commit."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Put:
    """A new revision of a document, to be installed by a commit."""

    path: str
    text: str
    meta: Json = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class SliceUpdate:
    """Changes to a slice; `None` leaves a field as it is."""

    slice_id: str
    focus: str | None = None
    summary: str | None = None
    tags: tuple[str, ...] | None = None
    """Replaces the slice's tags and its rows in the topic index; names are normalised by the caller."""
    add_tags: tuple[str, ...] = ()
    """Added to whatever tags the slice has at commit time."""
    tone: str | None = None
    related: tuple[str, ...] | None = None
    card_revision: int | None = None
    """Revision of the card as it stood when the slice ended; 0: `the one this commit installs`."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Annotation:
    """What was derived about one turn, once: its analysis, or what the agent did (cognition)."""

    turn_id: str
    kind: Literal["analysis", "cognition"]
    data: Json


@dataclass(frozen=True, kw_only=True, slots=True)
class Score:
    """A fitness delta with the user's own words as evidence."""

    agent: str
    bucket: Bucket
    delta: int
    """-2 … +1. Stored as 0 when the evidence is not found in the turn's text, or the delta is out of range."""
    evidence: str
    turn_id: str
    """The turn whose words are quoted."""
    slice_id: str
    signal: int | None = None
    """Id of a fact that no analysis has seen before, when its detail is the evidence instead; -1 then, nothing else."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Scored:
    """A score as the ledger keeps it."""

    space: str
    id: int
    """Order in the space, from 1."""
    agent: str
    bucket: Bucket
    delta: int
    evidence: str
    turn_id: str
    slice_id: str
    commit: int
    settled: int | None
    """Number of the commit that ended its generation; `None` while it counts."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Settlement:
    """The end of a generation: an agent's scores up to one of them count no longer."""

    agent: str
    upto: int
    """Id of the newest score that was read."""


@dataclass(frozen=True, kw_only=True, slots=True)
class NewJob:
    """Model work that is owed."""

    key: str
    """Unique in its space: `turn:<turn id>`, `slice:<slice id>`, `card:<turn or slice id>`, `evolution:<agent>`."""
    kind: JobKind
    thread: str
    data: Json = field(default_factory=dict)
    attempts: int = 0
    next_at: datetime | None = None
    """Not before this time of the machine's clock; `None`: at once."""
    failure: Failure | None = None
    detail: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Job:
    """A backlog row."""

    space: str
    key: str
    kind: JobKind
    thread: str
    data: Json
    status: Literal["owed", "dead"]
    attempts: int
    next_at: datetime
    leased_until: datetime | None
    owner: str | None
    failure: Failure | None
    detail: str
    created_at: datetime

    @property
    def agent(self) -> str:
        """Return for which agent the work is done."""
        return self.subject if self.kind == "evolution" else str(self.data.get("agent") or DEFAULT_AGENT)

    @property
    def subject(self) -> str:
        """Return what the work is about: the id behind the kind in `key`."""
        return self.key.partition(":")[2]


@dataclass(frozen=True, kw_only=True, slots=True)
class Commit:
    """Everything that one step of memory installs, in one transaction."""

    space: str
    key: str
    """Idempotency key, e.g. `turn:<turn id>`: a second commit under it changes nothing and returns the first result."""
    kind: str
    """What kind of memory commit this is: turn, slice, card, adopt, close …"""
    at: datetime
    """Event time."""
    base: Mapping[str, int] = field(default_factory=dict)
    """Path → revision that was read (0: there was none). `Conflict` when one of them moved."""
    documents: tuple[Put, ...] = ()
    slices: tuple[SliceUpdate, ...] = ()
    annotations: tuple[Annotation, ...] = ()
    scores: tuple[Score, ...] = ()
    judged: tuple[int, ...] = ()
    """Ids of the signals that the analysis saw; they are written after the scores, which may rest on them."""
    settle: Settlement | None = None
    finish: tuple[str, ...] = ()
    """Keys of backlog rows that this commit settles."""
    owe: tuple[NewJob, ...] = ()
    """Rows to add; one whose key is already owed gets the new attempts, failure and time."""
    result: Json = field(default_factory=dict)
    """The account, returned to whoever commits under the same key again. JSON only."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Committed:
    """A commit as the store remembers it."""

    space: str
    seq: int
    """Order in the space, from 1."""
    key: str
    kind: str
    at: datetime
    paths: tuple[str, ...]
    """Documents and slice folders that it touched, sorted."""
    result: Json
    repeated: bool = False
    """True when this key had been committed before and nothing was written now."""
