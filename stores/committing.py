"""What one commit writes: everything or nothing, once for each key."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, delete, func, insert, select, update

from previously.state.commit import CARD_PATH, Annotation, Commit, Committed, Score, SliceUpdate
from previously.state.context import clean_text
from previously.state.errors import Conflict, NotFound
from previously.state.ref import slice_path
from previously.stores import backlog
from previously.stores.rows import as_committed, head_of, slice_of
from previously.stores.schema import commits, documents, fitness, slices, spaces, strands, turn_annotations, turns

_LOWEST, _HIGHEST = -2, 1
_QUOTES = str.maketrans(dict.fromkeys('"`´‘’‚‛“”„‟′″‹›«»「」『』', "'"))


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
    _add_scores(connection, commit.space, commit.scores, seq)
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


def _add_scores(connection: Connection, space: str, scores: Iterable[Score], seq: int) -> None:
    for score in scores:
        number = select(func.coalesce(func.max(fitness.c.id), 0) + 1).where(fitness.c.space == space)
        row = {
            "space": space,
            "id": number.scalar_subquery(),
            "agent": score.agent,
            "bucket": score.bucket,
            "delta": score.delta if _holds(connection, space, score) else 0,
            "evidence": score.evidence,
            "turn_id": score.turn_id,
            "slice_id": score.slice_id,
            "commit": seq,
        }
        connection.execute(insert(fitness).values(row))


def _holds(connection: Connection, space: str, score: Score) -> bool:
    """Whether a delta is in range and its evidence stands in what the user said in that turn."""
    query = select(turns.c.text, turns.c.role).where(turns.c.space == space, turns.c.id == score.turn_id)
    turn = connection.execute(query).first()
    quoted = _folded(clean_text(score.evidence)).strip("' ")
    in_range = _LOWEST <= score.delta <= _HIGHEST
    return bool(in_range and quoted and turn and turn.role == "user" and quoted in _folded(turn.text))


def _folded(text: str) -> str:
    """Return a text as quotes are compared: compatible characters, case, white space and quotation marks made one."""
    plain = unicodedata.normalize("NFKC", text.translate(_QUOTES)).translate(_QUOTES).casefold()
    return " ".join(plain.split())
