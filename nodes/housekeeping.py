"""Steps after the reply: record it, analyse the turn, decide whether the card is due, install everything at once."""

from __future__ import annotations

import time
from datetime import timedelta
from typing import Any
from zoneinfo import ZoneInfo

from langchain_core.runnables import Runnable
from langgraph.runtime import Runtime

from previously.nodes.ask import ask
from previously.nodes.evidence import Rows, exchange, exchange_before, local_time, slice_rows, turn_rows
from previously.nodes.recording import answered_turn, record_messages
from previously.nodes.services import Node, Services
from previously.prompts.analyze import TurnAnalysis
from previously.prompts.frame import frame
from previously.prompts.registry import language_of
from previously.state.card import parse_card
from previously.state.channels import HousekeepingState
from previously.state.commit import Job
from previously.state.context import MemoryContext
from previously.state.direction import parse_direction
from previously.state.errors import Failure
from previously.state.event import event
from previously.state.paths import CARD_PATH, DIRECTION_PATH
from previously.state.signal import DEMERITS, Signal
from previously.state.turn import Turn

Update = dict[str, Any]
_STRANDS_SHOWN = 30
_SIGNALS_SHOWN = 20
_SHOWN = ("portrait", "strands", "slices", "before", "turn", "signals")
"""What the analysis sees, by slot of its prompt."""
_CARD_JOBS = 3
"""Card runs that failed before and are taken up together: their evidence has to fit one prompt."""


def record(services: Services) -> Node[HousekeepingState]:
    """Reads `messages`; stores the reply and what the agent did; sets `turn` and `deadline_at`."""

    def record(state: HousekeepingState, runtime: Runtime[MemoryContext]) -> Update:
        update: Update = {"deadline_at": time.time() + services.settings.deadline}
        if messages := state.get("messages"):
            context = services.context(runtime)
            record_messages(services, messages, context, answering=True)
            answered = None if state.get("turn") else answered_turn(services, messages, context)
            update["turn"] = state.get("turn") or (answered.id if answered else "")
        if services.housekeeping == "deferred" and not state.get("job"):
            runtime.stream_writer(event("turn", "deferred", reason="left to the backlog"))
            update["memory"] = {"turn": update.get("turn", ""), "status": "deferred"}
        return update

    return record


def gather(services: Services) -> Node[HousekeepingState]:
    """Claims the jobs of one pass and reads what the analysis needs; sets `jobs`, `again`, `material`, `handles`."""

    def gather(state: HousekeepingState, runtime: Runtime[MemoryContext]) -> Update:
        context = services.context(runtime)
        owner = state.get("owner") or inline_owner(context.thread)
        again = state.get("again")
        key = again[0] if again else state.get("job") or f"turn:{state.get('turn', '')}"
        jobs = _claim_pass(services, context, key, owner)
        return {
            "owner": owner,
            "again": again[1:] if again else [] if state.get("job") else _left_over(services, context, key),
            "jobs": [{"key": job.key, "kind": job.kind, "attempts": job.attempts} for job in jobs],
            "analysis": None,
            "failure": None,
            "scores": [],
            "card_run": {},
            "triggers": [{**row, "job": job.key} for job in jobs if job.kind == "card" for row in job.data["triggers"]],
            **_material(services, context, jobs),
            "turn": next((job.subject for job in jobs if job.kind == "turn"), "" if jobs else state.get("turn", "")),
        }

    return gather


def inline_owner(thread: str | None) -> str:
    """Return who holds the jobs of a thread's own turns: the same name when a killed run is resumed."""
    return f"inline:{thread}"


def _claim_pass(services: Services, context: MemoryContext, key: str, owner: str) -> list[Job]:
    """Claim the job that was asked for, and with it the oldest closing slice and the card runs that are due."""
    store, now = services.store, services.clock()
    until = now + timedelta(seconds=services.settings.lease)
    first = store.claim(context.space, key, owner=owner, now=now, until=until)
    if first is None:
        return []
    company = store.owed(space=context.space, thread=first.thread, kind="slice", due_at=now, owner=owner, limit=1)
    company += store.owed(space=context.space, kind="card", due_at=now, owner=owner, limit=_CARD_JOBS)
    company = [job for job in company if job.agent == context.agent]
    claimed = [store.claim(context.space, job.key, owner=owner, now=now, until=until) for job in company]
    return [first, *(job for job in claimed if job and job.key != first.key)]


def _left_over(services: Services, context: MemoryContext, key: str) -> list[str]:
    """Return the keys of earlier turns of the space that are due: they failed, or the run that had them died."""
    limit = services.settings.owed_per_turn
    due = services.store.owed(space=context.space, kind="turn", due_at=services.clock(), limit=limit + 1)
    return [job.key for job in due if job.key != key and job.agent == context.agent][:limit]


def _material(services: Services, context: MemoryContext, jobs: list[Job]) -> Update:
    zone, limit = services.zone(context), services.settings.turn_characters
    turn = next((services.store.turn(context.space, job.subject) for job in jobs if job.kind == "turn"), None)
    closing = [job.subject for job in jobs if job.kind == "slice"]
    if turn is None and not closing:
        return {"material": {}, "handles": {}, "facts": {}, "about": {}}
    said = exchange(services, turn) if turn else []
    before = exchange_before(services, turn) if turn else []
    slices, names = _slices_to_mark(services, context, closing)
    signals = _signals(services, context, turn) if turn else []
    shown = turn.text if turn else " ".join(row["text"] for row in slices[0]["turns"])
    return {
        "about": _facts(turn) if turn else {},
        "language": context.language or language_of(shown),
        "handles": names,
        "facts": {f"e{number}": signal.id for number, signal in enumerate(signals, 1)},
        "material": {
            "portrait": _portrait(services, context),
            "signals": [_signal_row(signal, number, zone) for number, signal in enumerate(signals, 1)],
            "strands": [{"name": name} for name in services.store.strand_names(context.space, limit=_STRANDS_SHOWN)],
            "before": turn_rows(before, zone, limit, first=len(said) + 1),
            "turn": turn_rows(said, zone, limit),
            "slices": slices,
        },
    }


def _portrait(services: Services, context: MemoryContext) -> Rows:
    """Return the lines of the portrait, the rubric of the scores, as far as there is room."""
    head = services.store.head(context.space, DIRECTION_PATH)
    rows: Rows = []
    room = services.settings.portrait_characters
    for dimension, entry in parse_direction(head.text if head else "").direction.entries():
        if len(entry.text) <= room:
            rows.append({"dimension": dimension, "text": entry.text})
            room -= len(entry.text)
    return rows


def _signals(services: Services, context: MemoryContext, turn: Turn) -> list[Signal]:
    """Return the facts of the thread that no analysis has seen and that may stand for discontent."""
    return services.store.ledger.signals(
        context.space, agent=context.agent, thread=turn.thread, kinds=DEMERITS, judged=False, limit=_SIGNALS_SHOWN
    )


def _signal_row(signal: Signal, number: int, zone: ZoneInfo) -> Update:
    return {"id": f"e{number}", "kind": signal.kind, "detail": signal.detail, "at": local_time(signal.at, zone)}


def _facts(turn: Turn) -> Update:
    return {"slice": turn.slice_id, "at": turn.event_time.isoformat(), "authority": turn.authority}


def _slices_to_mark(services: Services, context: MemoryContext, closing: list[str]) -> tuple[Rows, dict[str, str]]:
    """Return the slice that closes now, and with it the newest dry ones, as rows; and handle → slice id."""
    if not closing:
        return [], {}
    limit = services.settings.dry_per_turn
    dry = services.store.slices(context.space, dry=True, newest_first=True, limit=limit + len(closing))
    ids = [*closing, *[item.slice_id for item in dry if item.slice_id not in closing][:limit]]
    rows: Rows = []
    for number, slice_id in enumerate(ids, 1):
        turns = services.store.turns(context.space, slice_id=slice_id)
        shown = slice_rows(turns, services.zone(context), services.settings.slice_characters)
        rows.append({"id": f"s{number}", "closing": slice_id in closing, "turns": shown})
    return rows, {f"s{number}": slice_id for number, slice_id in enumerate(ids, 1)}


def analyze(services: Services) -> Runnable[HousekeepingState, Update]:
    """Asks the model once about the turn and the slices to mark; sets `analysis`, or `failure`."""

    def prepare(state: HousekeepingState) -> dict[str, str] | None:
        rows = state["material"]
        return {name: frame(name, rows[name]) for name in _SHOWN} if rows else None

    def accept(_state: HousekeepingState, answer: TurnAnalysis) -> Update:
        return {"analysis": answer.model_dump(mode="json")}

    def failed(_state: HousekeepingState, failure: Failure, detail: str) -> Update:
        return {"failure": {"code": failure.value, "detail": detail}}

    return ask(
        services, "analyze", prompt="analyze", answer=TurnAnalysis, prepare=prepare, accept=accept, failed=failed
    )


def score(services: Services) -> Node[HousekeepingState]:
    """Reads the analysis; decides in code: sets `scores`, and `triggers` for the card or `skip` with the reason."""

    def score(state: HousekeepingState, runtime: Runtime[MemoryContext]) -> Update:
        context = services.context(runtime)
        write = runtime.stream_writer
        if failure := state.get("failure"):
            write(event("analysis", "failed", reason=f"{failure['code']}: {failure['detail']}"))
        elif analysis := state.get("analysis"):
            write(event("analysis", "analyzed", turn=state.get("turn", ""), intent=analysis["intent"]))
        triggers = [*state["triggers"], *_boundary(services, context, state), *_request(state)]
        return {"triggers": triggers, "scores": _scores(state), "skip": "" if triggers else _skip_reason(state)}

    return score


def _boundary(services: Services, context: MemoryContext, state: HousekeepingState) -> Rows:
    """Return why a closing slice makes the card due: it is worth it, nobody could tell, or its format is old."""
    rows: Rows = []
    for slice_id in _closing(state):
        verdict = (state.get("analysis") or {}).get("evolve_card")
        if verdict is None or verdict["worth"]:
            reason = verdict["reason"] if verdict else "the analysis gave no verdict"
            rows.append({"kind": "boundary", "slice": slice_id, "reason": reason})
        head = services.store.head(context.space, CARD_PATH)
        if head and parse_card(head.text).legacy:
            rows.append({"kind": "migration", "slice": slice_id, "reason": "the card is of an older format"})
    return rows


def _request(state: HousekeepingState) -> Rows:
    """Return the user's explicit request or correction; only the owner of the space may ask for a change."""
    wish = (state["analysis"] or {}).get("memory_update")
    if not wish or state["about"].get("authority") != "owner":
        return []
    return [{"kind": "request", "turn": state["turn"], "content": wish["content"], "section": wish["section"]}]


def _closing(state: HousekeepingState) -> list[str]:
    return [job["key"].partition(":")[2] for job in state["jobs"] if job["kind"] == "slice"]


def _skip_reason(state: HousekeepingState) -> str:
    """Return why nothing runs although something was looked at: at a boundary only, an ordinary turn is silent."""
    if not state["jobs"] and not state["turn"]:
        return "no user said anything"
    if not state["jobs"]:
        return "another worker has this turn, or it was handled before"
    verdict = (state.get("analysis") or {}).get("evolve_card")
    return verdict["reason"] or "nothing worth keeping" if _closing(state) and verdict else ""


def _scores(state: HousekeepingState) -> Rows:
    """Return the deltas of the analysis. An explicit request has its own channel, so its turn scores nothing."""
    analysis = state["analysis"]
    if not analysis or not state["turn"] or analysis["memory_update"]:
        return []
    about = {"turn": state["turn"], "slice": state["about"]["slice"]}
    return [{**row, **about, "signal": state["facts"].get(row["signal"])} for row in analysis["fitness"]]
