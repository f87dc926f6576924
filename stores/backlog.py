"""Model work that is owed: rows that outlive the process, claimed by one worker at a time."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, case, delete, func, insert, or_, select, update

from previously.state.commit import Job, JobKind, NewJob
from previously.state.errors import Failure, NotFound
from previously.stores.rows import as_job
from previously.stores.schema import backlog

_NOT_THERE = "{} is not in the backlog of this space: `previously backlog` lists what is"


def add(
    connection: Connection, space: str, key: str, *, kind: JobKind, thread: str, now: datetime, **more: Any
) -> None:
    """Add a row, or bring one that is there already up to date."""
    values = {"status": "owed", "owner": None, "leased_until": None, "attempts": 0, "next_at": now, "data": {}, **more}
    if connection.execute(update(backlog).where(*_named(space, key)).values(values)).rowcount:
        return
    place = select(func.coalesce(func.max(backlog.c.place), 0) + 1).where(backlog.c.space == space)
    fixed = {"space": space, "key": key, "kind": kind, "thread": thread, "created_at": now, "detail": ""}
    connection.execute(insert(backlog).values({**fixed, **values, "place": place.scalar_subquery()}))


def answered(connection: Connection, space: str, thread: str, now: datetime, due: datetime) -> None:
    """Say when the turns of a thread are due that waited for their reply."""
    fresh = backlog.c.space == space, backlog.c.thread == thread, backlog.c.kind == "turn", backlog.c.attempts == 0
    connection.execute(update(backlog).where(*fresh, backlog.c.next_at > now).values(next_at=due))


def owe(connection: Connection, space: str, job: NewJob, now: datetime) -> None:
    """Add the job of a commit."""
    more = {
        "data": job.data,
        "attempts": job.attempts,
        "next_at": job.next_at or now,
        "failure": job.failure.value if job.failure else None,
        "detail": job.detail,
    }
    add(connection, space, job.key, kind=job.kind, thread=job.thread, now=now, **more)


def owe_once(connection: Connection, space: str, job: NewJob, now: datetime) -> None:
    """Add a job, unless there is one under its key."""
    if connection.execute(select(backlog.c.key).where(*_named(space, job.key))).first() is None:
        owe(connection, space, job, now)


def named(connection: Connection, space: str, key: str) -> Job | None:
    """Return a row by its key."""
    row = connection.execute(select(backlog).where(*_named(space, key))).first()
    return as_job(row) if row else None


def find(
    connection: Connection,
    *,
    space: str | None,
    thread: str | None,
    kind: JobKind | None,
    due_at: datetime | None,
    owner: str | None,
    include_dead: bool,
    limit: int | None,
) -> list[Job]:
    """Return owed rows, oldest first; with `due_at` those that `owner` may work on at that time."""
    wanted: list[ColumnElement[bool]] = [
        column == value
        for column, value in ((backlog.c.space, space), (backlog.c.thread, thread), (backlog.c.kind, kind))
        if value is not None
    ]
    if not include_dead:
        wanted.append(backlog.c.status == "owed")
    if due_at is not None:
        wanted += [backlog.c.status == "owed", backlog.c.next_at <= due_at, _free(due_at, owner)]
    query = select(backlog).where(*wanted).order_by(backlog.c.created_at, backlog.c.space, backlog.c.place)
    return [as_job(row) for row in connection.execute(query.limit(limit))]


def claim(connection: Connection, space: str, key: str, *, owner: str, now: datetime, until: datetime) -> Job | None:
    """Lease a row to `owner`; `None` when somebody else holds it, or it is dead, or not there."""
    mine = update(backlog).where(*_named(space, key), backlog.c.status == "owed", _free(now, owner))
    row = connection.execute(mine.values(owner=owner, leased_until=until).returning(backlog)).first()
    return as_job(row) if row else None


def release(connection: Connection, space: str, key: str, owner: str) -> None:
    """Give a row back."""
    given = update(backlog).where(*_named(space, key), backlog.c.owner == owner)
    connection.execute(given.values(owner=None, leased_until=None))


def defer(
    connection: Connection,
    space: str,
    key: str,
    *,
    failure: Failure,
    detail: str,
    next_at: datetime,
    max_attempts: int,
) -> Job:
    """Count a failed attempt; the row waits until `next_at`, or is dead when its attempts are used up."""
    tried = backlog.c.attempts + 1
    values = {
        "status": case((tried >= max_attempts, "dead"), else_="owed"),
        "attempts": tried,
        "next_at": next_at,
        "failure": failure.value,
        "detail": detail,
        "owner": None,
        "leased_until": None,
    }
    row = connection.execute(update(backlog).where(*_named(space, key)).values(values).returning(backlog)).first()
    if row is None:
        raise NotFound(_NOT_THERE.format(key))
    return as_job(row)


def retry(connection: Connection, space: str, key: str, now: datetime) -> None:
    """Make a row due at once, with all its attempts."""
    values = {"status": "owed", "attempts": 0, "next_at": now, "owner": None, "leased_until": None}
    if not connection.execute(update(backlog).where(*_named(space, key)).values(values)).rowcount:
        raise NotFound(_NOT_THERE.format(key))


def drop(connection: Connection, space: str, key: str, owner: str | None) -> None:
    """Remove a row that its owner, or nobody, holds."""
    connection.execute(delete(backlog).where(*_named(space, key), backlog.c.owner.is_not_distinct_from(owner)))


def finish(connection: Connection, space: str, keys: tuple[str, ...]) -> None:
    """Remove rows whose work is done."""
    connection.execute(delete(backlog).where(backlog.c.space == space, backlog.c.key.in_(keys)))


def _named(space: str, key: str) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    return backlog.c.space == space, backlog.c.key == key


def _free(now: datetime, owner: str | None) -> ColumnElement[bool]:
    """Return what fits a row that nobody holds, or no longer, or that `owner` holds already (a run that is resumed)."""
    unheld = or_(backlog.c.leased_until.is_(None), backlog.c.leased_until <= now)
    return or_(unheld, backlog.c.owner == owner) if owner else unheld
