"""The tables. Every row belongs to exactly one space, and every key begins with it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    Column,
    Dialect,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
)
from sqlalchemy.types import TypeEngine

from previously.state.context import clean_text

SCHEMA_VERSION = 2
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


class Instant(TypeDecorator[datetime]):
    """An aware instant, kept as microseconds since 1970 in UTC; the same on every database."""

    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> int | None:  # noqa: ARG002
        """Return the stored number."""
        return None if value is None else (value - _EPOCH) // _MICROSECOND

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        """Return the instant in UTC."""
        return None if value is None else _EPOCH + timedelta(microseconds=value)


class Words(TypeDecorator[str]):
    """A text, compared and sorted by code point; characters that no database can hold are replaced on their way in."""

    impl = Text
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """Return the column type: PostgreSQL would sort by its own language otherwise."""
        return dialect.type_descriptor(Text(collation="C") if dialect.name == "postgresql" else Text())

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002
        """Return the stored text."""
        return None if value is None else clean_text(value)


metadata = MetaData()

meta = Table("meta", metadata, Column("name", String, primary_key=True), Column("value", Words, nullable=False))
"""Facts about the database itself: `schema_version`."""

spaces = Table(
    "spaces",
    metadata,
    Column("space", Words, primary_key=True),
    Column("timezone", Words, nullable=False),
    Column("turn_seq", Integer, nullable=False, default=0),
    Column("commit_seq", Integer, nullable=False, default=0),
    Column("created_at", Instant, nullable=False),
)
"""One row a user. Its lock serialises the writes of a space; its counters number them."""

turns = Table(
    "turns",
    metadata,
    Column("space", Words, primary_key=True),
    Column("id", Words, primary_key=True),
    Column("seq", Integer, nullable=False),
    Column("slice_id", Words, nullable=False),
    Column("number", Integer, nullable=False),
    Column("thread", Words, nullable=False),
    Column("role", Words, nullable=False),
    Column("speaker", Words),
    Column("authority", Words, nullable=False),
    Column("trust", Words, nullable=False),
    Column("text", Words, nullable=False),
    Column("hash", Words, nullable=False),
    Column("event_time", Instant, nullable=False),
    Column("ingested_at", Instant, nullable=False),
    UniqueConstraint("space", "seq"),
    UniqueConstraint("space", "slice_id", "number"),
    Index("turns_of_thread", "space", "thread", "seq"),
)
"""What was said. Append-only."""

slices = Table(
    "slices",
    metadata,
    Column("space", Words, primary_key=True),
    Column("slice_id", Words, primary_key=True),
    Column("thread", Words, nullable=False),
    Column("status", Words, nullable=False),
    Column("start", Instant, nullable=False),
    Column("end", Instant, nullable=False),
    Column("closed_by", Words),
    Column("timezone", Words, nullable=False),
    Column("turn_count", Integer, nullable=False),
    Column("focus", Words, nullable=False, default=""),
    Column("summary", Words, nullable=False, default=""),
    Column("tags", JSON, nullable=False, default=list),
    Column("tone", Words),
    Column("related", JSON, nullable=False, default=list),
    Column("card_revision", Integer),
    Index("slices_open", "space", "thread", "status"),
)
"""The stretches of conversation that turns belong to, with their marks."""

strands = Table(
    "strands",
    metadata,
    Column("space", Words, primary_key=True),
    Column("name", Words, primary_key=True),
    Column("slice_id", Words, primary_key=True),
    Index("strands_of_slice", "space", "slice_id"),
)
"""Topic → slices: the tags of all slices, turned around."""

documents = Table(
    "documents",
    metadata,
    Column("space", Words, primary_key=True),
    Column("path", Words, primary_key=True),
    Column("revision", Integer, primary_key=True),
    Column("text", Words, nullable=False),
    Column("meta", JSON, nullable=False),
    Column("at", Instant, nullable=False),
    Column("commit", Integer, nullable=False),
)
"""Texts with all their revisions; the newest is the head."""

turn_annotations = Table(
    "annotations",
    metadata,
    Column("space", Words, primary_key=True),
    Column("turn_id", Words, primary_key=True),
    Column("kind", Words, primary_key=True),
    Column("data", JSON, nullable=False),
)
"""What was derived about one turn, once."""

fitness = Table(
    "fitness",
    metadata,
    Column("space", Words, primary_key=True),
    Column("id", Integer, primary_key=True),
    Column("agent", Words, nullable=False),
    Column("bucket", Words, nullable=False),
    Column("delta", Integer, nullable=False),
    Column("evidence", Words, nullable=False),
    Column("turn_id", Words, nullable=False),
    Column("slice_id", Words, nullable=False),
    Column("commit", Integer, nullable=False),
    Column("settled", Integer),
    Index("fitness_of_turn", "space", "turn_id"),
)
"""The ledger: deltas with the user's own words as evidence; `settled` is the commit that ended their generation."""

_CURRENT = fitness.c.settled.is_(None)
Index(
    "fitness_current",
    fitness.c.space,
    fitness.c.agent,
    fitness.c.bucket,
    fitness.c.delta,
    sqlite_where=_CURRENT,
    postgresql_where=_CURRENT,
)

signals = Table(
    "signals",
    metadata,
    Column("space", Words, primary_key=True),
    Column("id", Integer, primary_key=True),
    Column("key", Words, nullable=False),
    Column("agent", Words, nullable=False),
    Column("thread", Words, nullable=False),
    Column("kind", Words, nullable=False),
    Column("detail", Words, nullable=False),
    Column("at", Instant, nullable=False),
    Column("data", JSON, nullable=False),
    Column("judged", Integer),
    UniqueConstraint("space", "key"),
    Index("signals_of_thread", "space", "thread", "id"),
)
"""Facts about how answers were used; `judged` is the commit whose analysis saw them."""

backlog = Table(
    "backlog",
    metadata,
    Column("space", Words, primary_key=True),
    Column("key", Words, primary_key=True),
    Column("kind", Words, nullable=False),
    Column("thread", Words, nullable=False),
    Column("data", JSON, nullable=False),
    Column("status", Words, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("next_at", Instant, nullable=False),
    Column("owner", Words),
    Column("leased_until", Instant),
    Column("failure", Words),
    Column("detail", Words, nullable=False, default=""),
    Column("created_at", Instant, nullable=False),
    Column("place", Integer, nullable=False),
    Index("backlog_due", "status", "next_at"),
    Index("backlog_waiting", "space", "next_at"),
    Index("backlog_order", "space", "place"),
)
"""Model work that is owed; `place` keeps rows of one instant in order."""

commits = Table(
    "commits",
    metadata,
    Column("space", Words, primary_key=True),
    Column("seq", Integer, primary_key=True),
    Column("key", Words, nullable=False),
    Column("kind", Words, nullable=False),
    Column("at", Instant, nullable=False),
    Column("paths", JSON, nullable=False),
    Column("result", JSON, nullable=False),
    UniqueConstraint("space", "key"),
)
"""One row for each commit: its key makes it idempotent, its paths tell the mirror what to write."""

OF_A_SPACE = (turns, slices, strands, documents, turn_annotations, fitness, signals, backlog, commits, spaces)
"""Every table with rows of a space; erasing a space empties them of it."""
