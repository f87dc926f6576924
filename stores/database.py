"""`Store`: the one durable truth. Short transactions, never one across a model call."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal, Self

from sqlalchemy import Connection, Engine, delete, func, select, update
from sqlalchemy.dialects import postgresql, sqlite

from previously.state.commit import Annotation, Commit, Committed, Document, Job, JobKind, NewJob
from previously.state.context import DEFAULT_AGENT, zone
from previously.state.errors import Failure, StoreClosed
from previously.state.ref import Ref
from previously.state.slice import ClosedBy, Recorded, Slice, SlicePolicy, SliceStatus
from previously.state.turn import NewTurn, Turn
from previously.stores import backlog, committing, reading
from previously.stores.engine import open_engine
from previously.stores.ledger import Ledger
from previously.stores.recording import Recording, active_slice, close
from previously.stores.rows import head_of, slice_of
from previously.stores.schema import OF_A_SPACE, slices, spaces

_DEFAULT_ZONE = "UTC"


def machine_clock() -> datetime:
    """Return the time of the machine's clock."""
    return datetime.now(UTC)


class Store:
    """Turns, slices, documents, scores, backlog and commits of all spaces.

    Thread-safe; several processes may share a database. Every method is one short transaction.
    """

    def __init__(self, engine: Engine, clock: Callable[[], datetime]) -> None:
        """Use `Store.open`."""
        self._engine: Engine | None = engine
        self._pen = threading.Lock() if engine.dialect.name == "sqlite" else nullcontext()
        self._clock = clock
        self.ledger = Ledger(self._reading, self._writing)

    @classmethod
    def open(cls, database: str | Path, *, clock: Callable[[], datetime] = machine_clock) -> Self:
        """Open a SQLite file by path, or PostgreSQL by SQLAlchemy URL, making the tables where they are missing.

        `clock` gives the machine's time, for when a turn was stored and a job is due. Raises `InvalidInput` naming
        `database`, and `PreviouslyError` for a database that can't be opened or was made by a newer version.
        """
        return cls(open_engine(database), clock)

    def close(self) -> None:
        """Close all connections."""
        if self._engine is not None:
            self._engine.dispose()
            self._engine = None

    def __enter__(self) -> Self:
        """Return the store itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close all connections."""
        self.close()

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        with self._open().connect().execution_options(reading=True) as connection:
            yield connection

    @contextmanager
    def _changing(self) -> Iterator[Connection]:
        """Yield a transaction that may write. SQLite has one writer: threads queue here, where none of them starves."""
        with self._pen, self._open().begin() as connection:
            yield connection

    @contextmanager
    def _writing(self, space: str) -> Iterator[tuple[Connection, Any]]:
        """Yield a transaction that holds the row of the space, which is made when it is new."""
        with self._changing() as connection:
            dialect = postgresql if connection.dialect.name == "postgresql" else sqlite
            row = {"space": space, "timezone": _DEFAULT_ZONE, "turn_seq": 0, "commit_seq": 0}
            fresh = dialect.insert(spaces).values({**row, "created_at": self._clock()}).on_conflict_do_nothing()
            locked = select(spaces).where(spaces.c.space == space).with_for_update()
            while (found := connection.execute(locked).first()) is None:  # once more if it is erased in between
                connection.execute(fresh)
            yield connection, found

    def _open(self) -> Engine:
        if self._engine is None:
            raise StoreClosed("the store is closed: open the memory again")
        return self._engine

    # Turns and slices

    def record(
        self,
        space: str,
        batch: Sequence[NewTurn],
        *,
        policy: SlicePolicy,
        timezone: str | None = None,
        annotations: Sequence[Annotation] = (),
        answering: timedelta = timedelta(0),
        agent: str = DEFAULT_AGENT,
    ) -> Recorded:
        """Store turns durably and in order, each once by its id; close and open slices by `policy`.

        Every new user turn and every slice that ends adds a job to the backlog. `timezone` becomes the space's zone.
        `answering` is for how long whoever records keeps the jobs of its turns to itself; with the reply this is
        said anew. `agent` is the one that they talk to, for whom the jobs are done.
        """
        with self._writing(space) as (connection, row):
            if timezone and timezone != row.timezone:
                changed = update(spaces).where(spaces.c.space == space)
                connection.execute(changed.values(timezone=zone("timezone", timezone).key))
            recording = Recording(
                connection, space, policy, timezone or row.timezone, self._clock(), answering, agent, seq=row.turn_seq
            )
            recorded = recording.record(batch)
            committing.annotate(connection, space, annotations)
            return recorded

    def close_slice(self, space: str, slice_id: str, closed_by: ClosedBy, *, agent: str = DEFAULT_AGENT) -> bool:
        """End an open slice; its review becomes a job. False when it was not open."""
        if self.slice(space, slice_id) is None:
            return False
        with self._writing(space) as (connection, _):
            found = slice_of(connection, space, slice_id)
            if found is None or found.status != "active":
                return False
            close(connection, found, closed_by, self._clock(), agent)
            return True

    def turn(self, space: str, turn_id: str) -> Turn | None:
        """Return one turn by its id."""
        return next(iter(self.turns(space, ids=[turn_id])), None)

    def turn_at(self, space: str, ref: Ref) -> Turn | None:
        """Return the turn that a ref with a turn number cites."""
        with self._reading() as connection:
            return reading.turn_at(connection, space, ref)

    def resolves(self, space: str, ref: Ref) -> bool:
        """Whether a ref cites something that was said in this space."""
        return self.slice(space, ref.slice_id) is not None if ref.turn is None else self.turn_at(space, ref) is not None

    def turns(
        self,
        space: str,
        *,
        slice_id: str | None = None,
        thread: str | None = None,
        ids: Sequence[str] | None = None,
        after_seq: int | None = None,
        before_seq: int | None = None,
        newest_first: bool = False,
        limit: int | None = None,
    ) -> list[Turn]:
        """Return the turns that fit all given filters, in the order of recording (or the newest first)."""
        with self._reading() as connection:
            return reading.find_turns(
                connection,
                space,
                slice_id=slice_id,
                thread=thread,
                ids=ids,
                after_seq=after_seq,
                before_seq=before_seq,
                newest_first=newest_first,
                limit=limit,
            )

    def active_slice(self, space: str, thread: str) -> Slice | None:
        """Return the open slice of a thread."""
        with self._reading() as connection:
            return active_slice(connection, space, thread)

    def slice(self, space: str, slice_id: str) -> Slice | None:
        """Return one slice."""
        with self._reading() as connection:
            return slice_of(connection, space, slice_id)

    def slices(
        self,
        space: str,
        *,
        status: SliceStatus | None = None,
        thread: str | None = None,
        dry: bool | None = None,
        newest_first: bool = False,
        limit: int | None = None,
    ) -> list[Slice]:
        """Return the slices that fit all given filters, by id. `dry`: closed and without focus or summary."""
        with self._reading() as connection:
            return reading.find_slices(
                connection, space, status=status, thread=thread, dry=dry, newest_first=newest_first, limit=limit
            )

    def strand_names(self, space: str, *, limit: int | None = None) -> list[str]:
        """Return the topics of a space, the one touched last first."""
        with self._reading() as connection:
            return reading.strand_names(connection, space, limit)

    def strands(self, space: str, *, limit: int | None = None) -> list[tuple[str, tuple[str, ...]]]:
        """Return each topic with the ids of its slices, the topic touched last first."""
        with self._reading() as connection:
            return reading.find_strands(connection, space, limit)

    def annotations(
        self,
        space: str,
        *,
        kind: Literal["analysis", "cognition"],
        slice_id: str | None = None,
        turn_ids: Sequence[str] | None = None,
    ) -> list[Annotation]:
        """Return what was derived about turns, in the order of the turns."""
        with self._reading() as connection:
            return reading.find_annotations(connection, space, kind, slice_id, turn_ids)

    # Documents, commits, scores

    def head(self, space: str, path: str, *, as_of: int | None = None) -> Document | None:
        """Return the newest revision of a document; with `as_of`, the newest when that commit was made."""
        with self._reading() as connection:
            return head_of(connection, space, path, as_of)

    def document(self, space: str, path: str, revision: int) -> Document | None:
        """Return one revision of a document."""
        with self._reading() as connection:
            return next(iter(reading.find_documents(connection, space, path, revision)), None)

    def revisions(self, space: str, path: str) -> list[Document]:
        """Return all revisions of a document, oldest first."""
        with self._reading() as connection:
            return reading.find_documents(connection, space, path)

    def paths(self, space: str) -> list[str]:
        """Return the paths of all documents."""
        with self._reading() as connection:
            return reading.document_paths(connection, space)

    def commit(self, commit: Commit) -> Committed:
        """Install a commit in one transaction. Raises `Conflict` when a document of its base has moved.

        Under a key that was committed before, nothing is written and the first result comes back.
        """
        with self._writing(commit.space) as (connection, row):
            if found := committing.find(connection, commit.space, commit.key):
                return replace(found, repeated=True)
            return committing.write(connection, commit, row.commit_seq + 1, self._clock())

    def committed(self, space: str, key: str) -> Committed | None:
        """Return the commit that was made under a key."""
        with self._reading() as connection:
            return committing.find(connection, space, key)

    def commits(
        self, space: str, *, after: int = 0, kind: str | None = None, limit: int | None = None
    ) -> list[Committed]:
        """Return the commits behind number `after`, oldest first; with `kind` only those."""
        with self._reading() as connection:
            return reading.find_commits(connection, space, after, kind, limit)

    # Backlog

    def owed(
        self,
        *,
        space: str | None = None,
        thread: str | None = None,
        kind: JobKind | None = None,
        due_at: datetime | None = None,
        owner: str | None = None,
        include_dead: bool = False,
        limit: int | None = None,
    ) -> list[Job]:
        """Return owed jobs, oldest first; with `due_at` only those that `owner` may work on at that time."""
        with self._reading() as connection:
            return backlog.find(
                connection,
                space=space,
                thread=thread,
                kind=kind,
                due_at=due_at,
                owner=owner,
                include_dead=include_dead,
                limit=limit,
            )

    def job(self, space: str, key: str) -> Job | None:
        """Return a job by its key, also a dead one."""
        with self._reading() as connection:
            return backlog.named(connection, space, key)

    def owe(self, space: str, job: NewJob) -> None:
        """Add a job, unless there is one under its key."""
        with self._writing(space) as (connection, _):
            backlog.owe_once(connection, space, job, self._clock())

    def drop(self, space: str, key: str, *, owner: str | None = None) -> None:
        """Remove a job that is not owed any more; `owner` is who has to hold it, by default nobody."""
        with self._changing() as connection:
            backlog.drop(connection, space, key, owner)

    def claim(self, space: str, key: str, *, owner: str, now: datetime, until: datetime) -> Job | None:
        """Lease a job until a time; one that the same owner holds is renewed. `None`: it can't be had."""
        with self._changing() as connection:
            return backlog.claim(connection, space, key, owner=owner, now=now, until=until)

    def release(self, space: str, key: str, owner: str) -> None:
        """Give a leased job back."""
        with self._changing() as connection:
            backlog.release(connection, space, key, owner)

    def defer(
        self, space: str, key: str, *, failure: Failure, detail: str, next_at: datetime, max_attempts: int
    ) -> Job:
        """Count a failed attempt of a job; it waits until `next_at`, or is dead at `max_attempts`."""
        with self._changing() as connection:
            return backlog.defer(
                connection, space, key, failure=failure, detail=detail, next_at=next_at, max_attempts=max_attempts
            )

    def retry(self, space: str, key: str) -> None:
        """Make an owed or dead job due at once, with all its attempts. `NotFound` when there is none."""
        with self._changing() as connection:
            backlog.retry(connection, space, key, self._clock())

    # Spaces

    def spaces(self) -> list[str]:
        """Return the ids of all spaces."""
        with self._reading() as connection:
            return list(connection.scalars(select(spaces.c.space).order_by(spaces.c.space)))

    def exists(self, space: str) -> bool:
        """Whether anything was ever stored of a space."""
        with self._reading() as connection:
            return connection.scalar(select(spaces.c.space).where(spaces.c.space == space)) is not None

    def timezone(self, space: str) -> str:
        """Return the IANA zone of a space, UTC while it has none."""
        with self._reading() as connection:
            query = select(spaces.c.timezone).where(spaces.c.space == space)
            return connection.scalar(query) or _DEFAULT_ZONE

    def threads(self, space: str, *, only: bool = False) -> list[str]:
        """Return the threads of a space; with `only`, those that no other space has."""
        query = select(slices.c.thread).distinct().where(slices.c.space == space)
        if only:
            query = query.where(slices.c.thread.not_in(select(slices.c.thread).where(slices.c.space != space)))
        with self._reading() as connection:
            return list(connection.scalars(query))

    def stats(self, space: str) -> dict[str, int]:
        """Return how many rows of each table the space has."""
        with self._reading() as connection:
            counted = ((table, select(func.count()).where(table.c.space == space)) for table in OF_A_SPACE)
            return {table.name: connection.scalar(query) or 0 for table, query in counted}

    def erase(self, space: str) -> int:
        """Remove every row of a space, also from the write-ahead log; return how many there were."""
        if not self.exists(space):
            return 0
        with self._writing(space) as (connection, _):
            counts = [connection.execute(delete(table).where(table.c.space == space)).rowcount for table in OF_A_SPACE]
        if self._open().dialect.name == "sqlite":
            with closing(self._open().raw_connection()) as raw:
                raw.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return sum(counts)
