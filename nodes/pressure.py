"""The check before each answer: one number a bucket, in code. It decides whether evolution runs, never what."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, NamedTuple

from langgraph.runtime import Runtime

from previously.nodes.services import Node, Services
from previously.state.card import parse_card
from previously.state.channels import HostState
from previously.state.commit import Document, Job, NewJob
from previously.state.context import MemoryContext
from previously.state.direction import parse_direction
from previously.state.event import event
from previously.state.paths import CARD_PATH, DIRECTION_PATH, account_path
from previously.state.turn import Turn

Rows = list[dict[str, Any]]


class Check(NamedTuple):
    """What a check found."""

    due: Rows
    """Why a run is to be made: rows of kind pressure, bootstrap or migrate."""
    skip: str = ""
    """Why it is not made now; `""` otherwise."""
    run: int = 0
    """Its number."""


def pressure(services: Services) -> Node[HostState]:
    """Reads the ledger and `opens`; sets `due`, after taking the lease of the run; tells of a run that has to wait."""

    def pressure(state: HostState, runtime: Runtime[MemoryContext]) -> dict[str, Any]:
        context = services.context(runtime)
        found = check(services, context, state.get("turn", ""), boundary=state.get("opens", False))
        if not found.skip:
            return {"due": found.due, "run": found.run, "evolution": {}}
        runtime.stream_writer(event("evolution", "skipped", reason=found.skip, due=found.due))
        return {"due": [], "evolution": {"status": "skipped", "reason": found.skip}}

    return pressure


def job_key(agent: str) -> str:
    """Return the backlog key of an agent's evolution: there is one run at a time."""
    return f"evolution:{agent}"


def run_owner(turn_id: str) -> str:
    """Return who holds the lease of the run before a turn: the same name when a killed run is resumed."""
    return f"evolution:{turn_id}"


def check(services: Services, context: MemoryContext, turn_id: str, *, boundary: bool) -> Check:
    """Return whether a run is due before the answer to a turn; if so, its lease is taken."""
    due = _pressures(services, context) if turn_id else []
    account = services.store.head(context.space, account_path(context.agent)) if due or boundary else None
    if turn_id and boundary:
        due += _direction_due(services, context, turn_id, account, due)
    turn = services.store.turn(context.space, turn_id) if due else None
    if turn is None:
        return Check([])
    run = account.revision + 1 if account else 1  # read before the lease: whoever else has it now makes the same run
    if skip := _lease(services, context, turn):
        return Check(due, skip)
    newest = services.store.head(context.space, account_path(context.agent))
    if newest and newest.revision >= run:  # another run came to an end before the lease was free
        services.store.drop(context.space, job_key(context.agent), owner=run_owner(turn.id))
        return Check([])
    return Check(due, run=run)


def _pressures(services: Services, context: MemoryContext) -> Rows:
    nets = services.store.ledger.net(context.space, context.agent)
    limit = services.settings.pressure
    return [{"kind": "pressure", "bucket": bucket, "net": net} for bucket, net in nets.items() if net <= limit]


def _direction_due(
    services: Services, context: MemoryContext, turn_id: str, account: Document | None, pressures: Rows
) -> Rows:
    """Return whether the direction itself asks for a run: an older format, or none yet while Self-model has lessons.

    Looked at before the first turn of a slice, once. A first direction that came to nothing is tried again when the
    lessons are others.
    """
    store = services.store
    head = store.head(context.space, DIRECTION_PATH)
    mode = parse_direction(head.text if head else "").mode
    if mode == "steady" or (account and account.meta["turn"] == turn_id):
        return []
    if mode == "migrate":
        return [{"kind": "migrate"}]
    card = store.head(context.space, CARD_PATH)
    learned = lessons(card.text if card else "", context.agent)
    seen = account.meta["lessons"] if account else []
    return [{"kind": "bootstrap"}] if learned and learned != seen and not pressures else []


def lessons(card: str, agent: str) -> list[str]:
    """Return the lessons of an agent's Self-model."""
    return [entry.text for entry in parse_card(card).card.self_model(agent)]


def _lease(services: Services, context: MemoryContext, turn: Turn) -> str:
    """Take the lease of the run; return why it can't be had, `""` when it is."""
    store, key, now = services.store, job_key(context.agent), services.clock()
    store.owe(context.space, NewJob(key=key, kind="evolution", thread=turn.thread))
    job = store.job(context.space, key)
    if job is not None and (wait := _waiting(services, context, job, turn)):
        return wait
    seconds = max(services.settings.lease, services.settings.evolution_timeout + services.settings.step_timeout)
    owner, until = run_owner(turn.id), now + timedelta(seconds=seconds)
    if store.claim(context.space, key, owner=owner, now=now, until=until) is None:
        return "another turn is being evolved from at this moment"
    return ""


def _waiting(services: Services, context: MemoryContext, job: Job, turn: Turn) -> str:
    """Return why a run that did not come to an end before is not tried again yet."""
    if job.data.get("rejected_in") == turn.slice_id:
        return "a proposal was rejected in this slice: the next slice tries again"
    if job.status == "dead":
        newest = max((score.id for score in services.store.ledger.scores(context.space, context.agent)), default=0)
        if newest <= job.data.get("upto", 0):
            return f"the run failed {job.attempts} times ({job.detail}): `previously backlog` lists it"
        services.store.retry(context.space, job.key)
    elif job.next_at > services.clock():
        return f"the last run failed ({job.detail}): not tried again before {job.next_at:%Y-%m-%d %H:%M} UTC"
    return ""
