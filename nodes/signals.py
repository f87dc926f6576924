"""Recording of mechanical facts: what the user did with an answer, what recall answered, what was read again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import uuid4

from previously.nodes.evidence import exchange
from previously.nodes.services import Services
from previously.state.context import DEFAULT_THREAD, MemoryContext, normal_id
from previously.state.errors import InvalidInput
from previously.state.ref import Ref
from previously.state.signal import NewSignal, Signal, SignalKind, classify_read
from previously.state.turn import Turn

_DETAILS: dict[SignalKind, str] = {
    "interaction_regenerate": "the user had the answer made anew",
    "interaction_interrupt": "the user stopped the answer",
}
_RECENT = 200
"""Facts among which the latest answer of recall is looked for."""


def record_interaction(
    services: Services,
    context: MemoryContext,
    kind: str,
    *,
    detail: str = "",
    key: str | None = None,
    turn: Turn | None = None,
) -> Signal | None:
    """Record that the user regenerated or stopped the answer to a turn of theirs, by default the newest of the thread.

    Without a `key`, the same fact about the same reply is recorded once. `None` when nothing was said in the thread
    yet. Raises `InvalidInput` naming `kind`.
    """
    known = next((name for name in _DETAILS if kind == name), None)
    if known is None:
        raise InvalidInput("kind", f"{kind!r} is not one of {', '.join(_DETAILS)}")
    turn = turn or newest_user_turn(services, context)
    if turn is None:
        return None
    number = len(exchange(services, turn)) - 1
    about = f"{_DETAILS[known]} to {turn.ref}"
    new = NewSignal(
        key=f"{known}:{normal_id('id', key) if key else f'{turn.id}:{number}'}",
        agent=context.agent,
        thread=_thread(context),
        kind=known,
        detail=f"{about}: {detail}" if detail else about,
        at=context.now or services.clock(),
        data={"turn": turn.id},
    )
    return services.store.ledger.record(context.space, new)


def record_given(services: Services, context: MemoryContext, rows: Any, turn: Turn | None) -> None:
    """Record the facts that a host hands in with a message; `turn` is the user's turn whose answer they are about.

    Raises `InvalidInput` naming the row.
    """
    if not isinstance(rows, list):
        raise InvalidInput("signals", f"must be a list of rows, got {rows!r}")
    for place, row in enumerate(rows):
        if not isinstance(row, Mapping) or not isinstance(row.get("kind"), str):
            raise InvalidInput(f"signals[{place}]", f'must be {{"kind": …}}, one of {", ".join(_DETAILS)}; got {row!r}')
        detail, key = str(row.get("detail") or ""), str(row.get("id") or "") or None
        if turn is not None or row["kind"] not in _DETAILS:
            record_interaction(services, context, row["kind"], detail=detail, key=key, turn=turn)


def record_recall(
    services: Services, context: MemoryContext, *, references: Sequence[str], searched: Sequence[str]
) -> Signal:
    """Record what the recall colleague answered from: refs that it gave, and what it searched, in its own words."""
    cited = [str(Ref.parse(ref)) for ref in references]
    new = NewSignal(
        key=f"recall_answer:{uuid4()}",
        agent=context.agent,
        thread=_thread(context),
        kind="recall_answer",
        detail=f"recall answered from {', '.join(cited) or 'nothing'}",
        at=context.now or services.clock(),
        data={"references": cited, "searched": list(map(str, searched))},
    )
    return services.store.ledger.record(context.space, new)


def record_read(services: Services, context: MemoryContext, slice_id: str) -> SignalKind | None:
    """Record that the agent reads a slice itself; return what it means for the latest answer of recall, if anything."""
    slice_id, thread = Ref.parse(slice_id).slice_id, _thread(context)
    newest = services.store.ledger.signals(
        context.space, agent=context.agent, thread=thread, newest_first=True, limit=_RECENT
    )
    facts = newest[::-1]
    start = max((place for place, fact in enumerate(facts) if fact.kind == "recall_answer"), default=len(facts))
    active = services.store.active_slice(context.space, thread)
    kind = classify_read(slice_id, own=active.slice_id if active else "", since_recall=facts[start:])
    if kind is not None:
        told = {"recall_verify": "as recall had pointed to it", "recall_rework": "which recall had missed"}
        why = told.get(kind, "once more since recall answered")
        new = NewSignal(
            key=f"{kind}:{uuid4()}",
            agent=context.agent,
            thread=thread,
            kind=kind,
            detail=f"the agent read {Ref(slice_id)} itself, {why}",
            at=context.now or services.clock(),
            data={"slice": slice_id},
        )
        services.store.ledger.record(context.space, new)
    return kind


def newest_user_turn(services: Services, context: MemoryContext) -> Turn | None:
    """Return the newest turn of the user's in the thread, `None` when there is none."""
    recent = services.store.turns(context.space, thread=_thread(context), newest_first=True, limit=20)
    return next((turn for turn in recent if turn.role == "user"), None)


def _thread(context: MemoryContext) -> str:
    return context.thread or DEFAULT_THREAD
