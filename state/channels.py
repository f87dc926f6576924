"""The TypedDict state of each graph. JSON-plain, but for the host's own `messages`."""

from __future__ import annotations

from typing import Annotated, Any

from langchain_core.messages import AnyMessage
from langgraph.graph.message import add_messages
from typing_extensions import TypedDict

from previously.state.usage import add_usage

Json = dict[str, Any]


class HostInput(TypedDict, total=False):
    """What a caller gives a host graph."""

    messages: Annotated[list[AnyMessage], add_messages]


class Brief(TypedDict):
    """What memory adds to one prompt; never stored in the history."""

    block: str
    """The card with its frame; the same bytes for every turn of a slice, `""` while nothing is known."""
    note: str
    """What this turn should mind (overdue, stale); goes after the history; mostly `""`."""
    tokens: int
    """What both cost in the prompt."""


class HostState(TypedDict, total=False):
    """State of the host graph; a graph of your own needs `messages` and these three."""

    messages: Annotated[list[AnyMessage], add_messages]
    turn: str
    """Id of the newest user turn: the one being answered."""
    brief: Brief
    memory: Json
    """The account of the last housekeeping: see `HousekeepingState.memory`."""


class HousekeepingState(TypedDict, total=False):
    """State of the housekeeping of one turn (or of one owed job)."""

    messages: Annotated[list[AnyMessage], add_messages]
    turn: str
    """Id of the user turn to handle; `""` when only a slice or a card job is owed."""
    about: Json
    """Facts of that turn: `{"slice", "at", "authority"}`; empty when there is none."""
    job: str
    """Backlog key to begin with, instead of `turn`."""
    owner: str
    """Who holds the leases of the jobs of this run."""
    deadline_at: float
    """Epoch seconds by which the run ends; what is not done then stays owed."""
    language: str
    jobs: list[Json]
    """Claimed for this pass, as `{"key", "kind", "attempts"}`: the turn, a closing slice, card runs that failed."""
    again: list[str]
    """Keys still to be taken on in further passes."""
    material: Json
    """What the analysis sees, by name of the prompt's slot, as rows."""
    handles: dict[str, str]
    """Short handle → turn id or slice id, as shown to the model."""
    analysis: Json | None
    failure: Json | None
    """`{"code", "detail"}` of the analysis, when it failed."""
    triggers: list[Json]
    """Why the card is to be edited: rows of kind boundary, request, migration or owed."""
    skip: str
    """Why nothing is done although something was looked at; `""` otherwise."""
    scores: list[Json]
    card_run: Json
    """Outcome of the card graph: base, edits, report."""
    usage: Annotated[list[Json], add_usage]
    memory: Json
    """The account: `{"turn", "slice", "analysis", "evolution", "usage", "commit"}`."""


class HousekeepingInput(TypedDict, total=False):
    """What starts a housekeeping: the host's `messages` and `turn`, or the `job` of a worker and its `owner`."""

    messages: Annotated[list[AnyMessage], add_messages]
    turn: str
    job: str
    owner: str


class HousekeepingOutput(TypedDict, total=False):
    """What housekeeping hands back to the host graph."""

    memory: Json


class CardInput(TypedDict, total=False):
    """What starts a run of the Previously Agent."""

    triggers: list[Json]
    turn: str
    deadline_at: float
    language: str


class CardState(TypedDict, total=False):
    """State of one run of the Previously Agent over a staged copy of the card."""

    triggers: list[Json]
    turn: str
    """The user turn whose housekeeping this is; `""` for an owed job."""
    deadline_at: float
    language: str
    base: int
    """Revision of the card that the run started from; 0: there was none."""
    before: str
    """The card as the run found it (an older format already migrated)."""
    card: str
    """The staged copy, rendered."""
    legacy: list[str]
    """What an older format held and the new one has no place for."""
    evidence: list[Json]
    """Turn rows shown as evidence, with handles."""
    handles: dict[str, str]
    """Handle → ref."""
    today: str
    """The user's local date at the newest evidence, ISO."""
    agent: str
    migrated: bool
    """Whether the stored card is of an older format, so that this run writes it anew in any case."""
    stop_at: float
    """Epoch seconds by which the loop ends with what it has."""
    steps: list[Json]
    """The conversation with the model: `{"calls": [...], "results": [...], "text"}`."""
    edits: list[Json]
    """Edits that were applied, in order."""
    brake: dict[str, int]
    failure: Json | None
    report: Json
    """Arguments of the accepted `finish` call; empty until then."""
    usage: Annotated[list[Json], add_usage]
    decision: Json
    """A reviewer's answer: `{"action": "accept" | "edit" | "reject", "card"?, "reason"?}`."""
    card_run: Json
    """The outcome, staged: status, base, card, edits, diff, counts, summary, reasoning, partial, reason, failure."""


class CardOutput(TypedDict, total=False):
    """What the card graph hands back: staged, not committed."""

    card_run: Json
    usage: Annotated[list[Json], add_usage]
