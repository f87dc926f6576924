"""Opening the database: a SQLite file with its pragmas, or PostgreSQL by URL."""

from __future__ import annotations

import json
import sqlite3
import time
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, insert, inspect, select
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DatabaseError, IntegrityError, OperationalError, ProgrammingError
from sqlalchemy.schema import CreateSchema

from previously.state.context import clean_text
from previously.state.errors import InvalidInput, PreviouslyError
from previously.stores.schema import SCHEMA_VERSION, meta, metadata
from previously.stores.upgrading import upgrade

_BUSY_SECONDS = 30
_PAUSE = 0.02
_SCHEMA = "previously"
"""On a server, the tables have a schema of their own: the database may hold an application's tables too."""
_SERVER = {
    "pool_pre_ping": True,  # a server may drop a connection that was idle for long
    "execution_options": {"schema_translate_map": {None: _SCHEMA}},
}


def open_engine(database: str | Path) -> Engine:
    """Return an engine with all tables in place. A path is a SQLite file; a text with `://` is a SQLAlchemy URL.

    Raises `InvalidInput` naming `database` for what is no address of a SQLite file or a PostgreSQL database, and
    `PreviouslyError` for a database that can't be opened, is somebody else's, or was made by a newer version.
    """
    url = _url(database)
    sqlite = url.get_backend_name() == "sqlite"
    options: dict[str, Any] = {"connect_args": {"timeout": _BUSY_SECONDS}} if sqlite else _SERVER
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
        engine.dispose()
        raise PreviouslyError(f"the database {url.render_as_string()} can't be opened: {error.orig}") from error
    except BaseException:
        engine.dispose()
        raise
    return engine


def _url(database: str | Path) -> URL:
    if "://" not in str(database):
        return _sqlite_url(Path(database))
    try:
        url = make_url(str(database))
    except ArgumentError:
        raise InvalidInput("database", "is neither a path nor a URL such as postgresql://user@host/name") from None
    if url.get_backend_name() not in {"sqlite", "postgresql"}:
        raise InvalidInput("database", f"{url.drivername} is not supported: sqlite and postgresql are")
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
    _use_wal(cursor)
    for pragma in ("synchronous=FULL", "secure_delete=ON"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _use_wal(cursor: Any) -> None:
    """Switch a new file to WAL. SQLite does not wait for its lock here, so several that open it at once have to."""
    ends = time.monotonic() + _BUSY_SECONDS
    while cursor.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
        try:
            cursor.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError:
            if time.monotonic() > ends:
                raise
            time.sleep(_PAUSE)


def _begin_immediate(connection: Connection) -> None:
    """Take the write lock at once where a transaction may write: a later upgrade could fail instead of waiting.

    What only reads needs no transaction: each statement sees one state of the database by itself.
    """
    if not connection.get_execution_options().get("reading"):
        connection.exec_driver_sql("BEGIN IMMEDIATE")


def _prepare(engine: Engine) -> None:
    """Make the tables where there are none, and refuse those of a newer version."""
    if not _has_tables(engine):
        _create_tables(engine)
    with engine.connect().execution_options(reading=True) as connection:
        found = connection.scalar(select(meta.c.value).where(meta.c.name == "schema_version"))
    if found is None:
        raise PreviouslyError("the database belongs to another program: give previously one of its own")
    if int(found) > SCHEMA_VERSION:
        raise PreviouslyError(f"the database has schema {found}, not {SCHEMA_VERSION}: upgrade previously")
    if int(found) < SCHEMA_VERSION:
        with engine.begin() as connection:
            # the row's lock makes several that open it at once take turns
            if connection.scalar(select(meta.c.value).with_for_update()) != str(SCHEMA_VERSION):
                upgrade(connection, _schema_of(engine))


def _has_tables(engine: Engine) -> bool:
    return inspect(engine).has_table(meta.name, schema=_schema_of(engine))


def _schema_of(engine: Engine) -> str | None:
    return None if engine.dialect.name == "sqlite" else _SCHEMA


def _create_tables(engine: Engine) -> None:
    """Make all tables or none: a process that is killed meanwhile leaves no half of them."""
    try:
        with engine.begin() as connection:
            if engine.dialect.name != "sqlite":
                connection.execute(CreateSchema(_SCHEMA, if_not_exists=True))
            metadata.create_all(connection)
            if connection.scalar(select(meta.c.value)) is None:
                connection.execute(insert(meta).values(name="schema_version", value=str(SCHEMA_VERSION)))
    except (IntegrityError, OperationalError, ProgrammingError):
        if not _has_tables(engine):
            raise  # else another process was creating them at the same time
