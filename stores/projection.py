"""Which files a memory commit touches, and what stands in them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from previously.state.cognition import render_cognition
from previously.state.commit import Committed
from previously.state.context import clean_text
from previously.state.paths import CARD_PATH, SLICES_PATH, TIMELINE_PATH, slice_path
from previously.state.slice import Slice
from previously.state.slice_text import render_slice
from previously.state.timeline import opening, render_timeline
from previously.state.turn import Turn
from previously.stores.database import Store


def render_paths(store: Store, space: str, commit: Committed, written: Callable[[str], str]) -> dict[str, str]:
    """Return path → text for everything a commit touched. `written` gives the text that a path has so far."""
    files: dict[str, str] = {}
    touched: list[Slice] = []
    for path in commit.paths:
        if path.startswith(SLICES_PATH):
            slice_id = path.removeprefix(SLICES_PATH).strip("/").replace("/", "-")
            if item := store.slice(space, slice_id):
                touched.append(item)
        else:
            files |= _document(store, space, path, commit.seq)
    openings: dict[str, str] = {}
    for item in touched:
        turns = store.turns(space, slice_id=item.slice_id)
        openings[item.slice_id] = opening(turns)
        files |= _slice(store, space, item, turns)
    before = written(TIMELINE_PATH)
    timeline = render_timeline(touched, openings, before)
    if touched and timeline != before:
        files[TIMELINE_PATH] = timeline
    return {path: clean_text(text) for path, text in files.items()}


def _document(store: Store, space: str, path: str, seq: int) -> dict[str, str]:
    document = store.head(space, path, as_of=seq)
    return {path: document.text} if document else {}


def _slice(store: Store, space: str, item: Slice, turns: Sequence[Turn]) -> dict[str, str]:
    files = {slice_path(item.slice_id, "core.md"): render_slice(item, turns)}
    numbers = {turn.id: turn.number for turn in turns}
    notes = store.annotations(space, kind="cognition", turn_ids=list(numbers))
    did = [(numbers[note.turn_id], note.data) for note in notes]
    if did:
        files[slice_path(item.slice_id, "agent.md")] = render_cognition(str(item.ref), did)
    card = store.document(space, CARD_PATH, item.card_revision) if item.card_revision else None
    if card:
        files[slice_path(item.slice_id, "previously.md")] = card.text
    return files
