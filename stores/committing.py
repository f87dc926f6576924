"""What one commit writes: everything or nothing, once for each key."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, delete, insert, select, update

from previously.state.commit import Annotation, Commit, Committed, SliceUpdate
from previously.state.context import clean_text
from previously.state.errors import Conflict, NotFound
from previously.state.paths import CARD_PATH, slice_path
from previously.stores import backlog, ledger
from previously.stores.rows import as_committed, head_of, slice_of
from previously.stores.schema import commits, documents, slices, spaces, strands, turn_annotations, turns
from previously.stores.scoring import add_scores


def write(connection: Connection, commit: Commit, seq: int, now: datetime) -> Committed:
    """Write a commit whose key is new, as number `seq` of its space. Raises `Conflict` before anything is written."""
    for path, expected in commit.base.items():
        head = head_of(connection, commit.space, path)
        if (head.revision if head else 0) != expected:
            raise Conflict(path, expected, head.revision if head else 0)
    paths = set(_put_documents(connection, commit, seq))
    for change in commit.slices:
        _update_slice(connection, commit, change)
        paths.add(slice_path(change.slice_id, ""))
    paths |= set(_annotate(connection, commit.space, commit.annotations))
    add_scores(connection, commit.space, commit.scores, seq)
    ledger.judge(connection, commit.space, commit.judged, seq)
    if commit.settle:
        ledger.settle(connection, commit.space, commit.settle, seq)
    backlog.finish(connection, commit.space, commit.finish)
    for job in commit.owe:
        backlog.owe(connection, commit.space, job, now)
    row = {
        "space": commit.space,
        "seq": seq,
        "key": commit.key,
        "kind": commit.kind,
        "at": commit.at,
        "paths": sorted(paths),
        "result": commit.result,
    }
    connection.execute(insert(commits).values(row))
    connection.execute(update(spaces).where(spaces.c.space == commit.space).values(commit_seq=seq))
    return Committed(**{**row, "paths": tuple(row["paths"])})  # type: ignore[arg-type]


def find(connection: Connection, space: str, key: str) -> Committed | None:
    """Return the commit that was made under a key."""
    row = connection.execute(select(commits).where(commits.c.space == space, commits.c.key == key)).first()
    return as_committed(row) if row else None


def _put_documents(connection: Connection, commit: Commit, seq: int) -> Iterable[str]:
    """Write a new revision of each document whose text is new; yield the paths."""
    for put in commit.documents:
        head = head_of(connection, commit.space, put.path)
        text = clean_text(put.text)
        if head and head.text == text:
            continue
        row = {
            "space": commit.space,
            "path": put.path,
            "revision": head.revision + 1 if head else 1,
            "text": text,
            "meta": put.meta,
            "at": commit.at,
            "commit": seq,
        }
        connection.execute(insert(documents).values(row))
        yield put.path


def _update_slice(connection: Connection, commit: Commit, change: SliceUpdate) -> None:
    found = slice_of(connection, commit.space, change.slice_id)
    if found is None:
        raise NotFound(f"slice {change.slice_id} is not in this space")
    before = change.tags if change.tags is not None else found.tags
    tags = tuple(dict.fromkeys(map(clean_text, (*before, *change.add_tags))))
    values: dict[str, Any] = {
        name: value
        for name in ("focus", "summary", "tone", "related", "card_revision")
        if (value := getattr(change, name)) is not None
    }
    if change.card_revision == 0:
        card = head_of(connection, commit.space, CARD_PATH)
        values["card_revision"] = card.revision if card else None
    here = slices.c.space == commit.space, slices.c.slice_id == change.slice_id
    connection.execute(update(slices).where(*here).values({**values, "tags": list(tags)}))
    if tags != found.tags:
        connection.execute(
            delete(strands).where(strands.c.space == commit.space, strands.c.slice_id == change.slice_id)
        )
        rows = [{"space": commit.space, "name": tag, "slice_id": change.slice_id} for tag in tags]
        if rows:
            connection.execute(insert(strands), rows)


def _annotate(connection: Connection, space: str, notes: Iterable[Annotation]) -> Iterable[str]:
    """Write what is not there yet; yield the folders of the slices that the turns belong to."""
    for note in notes:
        turn = connection.execute(
            select(turns.c.slice_id).where(turns.c.space == space, turns.c.id == note.turn_id)
        ).first()
        if turn is None:
            raise NotFound(f"turn {note.turn_id} is not in this space")
        yield slice_path(turn.slice_id, "")
        there = select(turn_annotations.c.kind).where(
            turn_annotations.c.space == space,
            turn_annotations.c.turn_id == note.turn_id,
            turn_annotations.c.kind == note.kind,
        )
        if not connection.execute(there).first():
            row = {"space": space, "turn_id": note.turn_id, "kind": note.kind, "data": note.data}
            connection.execute(insert(turn_annotations).values(row))


def annotate(connection: Connection, space: str, notes: Iterable[Annotation]) -> None:
    """Write annotations that come with recorded turns."""
    for _ in _annotate(connection, space, notes):
        pass
