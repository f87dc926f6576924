"""Opening the database: SQLite with its pragmas, or any database by URL; one short transaction at a time."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, insert, inspect, select
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DatabaseError, IntegrityError, OperationalError, ProgrammingError

from previously.state.context import clean_text
from previously.state.errors import InvalidInput, PreviouslyError
from previously.stores.schema import SCHEMA_VERSION, meta, metadata

_BUSY_SECONDS = 30


def open_engine(database: str | Path) -> Engine:
    """Return an engine with all tables in place. A path is a SQLite file; a text with `://` is a SQLAlchemy URL."""
    url = _url(database)
    sqlite = url.get_backend_name() == "sqlite"
    # a server may drop a connection that was idle for long: the pool asks before it hands one out
    options: dict[str, Any] = {"connect_args": {"timeout": _BUSY_SECONDS}} if sqlite else {"pool_pre_ping": True}
    try:
        engine = create_engine(url, json_serializer=_json, **options)
    except (ArgumentError, ModuleNotFoundError) as error:
        raise InvalidInput("database", f"{url.render_as_string()} can't be used: {error}") from None
    if engine.dialect.is_async:
        raise InvalidInput("database", f"{url.drivername} is an asynchronous driver: leave it out, or name another")
    if sqlite:
        event.listen(engine, "connect", _set_pragmas)
        event.listen(engine, "begin", _begin_immediate)
    try:
        _prepare(engine)
    except DatabaseError as error:
        raise PreviouslyError(f"the database {url.render_as_string()} can't be opened: {error.orig}") from error
    return engine


def _url(database: str | Path) -> URL:
    if "://" not in str(database):
        return _sqlite_url(Path(database))
    try:
        url = make_url(str(database))
    except ArgumentError:
        raise InvalidInput("database", "is neither a path nor a URL such as postgresql://user@host/name") from None
    if url.get_backend_name() == "sqlite" and url.database in {None, "", ":memory:"}:
        raise InvalidInput("database", "must be a file: one in memory can't be shared between threads")
    return url


def _json(value: Any) -> str:
    return clean_text(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def _sqlite_url(path: Path) -> URL:
    path.expanduser().parent.mkdir(parents=True, exist_ok=True)
    return URL.create("sqlite", database=str(path.expanduser()))


def _set_pragmas(connection: Any, _record: object) -> None:
    """WAL for readers beside a writer, FULL so that a recorded turn survives a power cut, and nothing erased stays."""
    connection.isolation_level = None  # transactions are begun by us, see _begin_immediate
    cursor = connection.cursor()
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "secure_delete=ON"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin_immediate(connection: Connection) -> None:
    """Take the write lock at once where a transaction may write: a later upgrade could fail instead of waiting."""
    mode = "DEFERRED" if connection.get_execution_options().get("reading") else "IMMEDIATE"
    connection.exec_driver_sql(f"BEGIN {mode}")


def _prepare(engine: Engine) -> None:
    """Make the tables where there are none, and refuse those of a newer version; a failed engine holds no connection."""
    try:
        if not inspect(engine).has_table(meta.name):
            _create_tables(engine)
        with engine.connect().execution_options(reading=True) as connection:
            found = int(connection.scalars(select(meta.c.value).where(meta.c.name == "schema_version")).one())
        if found > SCHEMA_VERSION:
            raise PreviouslyError(
                f"the database has schema {found}, this version knows {SCHEMA_VERSION}: upgrade previously"
            )
    except (DatabaseError, PreviouslyError):
        engine.dispose()
        raise


def _create_tables(engine: Engine) -> None:
    """Make all tables or none: a process that is killed meanwhile leaves no half of them."""
    try:
        with engine.begin() as connection:
            metadata.create_all(connection)
            found = connection.scalar(select(meta.c.value))
            if found is None:
                connection.execute(insert(meta).values(name="schema_version", value=str(SCHEMA_VERSION)))
    except (IntegrityError, OperationalError, ProgrammingError):
        if not inspect(engine).has_table(meta.name):
            raise  # else another process was creating them at the same time
