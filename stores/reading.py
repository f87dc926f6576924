"""The queries of the store: what was said, what became of it, and where it belongs."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import ColumnElement, Connection, and_, func, select

from previously.state.commit import Annotation, Committed, Document
from previously.state.ref import Ref
from previously.state.slice import Slice, SliceStatus
from previously.state.turn import Turn
from previously.stores.rows import as_committed, as_document, as_slice, as_turn
from previously.stores.schema import commits, documents, slices, strands, turn_annotations, turns

_IN_ONE_QUERY = 500
"""Ids that one query names; a database has a limit on them."""


def find_turns(
    connection: Connection,
    space: str,
    *,
    slice_id: str | None,
    thread: str | None,
    ids: Sequence[str] | None,
    after_seq: int | None,
    before_seq: int | None,
    newest_first: bool,
    limit: int | None,
) -> list[Turn]:
    """Return the turns that fit all given filters."""
    wanted: list[ColumnElement[bool]] = [turns.c.space == space]
    wanted += [turns.c.slice_id == slice_id] if slice_id is not None else []
    wanted += [turns.c.thread == thread] if thread is not None else []
    wanted += [turns.c.seq > after_seq] if after_seq is not None else []
    wanted += [turns.c.seq < before_seq] if before_seq is not None else []
    query = select(turns).where(*wanted)
    if ids is None:
        # in a slice both orders are the same, but asked for `seq` SQLite walks through the whole space
        order = turns.c.seq if slice_id is None else turns.c.number
        ordered = query.order_by(order.desc() if newest_first else order).limit(limit)
        return list(map(as_turn, connection.execute(ordered)))
    parts = (ids[at : at + _IN_ONE_QUERY] for at in range(0, len(ids), _IN_ONE_QUERY))
    rows = {row.seq: row for part in parts for row in connection.execute(query.where(turns.c.id.in_(part)))}
    return [as_turn(rows[seq]) for seq in sorted(rows, reverse=newest_first)[:limit]]


def turn_at(connection: Connection, space: str, ref: Ref) -> Turn | None:
    """Return the turn that a ref with a turn number cites."""
    query = select(turns).where(turns.c.space == space, turns.c.slice_id == ref.slice_id, turns.c.number == ref.turn)
    row = connection.execute(query).first()
    return as_turn(row) if row else None


def find_slices(
    connection: Connection,
    space: str,
    *,
    status: SliceStatus | None,
    thread: str | None,
    dry: bool | None,
    newest_first: bool,
    limit: int | None,
) -> list[Slice]:
    """Return the slices that fit all given filters, by id."""
    wanted: list[ColumnElement[bool]] = [slices.c.space == space]
    wanted += [slices.c.status == status] if status else []
    wanted += [slices.c.thread == thread] if thread is not None else []
    if dry is not None:
        is_dry = and_(slices.c.status == "closed", (slices.c.focus == "") | (slices.c.summary == ""))
        wanted.append(is_dry if dry else ~is_dry)
    order = slices.c.slice_id.desc() if newest_first else slices.c.slice_id
    return list(map(as_slice, connection.execute(select(slices).where(*wanted).order_by(order).limit(limit))))


def strand_names(connection: Connection, space: str, limit: int | None) -> list[str]:
    """Return the topics, the one touched last first."""
    newest = select(strands.c.name).where(strands.c.space == space).group_by(strands.c.name)
    newest = newest.order_by(func.max(strands.c.slice_id).desc(), strands.c.name)
    return list(connection.scalars(newest.limit(limit)))


def find_strands(connection: Connection, space: str, limit: int | None) -> list[tuple[str, tuple[str, ...]]]:
    """Return the topics with the ids of their slices."""
    found: dict[str, list[str]] = {name: [] for name in strand_names(connection, space, limit)}
    query = select(strands.c.name, strands.c.slice_id).where(strands.c.space == space)
    if limit is not None:
        query = query.where(strands.c.name.in_(found))
    for name, slice_id in connection.execute(query.order_by(strands.c.slice_id)):
        found.setdefault(name, []).append(slice_id)
    return [(name, tuple(ids)) for name, ids in found.items()]


def find_annotations(
    connection: Connection, space: str, kind: str, slice_id: str | None, turn_ids: Sequence[str] | None
) -> list[Annotation]:
    """Return what was derived about turns, in the order of the turns."""
    same = and_(turn_annotations.c.space == turns.c.space, turn_annotations.c.turn_id == turns.c.id)
    wanted = [turn_annotations.c.space == space, turn_annotations.c.kind == kind]
    wanted += [turns.c.slice_id == slice_id] if slice_id is not None else []
    wanted += [turn_annotations.c.turn_id.in_(turn_ids)] if turn_ids is not None else []
    query = select(turn_annotations.c.turn_id, turn_annotations.c.kind, turn_annotations.c.data, turns.c.seq)
    # sorted here: asked for `seq`, SQLite walks through the whole space
    rows = sorted(connection.execute(query.join(turns, same).where(*wanted)), key=lambda row: row.seq)
    return [Annotation(turn_id=row.turn_id, kind=row.kind, data=row.data) for row in rows]


def find_documents(connection: Connection, space: str, path: str, revision: int | None = None) -> list[Document]:
    """Return the revisions of a document, oldest first, or the one."""
    query = select(documents).where(documents.c.space == space, documents.c.path == path)
    if revision is not None:
        query = query.where(documents.c.revision == revision)
    return list(map(as_document, connection.execute(query.order_by(documents.c.revision))))


def document_paths(connection: Connection, space: str) -> list[str]:
    """Return the paths of all documents."""
    query = select(documents.c.path).distinct().where(documents.c.space == space).order_by(documents.c.path)
    return list(connection.scalars(query))


def find_commits(
    connection: Connection, space: str, after: int, kind: str | None, limit: int | None
) -> list[Committed]:
    """Return the commits behind number `after`, oldest first; with `kind` only those."""
    query = select(commits).where(commits.c.space == space, commits.c.seq > after).order_by(commits.c.seq)
    query = query.where(commits.c.kind == kind) if kind is not None else query
    return list(map(as_committed, connection.execute(query.limit(limit))))
