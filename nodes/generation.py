"""What an evolution run reads: the scores of the generation, the turns behind them, the documents that may change."""

from __future__ import annotations

from typing import Any

from previously.nodes.evidence import exchange, exchange_before
from previously.nodes.services import Services
from previously.state.card import parse_card, render_card
from previously.state.commit import COLLEAGUES, Scored
from previously.state.context import MemoryContext
from previously.state.direction import HYPOTHESIS_LIFE, Direction, parse_direction, render_direction, retire
from previously.state.paths import CARD_PATH, DIRECTION_PATH, playbook_path
from previously.state.playbook import parse_playbook
from previously.state.turn import Turn

Update = dict[str, Any]
_SHOWN_SCORES = 30
_SHOWN_SLICES = 10


def due_reason(due: list[Update]) -> str:
    """Return in one line why a run is made."""
    told = {"bootstrap": "there is no direction yet", "migrate": "the direction is of an older format"}
    return "; ".join(told.get(row["kind"]) or f"{row['bucket']} is at {row['net']}" for row in due)


def _triggering(due: list[Update], scores: list[Scored]) -> list[Scored]:
    """Return the scores that a run is about: those of the buckets under pressure, else all."""
    buckets = {row["bucket"] for row in due if row["kind"] == "pressure"}
    return [score for score in scores if score.delta and (not buckets or score.bucket in buckets)]


def evidence(
    services: Services, context: MemoryContext, due: list[Update], scores: list[Scored], turn: Turn | None
) -> list[Turn]:
    """Return the turns to re-read, oldest first: the scored exchanges, and of their slices what there is room for."""
    store, found = services.store, dict[str, Turn]()
    slices = list(dict.fromkeys(score.slice_id for score in reversed(_triggering(due, scores))))
    for scored in store.turns(context.space, ids=[score.turn_id for score in _triggering(due, scores)]):
        found |= {near.id: near for near in (*exchange_before(services, scored), *exchange(services, scored))}
    if not slices and turn:
        ended = store.slices(context.space, thread=turn.thread, status="closed", newest_first=True, limit=1)
        slices = [item.slice_id for item in ended]
    room = services.settings.slice_characters - sum(len(near.text) for near in found.values())
    for slice_id in slices:
        for near in store.turns(context.space, slice_id=slice_id):
            if near.id not in found and len(near.text) <= room:
                found[near.id] = near
                room -= len(near.text)
    trusted = [near for near in found.values() if near.trust == "trusted"]
    return sorted(trusted, key=lambda near: near.seq)


def ledger_rows(
    services: Services, context: MemoryContext, scores: list[Scored], handles: dict[str, str]
) -> list[Update]:
    counted = [score for score in scores if score.delta][-_SHOWN_SCORES:]
    turns = {turn.id: turn for turn in services.store.turns(context.space, ids=[score.turn_id for score in counted])}
    names = {ref: handle for handle, ref in handles.items()}
    return [
        {
            "turn": names.get(ref := str(turns[score.turn_id].ref), ref),
            "bucket": score.bucket,
            "delta": score.delta,
            "evidence": score.evidence,
        }
        for score in counted
        if score.turn_id in turns
    ]


def marks(services: Services, context: MemoryContext) -> list[Update]:
    """Return what the newest slices were about."""
    ended = services.store.slices(context.space, status="closed", newest_first=True, limit=_SHOWN_SLICES)
    return [{"slice": str(item.ref), "focus": item.focus, "summary": item.summary} for item in ended if item.focus]


def read_documents(services: Services, context: MemoryContext, due: list[Update]) -> Update:
    """Return the documents as they are read: the direction, the card, the playbooks of the colleagues that are due."""
    store = services.store
    head = store.head(context.space, DIRECTION_PATH)
    parsed = parse_direction(head.text if head else "")
    bases = {DIRECTION_PATH: head.revision if head else 0}
    playbooks: list[Update] = []
    for colleague in COLLEAGUES:
        if any(row.get("bucket") == colleague for row in due):
            path = playbook_path(colleague, context.agent)
            found = store.head(context.space, path)
            bases[path] = found.revision if found else 0
            playbooks.append({"colleague": colleague, "text": parse_playbook(found.text).content if found else ""})
    card = store.head(context.space, CARD_PATH)
    live, retired = still_alive(services, context.space, parsed.direction)
    return {
        "card": render_card(parse_card(card.text).card, context.agent) if card else "",
        "mode": parsed.mode,
        "before": head.text if head else "",
        "direction": render_direction(live),
        "legacy": list(parsed.leftover),
        "bases": bases,
        "playbooks": playbooks,
        "retired": retired,
    }


def still_alive(services: Services, space: str, direction: Direction) -> tuple[Direction, list[str]]:
    """Return the direction without the guesses whose time is up, and their texts."""
    ended = services.store.slices(space, status="closed", newest_first=True, limit=HYPOTHESIS_LIFE)
    live, gone = retire(direction, [item.slice_id for item in ended])
    return live, [guess.text for guess in gone]


def card_triggers(due: list[Update], scores: list[Scored]) -> list[Update]:
    """Return what the card graph is started with: each turn in which the user was badly served."""
    return [
        {
            "kind": "pressure",
            "turn": score.turn_id,
            "bucket": score.bucket,
            "reason": f"{score.bucket} {score.delta}: {score.evidence}",
        }
        for score in _triggering(due, scores)
        if score.delta < 0
    ]
