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
    signals: list[Json]
    """What the user did with the last answer, as `{"kind", "detail"?, "id"?}`; kinds interaction_regenerate (this run
    answers anew) and interaction_interrupt (they stopped it)."""


class Brief(TypedDict):
    """What memory adds to one prompt; never stored in the history."""

    block: str
    """The card with its frame; the same bytes for every turn of a slice, `""` while nothing is known."""
    note: str
    """What this turn should mind (overdue, stale); goes after the history; mostly `""`."""
    tokens: int
    """What both cost in the prompt."""


class HostState(TypedDict, total=False):
    """State of the host graph; a graph of your own needs these channels too."""

    messages: Annotated[list[AnyMessage], add_messages]
    signals: list[Json]
    """Empty again once they are recorded."""
    turn: str
    """Id of the newest user turn: the one being answered."""
    opens: bool
    """Whether that turn begins a slice."""
    due: list[Json]
    """Why an evolution run is made before the answer: rows of kind pressure, bootstrap or migrate; mostly none."""
    run: int
    """Number of that run of the agent, from 1."""
    evolution: Json
    """The account of the evolution run before this answer, empty when there was none."""
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
    """Short handle → slice id, as shown to the model."""
    facts: dict[str, int]
    """Short handle → id of a signal that the analysis is shown."""
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
    direction: str


class CardState(TypedDict, total=False):
    """State of one run of the Previously Agent over a staged copy of the card."""

    triggers: list[Json]
    turn: str
    """The user turn whose housekeeping this is; `""` for an owed job."""
    deadline_at: float
    language: str
    direction: str
    """Text of the direction that the card is to fit: a staged one during an evolution run, else the stored one."""
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


class EvolutionInput(TypedDict, total=False):
    """What starts an evolution run: see `nodes.pressure`."""

    due: list[Json]
    turn: str
    run: int


class EvolutionState(TypedDict, total=False):
    """State of one evolution run: what it read, what was proposed, and what is staged."""

    due: list[Json]
    turn: str
    """Id of the user turn before whose answer the run is made."""
    run: int
    """Number of the run of this agent, from 1: two that are made before one turn are one."""
    slice: str
    """Id of the slice of that turn."""
    language: str
    deadline_at: float
    mode: str
    """`bootstrap`, `migrate` or `steady`."""
    bases: dict[str, int]
    """Path → revision that was read."""
    upto: int
    """Id of the newest score that was read."""
    before: str
    """The direction as it was read."""
    direction: str
    """The direction as it is staged."""
    legacy: list[str]
    """Lines of a direction of an older format."""
    evidence: list[Json]
    """Turn rows shown as evidence, with handles."""
    handles: dict[str, str]
    """Handle → ref."""
    card: str
    """The card as the agent sees it."""
    marks: list[Json]
    """What the newest slices were about."""
    ledger: list[Json]
    """Rows of the generation that the run was shown."""
    playbooks: list[Json]
    """Playbooks of the triggering colleagues, as `{"colleague", "text"}`."""
    verdict: Json
    """What the evaluation came to: see `prompts.evolution.Evolution`; empty until then."""
    operations: list[Json]
    """Edits of the direction that were applied, as they can be replayed."""
    refused: list[str]
    """Why the proposal was rejected, one line for each operation that broke a rule."""
    retired: list[str]
    """Guesses whose time was up."""
    failure: Json | None
    triggers: list[Json]
    """What the card graph is started with."""
    card_run: Json
    drafts: list[Json]
    """Playbooks as a model proposed them."""
    staged: list[Json]
    """Playbooks after the check, as `{"colleague", "status", "reason", "text", "refs", "diff"}`."""
    review: Json
    """What a reviewer answered, then decided."""
    outcome: Json
    """`{"status", "reason", "failure", "settles"}`."""
    usage: Annotated[list[Json], add_usage]
    evolution: Json
    """The account: status, reason, summary, diff, triggers, direction, card, playbooks, usage, commit."""


class EvolutionOutput(TypedDict, total=False):
    """What an evolution run hands back."""

    evolution: Json
