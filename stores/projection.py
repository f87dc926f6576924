"""Which files a memory commit touches, and what stands in them."""

from __future__ import annotations

from collections.abc import Callable

from previously.state.cognition import render_cognition
from previously.state.commit import CARD_PATH, TIMELINE_PATH, Committed
from previously.state.ref import slice_path
from previously.state.slice import Slice
from previously.state.slice_text import render_slice
from previously.state.timeline import opening, render_timeline
from previously.stores.database import Store

_SLICES = "memory/episodic/slices/"


def render_paths(store: Store, space: str, commit: Committed, written: Callable[[str], str]) -> dict[str, str]:
    """Return path → text for everything a commit touched. `written` gives the text that a path has so far."""
    files: dict[str, str] = {}
    touched: list[Slice] = []
    for path in commit.paths:
        if path.startswith(_SLICES):
            slice_id = path.removeprefix(_SLICES).strip("/").replace("/", "-")
            if item := store.slice(space, slice_id):
                touched.append(item)
        else:
            files |= _document(store, space, path, commit.seq)
    for item in touched:
        files |= _slice(store, space, item)
    timeline = written(TIMELINE_PATH)
    if any(item.status == "closed" or f"**{item.ref}**" not in timeline for item in touched):
        files[TIMELINE_PATH] = _timeline(store, space)
    return files


def _document(store: Store, space: str, path: str, seq: int) -> dict[str, str]:
    document = store.head(space, path, as_of=seq)
    return {path: document.text} if document else {}


def _slice(store: Store, space: str, item: Slice) -> dict[str, str]:
    turns = store.turns(space, slice_id=item.slice_id)
    files = {slice_path(item.slice_id, "core.md"): render_slice(item, turns)}
    numbers = {turn.id: turn.number for turn in turns}
    notes = store.annotations(space, kind="cognition", slice_id=item.slice_id)
    did = [(numbers[note.turn_id], note.data) for note in notes]
    if did:
        files[slice_path(item.slice_id, "agent.md")] = render_cognition(str(item.ref), did)
    card = store.document(space, CARD_PATH, item.card_revision) if item.card_revision else None
    if card:
        files[slice_path(item.slice_id, "previously.md")] = card.text
    return files


def _timeline(store: Store, space: str) -> str:
    slices = store.slices(space)
    openings = {
        item.slice_id: opening(store.turns(space, slice_id=item.slice_id, limit=10))
        for item in slices
        if not item.focus
    }
    return render_timeline(slices, openings)
