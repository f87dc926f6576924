"""The fitness ledger: the scores of the current generation, and the mechanical signals beside them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any

from sqlalchemy import Connection, func, insert, select, update

from previously.state.commit import Bucket, Scored, Settlement
from previously.state.signal import SIGNAL_DETAIL, NewSignal, Signal, SignalKind
from previously.stores.schema import fitness, signals


class Ledger:
    """What the evolution loop counts. Part of a `Store`."""

    def __init__(
        self,
        reading: Callable[[], AbstractContextManager[Connection]],
        writing: Callable[[str], AbstractContextManager[tuple[Connection, Any]]],
    ) -> None:
        """`reading` and `writing` are the store's own transactions."""
        self._reading = reading
        self._writing = writing

    def net(self, space: str, agent: str) -> dict[Bucket, int]:
        """Return the sum of each bucket's deltas in the current generation; a bucket without any is left out."""
        current = fitness.c.space == space, fitness.c.agent == agent, fitness.c.settled.is_(None)
        query = select(fitness.c.bucket, func.sum(fitness.c.delta)).where(*current).group_by(fitness.c.bucket)
        with self._reading() as connection:
            return {bucket: int(total) for bucket, total in connection.execute(query)}

    def scores(self, space: str, agent: str, *, settled: bool | None = None) -> list[Scored]:
        """Return the scores of an agent, oldest first; with `settled=False` those of the current generation."""
        query = select(fitness).where(fitness.c.space == space, fitness.c.agent == agent).order_by(fitness.c.id)
        if settled is not None:
            query = query.where(fitness.c.settled.is_not(None) if settled else fitness.c.settled.is_(None))
        with self._reading() as connection:
            return [Scored(**row._mapping) for row in connection.execute(query)]  # noqa: SLF001 - SQLAlchemy's name

    def record(self, space: str, new: NewSignal) -> Signal:
        """Record a fact, once by its key; return it as it is stored."""
        with self._writing(space) as (connection, _):
            there = select(signals).where(signals.c.space == space, signals.c.key == new.key)
            if (row := connection.execute(there).first()) is None:
                number = select(func.coalesce(func.max(signals.c.id), 0) + 1).where(signals.c.space == space)
                values = {name: getattr(new, name) for name in ("key", "agent", "thread", "kind", "at", "data")}
                values["detail"] = " ".join(new.detail.split())[:SIGNAL_DETAIL]
                fresh = insert(signals).values(space=space, id=number.scalar_subquery(), **values)
                connection.execute(fresh)
                row = connection.execute(there).one()
            return Signal(**row._mapping)  # noqa: SLF001

    def signals(
        self,
        space: str,
        *,
        agent: str,
        thread: str | None = None,
        kinds: Sequence[SignalKind] | None = None,
        judged: bool | None = None,
        newest_first: bool = False,
        limit: int | None = None,
    ) -> list[Signal]:
        """Return the recorded facts that fit all given filters, oldest first."""
        query = select(signals).where(signals.c.space == space, signals.c.agent == agent)
        if thread is not None:
            query = query.where(signals.c.thread == thread)
        if kinds is not None:
            query = query.where(signals.c.kind.in_(kinds))
        if judged is not None:
            query = query.where(signals.c.judged.is_not(None) if judged else signals.c.judged.is_(None))
        order = signals.c.id.desc() if newest_first else signals.c.id
        with self._reading() as connection:
            return [Signal(**row._mapping) for row in connection.execute(query.order_by(order).limit(limit))]  # noqa: SLF001


def settle(connection: Connection, space: str, settlement: Settlement, seq: int) -> None:
    """End the generation of an agent: what was read of it counts no longer."""
    read = fitness.c.space == space, fitness.c.agent == settlement.agent, fitness.c.id <= settlement.upto
    connection.execute(update(fitness).where(*read, fitness.c.settled.is_(None)).values(settled=seq))


def judge(connection: Connection, space: str, ids: Sequence[int], seq: int) -> None:
    """Note which commit's analysis saw some signals: they are not shown again."""
    shown = signals.c.space == space, signals.c.id.in_(ids), signals.c.judged.is_(None)
    connection.execute(update(signals).where(*shown).values(judged=seq))


def unjudged(connection: Connection, space: str, signal_id: int) -> Signal | None:
    """Return a signal that no analysis has seen yet."""
    wanted = signals.c.space == space, signals.c.id == signal_id, signals.c.judged.is_(None)
    row = connection.execute(select(signals).where(*wanted)).first()
    return Signal(**row._mapping) if row else None  # noqa: SLF001
