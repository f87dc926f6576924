"""`Store`: the one durable truth. Short transactions, never one across a model call."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal, Self

from sqlalchemy import Connection, Engine, and_, delete, func, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import OperationalError

from previously.state.commit import Annotation, Commit, Committed, Document, Job, JobKind
from previously.state.errors import Failure, StoreClosed
from previously.state.ref import Ref
from previously.state.slice import ClosedBy, Recorded, Slice, SlicePolicy, SliceStatus
from previously.state.turn import NewTurn, Turn
from previously.stores import backlog, committing
from previously.stores.engine import open_engine
from previously.stores.recording import Recording, active_slice, close
from previously.stores.rows import as_committed, as_document, as_slice, as_turn, head_of, slice_of
from previously.stores.schema import (
    OF_A_SPACE,
    commits,
    documents,
    fitness,
    slices,
    spaces,
    strands,
    turn_annotations,
    turns,
)

_DEFAULT_ZONE = "UTC"
_IN_ONE_QUERY = 500


def machine_clock() -> datetime:
    """Return the time of the machine's clock."""
    return datetime.now(UTC)


class Store:
    """Turns, slices, documents, scores, backlog and commits of all spaces. Thread-safe; several processes may share it."""

    def __init__(self, engine: Engine, clock: Callable[[], datetime]) -> None:
        """Use `Store.open`."""
        self._engine: Engine | None = engine
        self._clock = clock

    @classmethod
    def open(cls, database: str | Path, *, clock: Callable[[], datetime] = machine_clock) -> Self:
        """Open a SQLite file by path, or any database by SQLAlchemy URL, making its tables where they are missing.

        Raises `InvalidInput` naming `database`, and `PreviouslyError` for a database of a newer version.
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
    def _writing(self, space: str) -> Iterator[tuple[Connection, Any]]:
        """Yield a transaction that holds the row of the space, which is made when it is new."""
        with self._open().begin() as connection:
            dialect = postgresql if connection.dialect.name == "postgresql" else sqlite
            row = {"space": space, "timezone": _DEFAULT_ZONE, "turn_seq": 0, "commit_seq": 0}
            fresh = dialect.insert(spaces).values({**row, "created_at": self._clock()})
            connection.execute(fresh.on_conflict_do_nothing())
            locked = select(spaces).where(spaces.c.space == space).with_for_update()
            yield connection, connection.execute(locked).one()

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
    ) -> Recorded:
        """Store turns durably and in order, each once by its id; close and open slices by `policy`.

        Every new user turn and every slice that ends adds a job to the backlog. `timezone` becomes the space's zone.
        While somebody is `answering`, nobody else takes up a turn's job: it is due once the reply is stored, or after
        that time.
        """
        with self._writing(space) as (connection, row):
            if timezone and timezone != row.timezone:
                connection.execute(update(spaces).where(spaces.c.space == space).values(timezone=timezone))
            recording = Recording(
                connection, space, policy, timezone or row.timezone, self._clock(), answering, seq=row.turn_seq
            )
            recorded = recording.record(batch)
            committing.annotate(connection, space, annotations)
            return recorded

    def close_slice(self, space: str, slice_id: str, closed_by: ClosedBy) -> bool:
        """End an open slice; its review becomes a job. False when it was not open."""
        with self._writing(space) as (connection, _):
            found = slice_of(connection, space, slice_id)
            if found is None or found.status != "active":
                return False
            close(connection, found, closed_by, self._clock())
            return True

    def turn(self, space: str, turn_id: str) -> Turn | None:
        """Return one turn by its id."""
        return next(iter(self.turns(space, ids=[turn_id])), None)

    def turn_at(self, space: str, ref: Ref) -> Turn | None:
        """Return the turn that a ref with a turn number cites."""
        with self._reading() as connection:
            query = select(turns).where(turns.c.space == space, turns.c.slice_id == ref.slice_id)
            row = connection.execute(query.where(turns.c.number == ref.turn)).first()
            return as_turn(row) if row else None

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
        wanted = [turns.c.space == space]
        wanted += [turns.c.slice_id == slice_id] if slice_id is not None else []
        wanted += [turns.c.thread == thread] if thread is not None else []
        wanted += [turns.c.seq > after_seq] if after_seq is not None else []
        wanted += [turns.c.seq < before_seq] if before_seq is not None else []
        order = turns.c.seq.desc() if newest_first else turns.c.seq
        parts = [ids[at : at + _IN_ONE_QUERY] for at in range(0, len(ids), _IN_ONE_QUERY)] if ids is not None else [None]
        found: list[Turn] = []
        with self._reading() as connection:
            for part in parts:
                query = select(turns).where(*wanted, *([turns.c.id.in_(part)] if part is not None else []))
                found += map(as_turn, connection.execute(query.order_by(order).limit(limit)))
        return found

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
        wanted = [slices.c.space == space]
        wanted += [slices.c.status == status] if status else []
        wanted += [slices.c.thread == thread] if thread is not None else []
        if dry is not None:
            is_dry = and_(slices.c.status == "closed", (slices.c.focus == "") | (slices.c.summary == ""))
            wanted.append(is_dry if dry else ~is_dry)
        order = slices.c.slice_id.desc() if newest_first else slices.c.slice_id
        with self._reading() as connection:
            return list(map(as_slice, connection.execute(select(slices).where(*wanted).order_by(order).limit(limit))))

    def strand_names(self, space: str, *, limit: int | None = None) -> list[str]:
        """Return the topics of a space, the one touched last first."""
        newest = select(strands.c.name).where(strands.c.space == space).group_by(strands.c.name)
        newest = newest.order_by(func.max(strands.c.slice_id).desc(), strands.c.name)
        with self._reading() as connection:
            return list(connection.scalars(newest.limit(limit)))

    def strands(self, space: str, *, limit: int | None = None) -> list[tuple[str, tuple[str, ...]]]:
        """Return each topic with the ids of its slices, the topic touched last first."""
        names = self.strand_names(space, limit=limit)
        with self._reading() as connection:
            query = select(strands.c.name, strands.c.slice_id).where(strands.c.space == space)
            if limit is not None:
                query = query.where(strands.c.name.in_(names))
            found: dict[str, list[str]] = {name: [] for name in names}
            for name, slice_id in connection.execute(query.order_by(strands.c.slice_id)):
                found.setdefault(name, []).append(slice_id)
        return [(name, tuple(ids)) for name, ids in found.items()]

    def annotations(
        self,
        space: str,
        *,
        kind: Literal["analysis", "cognition"],
        slice_id: str | None = None,
        turn_ids: Sequence[str] | None = None,
    ) -> list[Annotation]:
        """Return what was derived about turns, in the order of the turns."""
        same = and_(turn_annotations.c.space == turns.c.space, turn_annotations.c.turn_id == turns.c.id)
        wanted = [turn_annotations.c.space == space, turn_annotations.c.kind == kind]
        wanted += [turns.c.slice_id == slice_id] if slice_id is not None else []
        wanted += [turn_annotations.c.turn_id.in_(turn_ids)] if turn_ids is not None else []
        query = select(turn_annotations.c.turn_id, turn_annotations.c.kind, turn_annotations.c.data).join(turns, same)
        with self._reading() as connection:
            rows = connection.execute(query.where(*wanted).order_by(turns.c.seq))
            return [Annotation(turn_id=row.turn_id, kind=row.kind, data=row.data) for row in rows]

    # Documents, commits, scores

    def head(self, space: str, path: str) -> Document | None:
        """Return the newest revision of a document."""
        with self._reading() as connection:
            return head_of(connection, space, path)

    def document(self, space: str, path: str, revision: int) -> Document | None:
        """Return one revision of a document."""
        return next((found for found in self.revisions(space, path) if found.revision == revision), None)

    def revisions(self, space: str, path: str) -> list[Document]:
        """Return all revisions of a document, oldest first."""
        query = select(documents).where(documents.c.space == space, documents.c.path == path)
        with self._reading() as connection:
            return list(map(as_document, connection.execute(query.order_by(documents.c.revision))))

    def paths(self, space: str) -> list[str]:
        """Return the paths of all documents."""
        query = select(documents.c.path).distinct().where(documents.c.space == space).order_by(documents.c.path)
        with self._reading() as connection:
            return list(connection.scalars(query))

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

    def commits(self, space: str, *, after: int = 0, limit: int | None = None) -> list[Committed]:
        """Return the commits behind number `after`, oldest first."""
        query = select(commits).where(commits.c.space == space, commits.c.seq > after).order_by(commits.c.seq)
        with self._reading() as connection:
            return list(map(as_committed, connection.execute(query.limit(limit))))

    def scores(self, space: str, agent: str) -> list[dict[str, Any]]:
        """Return the fitness rows of an agent, oldest first."""
        query = select(fitness).where(fitness.c.space == space, fitness.c.agent == agent).order_by(fitness.c.id)
        with self._reading() as connection:
            return [dict(row._mapping) for row in connection.execute(query)]  # noqa: SLF001

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

    def claim(self, space: str, key: str, *, owner: str, now: datetime, until: datetime) -> Job | None:
        """Lease a job until a time; one that the same owner holds is renewed. `None`: it can't be had."""
        with self._open().begin() as connection:
            return backlog.claim(connection, space, key, owner=owner, now=now, until=until)

    def release(self, space: str, key: str, owner: str) -> None:
        """Give a leased job back."""
        with self._open().begin() as connection:
            backlog.release(connection, space, key, owner)

    def defer(
        self, space: str, key: str, *, failure: Failure, detail: str, next_at: datetime, max_attempts: int
    ) -> Job:
        """Count a failed attempt of a job; it waits until `next_at`, or is dead at `max_attempts`."""
        with self._open().begin() as connection:
            return backlog.defer(
                connection, space, key, failure=failure, detail=detail, next_at=next_at, max_attempts=max_attempts
            )

    def retry(self, space: str, key: str) -> None:
        """Make an owed or dead job due at once, with all its attempts. `NotFound` when there is none."""
        with self._open().begin() as connection:
            backlog.retry(connection, space, key, self._clock())

    # Spaces

    def spaces(self) -> list[str]:
        """Return the ids of all spaces."""
        with self._reading() as connection:
            return list(connection.scalars(select(spaces.c.space).order_by(spaces.c.space)))

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
        with self._open().begin() as connection:
            counts = [connection.execute(delete(table).where(table.c.space == space)).rowcount for table in OF_A_SPACE]
        if self._open().dialect.name == "sqlite":
            with closing(self._open().raw_connection()) as raw:
                raw.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return sum(counts)
