"""From rows to values, and the few queries that several operations share."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Row, select

from previously.state.commit import Committed, Document, Job
from previously.state.errors import Failure
from previously.state.slice import Slice
from previously.state.turn import Turn
from previously.stores.schema import documents, slices


def as_turn(row: Row[Any]) -> Turn:
    """Return a row of `turns` as a value."""
    return Turn(**row._mapping)  # noqa: SLF001 - SQLAlchemy's public name for it


def as_slice(row: Row[Any]) -> Slice:
    """Return a row of `slices` as a value."""
    values = dict(row._mapping)  # noqa: SLF001
    return Slice(**{**values, "tags": tuple(values["tags"]), "related": tuple(values["related"])})


def as_document(row: Row[Any]) -> Document:
    """Return a row of `documents` as a value."""
    values = dict(row._mapping)  # noqa: SLF001
    return Document(**{name: value for name, value in values.items() if name != "space"})


def as_job(row: Row[Any]) -> Job:
    """Return a row of `backlog` as a value."""
    values = dict(row._mapping)  # noqa: SLF001
    del values["place"]
    return Job(**{**values, "failure": Failure(values["failure"]) if values["failure"] else None})


def as_committed(row: Row[Any], *, repeated: bool = False) -> Committed:
    """Return a row of `commits` as a value."""
    values = dict(row._mapping)  # noqa: SLF001
    return Committed(**{**values, "paths": tuple(values["paths"])}, repeated=repeated)


def head_of(connection: Connection, space: str, path: str, as_of: int | None = None) -> Document | None:
    """Return the newest revision of a document; with `as_of`, the newest when that commit was made."""
    query = select(documents).where(documents.c.space == space, documents.c.path == path)
    if as_of is not None:
        query = query.where(documents.c.commit <= as_of)
    row = connection.execute(query.order_by(documents.c.revision.desc()).limit(1)).first()
    return as_document(row) if row else None


def slice_of(connection: Connection, space: str, slice_id: str) -> Slice | None:
    """Return one slice."""
    row = connection.execute(select(slices).where(slices.c.space == space, slices.c.slice_id == slice_id)).first()
    return as_slice(row) if row else None
