"""The last step of housekeeping: one commit for all that a pass concluded; what failed stays owed, with a reason."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from langgraph.config import get_config
from langgraph.runtime import Runtime

from previously.nodes.card import card_meta, rebase
from previously.nodes.feedback import send_feedback
from previously.nodes.generation import still_alive
from previously.nodes.services import Node, Services
from previously.state.channels import HousekeepingState
from previously.state.commit import Annotation, Commit, Committed, NewJob, Put, Score, SliceUpdate
from previously.state.context import MemoryContext
from previously.state.direction import parse_direction, render_direction
from previously.state.errors import Conflict, Failure
from previously.state.event import event
from previously.state.paths import CARD_PATH, DIRECTION_PATH
from previously.state.timeline import fold_tags, plain_mark
from previously.state.usage import total_usage

Update = dict[str, Any]
Run = dict[str, Any]
_REBASES = 5
"""Times that a pass re-applies its edits to a card that somebody else has changed meanwhile."""
_RELATED = 3
"""Slices named as related: the newest that share a topic."""


def install(services: Services) -> Node[HousekeepingState]:
    """Reads all that a pass concluded; commits it at once, defers what failed; sets `memory`, the account."""

    def install(state: HousekeepingState, runtime: Runtime[MemoryContext]) -> Update:
        context = services.context(runtime)
        if not state["jobs"]:
            runtime.stream_writer(event("turn", "skipped", reason=state["skip"]))
            return {"memory": {"turn": state.get("turn", ""), "status": "skipped", "reason": state["skip"]}}
        run = state.get("card_run") or {}
        committed, run = _commit(services, context, state, run)
        _defer(services, context, state, run)
        account = committed.result if committed else _account(state, run)
        if committed and state["scores"]:
            _report(services, context, committed)
        for guess in account.get("retired", []):
            runtime.stream_writer(event("hypothesis", "changed", reason="unproven for four slices", summary=guess))
        if evolution := account.get("evolution"):
            runtime.stream_writer(event("evolution", **evolution))
        return {"memory": _with_earlier(state, {**account, "commit": committed.seq if committed else None})}

    return install


def _report(services: Services, context: MemoryContext, committed: Committed) -> None:
    """Tell LangSmith of the deltas that the ledger took, where it is watching."""
    kept = services.store.ledger.scores(context.space, context.agent, settled=False)
    rows = [{"bucket": row.bucket, "delta": row.delta, "evidence": row.evidence} for row in kept
            if row.commit == committed.seq]  # fmt: skip
    send_feedback(get_config(), rows)


def _with_earlier(state: HousekeepingState, account: Update) -> Update:
    """Return the account of the run's own turn; what was owed from earlier turns and done with it is under `also`."""
    own = state.get("memory")
    return {**own, "also": [*own.get("also", []), account]} if own else account


def _commit(
    services: Services, context: MemoryContext, state: HousekeepingState, run: Run
) -> tuple[Committed | None, Run]:
    """Commit the pass. When the card moved meanwhile, its edits are applied again to the new one."""
    for _ in range(_REBASES):
        commit = _build(services, context, state, run)
        if commit is None:
            return None, run
        try:
            return services.install(commit), run
        except Conflict:
            run = rebase(services, context, run) if run.get("card") else run
    run = {**run, "status": "failed", "failure": Failure.CONFLICT.value, "card": None, "reason": "the card kept moving"}
    commit = _build(services, context, state, run)
    return (services.install(commit) if commit else None), run


def _build(services: Services, context: MemoryContext, state: HousekeepingState, run: Run) -> Commit | None:
    """Return the commit of a pass, or `None` when nothing was concluded."""
    settled = [job for job in state["jobs"] if _done(job, state, run)]
    if not settled:
        return None
    card = run.get("card")
    fresh = _retirement(services, context) if _closing(state) else None
    return Commit(
        space=context.space,
        key=settled[0]["key"] + (f"@{settled[0]['attempts']}" if settled[0]["kind"] == "card" else ""),
        kind=settled[0]["kind"],
        at=datetime.fromisoformat(state["about"]["at"]) if state["turn"] else context.now or services.clock(),
        base={**({CARD_PATH: run["base"]} if card else {}), **({DIRECTION_PATH: fresh.base} if fresh else {})},
        documents=(
            *((Put(path=CARD_PATH, text=card, meta=card_meta(run)),) if card else ()),
            *((fresh.put,) if fresh else ()),
        ),
        slices=tuple(_slice_updates(services, context, state, card_installed=bool(card))),
        annotations=_annotations(state),
        scores=tuple(_score(context, row) for row in state["scores"]),
        judged=tuple(state["facts"].values()) if state["analysis"] is not None else (),
        finish=tuple(job["key"] for job in settled),
        owe=_owe(services, context, state, run),
        result={**_account(state, run), "retired": fresh.guesses if fresh else []},
    )


def _closing(state: HousekeepingState) -> set[str]:
    return {job["key"].partition(":")[2] for job in state["jobs"] if job["kind"] == "slice"}


class _Retirement(NamedTuple):
    put: Put
    base: int
    guesses: list[str]


def _retirement(services: Services, context: MemoryContext) -> _Retirement | None:
    """Return the direction without the guesses whose time is up now that a slice has ended, if there are any."""
    head = services.store.head(context.space, DIRECTION_PATH)
    if head is None:
        return None
    live, gone = still_alive(services, context.space, parse_direction(head.text).direction)
    meta = {"edits": [], "retired": gone, "summary": ""}
    put = Put(path=DIRECTION_PATH, text=render_direction(live), meta=meta)
    return _Retirement(put, head.revision, gone) if gone else None


def _done(job: Update, state: HousekeepingState, run: Run) -> bool:
    """Whether this pass settles a claimed job.

    A closing slice is settled even when the analysis failed: it stays dry, which is remedied later, and a card run that
    failed has a job of its own. A card run that ended early for a reason outside it is owed again, whatever it applied.
    """
    if job["kind"] == "turn":
        return state["analysis"] is not None
    return job["kind"] == "slice" or not run.get("failure")


def _owe(services: Services, context: MemoryContext, state: HousekeepingState, run: Run) -> tuple[NewJob, ...]:
    """Return the job for a card run that failed for the first time."""
    fresh = [row for row in state["triggers"] if "job" not in row]
    if not run.get("failure") or not fresh:
        return ()
    job = NewJob(
        key=f"card:{fresh[0].get('turn') or fresh[0]['slice']}",
        kind="card",
        thread=context.thread or "",
        data={"triggers": fresh, "agent": context.agent},
        attempts=1,
        next_at=_next_time(services, attempts=0),
        failure=Failure(run["failure"]),
        detail=run["reason"],
    )
    return (job,)


def _defer(services: Services, context: MemoryContext, state: HousekeepingState, run: Run) -> None:
    """Give back the jobs that were not settled, to be tried later, or never when their attempts are used up."""
    for job in state["jobs"]:
        if _done(job, state, run):
            continue
        run_failure = {"code": run.get("failure"), "detail": run.get("reason", "")}
        failure = (state["failure"] if job["kind"] == "turn" else None) or run_failure
        services.store.defer(
            context.space,
            job["key"],
            failure=Failure(failure["code"]),
            detail=failure["detail"],
            next_at=_next_time(services, attempts=job["attempts"]),
            max_attempts=services.settings.attempts,
        )


def _next_time(services: Services, *, attempts: int) -> datetime:
    return services.clock() + timedelta(seconds=services.settings.backoff * 2**attempts)


def _slice_updates(
    services: Services, context: MemoryContext, state: HousekeepingState, *, card_installed: bool
) -> Iterator[SliceUpdate]:
    """Yield the marks of slices, the card as it stood at the end of closing ones, and the topics of the turn."""
    closing = _closing(state)
    yield from _topics(services, context, state, closing)
    shown = state["handles"].values() if state["analysis"] else ()
    if not closing.union(shown):
        return
    strands = services.store.strands(context.space)
    names = [name for name, _ in strands]
    head = services.store.head(context.space, CARD_PATH)
    card_revision = 0 if card_installed else head.revision if head else None
    marks = {state["handles"].get(row["slice"]): row for row in (state["analysis"] or {}).get("markings", [])}
    for slice_id in sorted(closing.union(shown)):
        mark = marks.get(slice_id) or {}
        tags = fold_tags(names, mark.get("tags", []))
        focus, summary = mark.get("focus"), mark.get("summary")
        if slice_id in shown and not (focus and summary):
            said = services.store.turns(context.space, slice_id=slice_id)
            by_rule = plain_mark(said, tags)
            focus, summary = focus or by_rule[0], summary or by_rule[1]
        yield SliceUpdate(
            slice_id=slice_id,
            focus=focus,
            summary=summary,
            tone=mark.get("tone"),
            tags=tuple(tags) if tags else None,
            related=_related(strands, slice_id, tags) if tags else None,
            card_revision=card_revision if slice_id in closing else None,
        )


def _topics(
    services: Services, context: MemoryContext, state: HousekeepingState, closing: set[str]
) -> Iterator[SliceUpdate]:
    """Yield the topics that a turn adds to its open slice; a name to reuse counts only when it is there."""
    analysis, slice_id = state["analysis"], state["about"].get("slice", "")
    if not analysis or not analysis["memory_worthy"] or not slice_id or slice_id in closing:
        return
    reuse, create = analysis["tags"]["reuse"], analysis["tags"]["create"]
    if reuse or create:
        names = services.store.strand_names(context.space)
        reused = [name for name in fold_tags(names, reuse) if name in names]
        yield SliceUpdate(slice_id=slice_id, add_tags=(*reused, *fold_tags(names, create)))


def _related(strands: list[tuple[str, tuple[str, ...]]], slice_id: str, tags: list[str]) -> tuple[str, ...]:
    """Return the newest other slices that share a topic."""
    sharing = {other for name, slices in strands if name in tags for other in slices if other != slice_id}
    return tuple(sorted(sharing, reverse=True)[:_RELATED])


def _annotations(state: HousekeepingState) -> tuple[Annotation, ...]:
    if not state["turn"] or state["analysis"] is None:
        return ()
    return (Annotation(turn_id=state["turn"], kind="analysis", data=state["analysis"]),)


def _score(context: MemoryContext, row: Update) -> Score:
    return Score(
        agent=context.agent,
        bucket=row["bucket"],
        delta=row["delta"],
        evidence=row["evidence"],
        turn_id=row["turn"],
        slice_id=row["slice"],
        signal=row["signal"],
    )


def _account(state: HousekeepingState, run: Run) -> Update:
    """Return what this pass did, for the host, the commit row and whoever commits it again."""
    nothing = {"summary": "", "diff": [], "counts": {}, "partial": False, "failure": None}
    skipped = {"status": "skipped", "reason": state["skip"], **nothing} if state["skip"] else None
    return {
        "turn": state["turn"],
        "status": "failed" if state["failure"] else "done",
        "failure": state["failure"],
        "evolution": {name: run[name] for name in ("status", "reason", *nothing)} if run else skipped,
        "usage": total_usage(state.get("usage", [])),
    }
