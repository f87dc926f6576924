"""Opening the database: SQLite with its pragmas, or any database by URL; one short transaction at a time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, insert, inspect, select
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, IntegrityError, OperationalError, ProgrammingError

from previously.state.errors import InvalidInput, PreviouslyError
from previously.stores.schema import SCHEMA_VERSION, meta, metadata

_BUSY_SECONDS = 30


def open_engine(database: str | Path) -> Engine:
    """Return an engine with all tables in place. A path is a SQLite file; a text with `://` is a SQLAlchemy URL."""
    try:
        url = make_url(str(database)) if "://" in str(database) else _sqlite_url(Path(database))
        options: dict[str, Any] = {"connect_args": {"timeout": _BUSY_SECONDS}} if _is_sqlite(url) else {}
        engine = create_engine(url, **options)
    except (ArgumentError, ModuleNotFoundError) as error:
        raise InvalidInput("database", f"{database!s} can't be used: {error}") from None
    if _is_sqlite(url):
        event.listen(engine, "connect", _set_pragmas)
        event.listen(engine, "begin", _begin_immediate)
    try:
        _create_tables(engine)
    except OperationalError as error:
        engine.dispose()
        raise PreviouslyError(f"the database {url.render_as_string()} can't be opened: {error.orig}") from error
    return engine


def _is_sqlite(url: URL) -> bool:
    return url.get_backend_name() == "sqlite"


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


def _create_tables(engine: Engine) -> None:
    if not inspect(engine).has_table(meta.name):
        try:
            metadata.create_all(engine)
            with engine.begin() as connection:
                connection.execute(insert(meta).values(name="schema_version", value=str(SCHEMA_VERSION)))
        except (IntegrityError, OperationalError, ProgrammingError):
            if not inspect(engine).has_table(meta.name):
                raise  # else another process was creating them at the same time
            metadata.create_all(engine)
    with engine.connect().execution_options(reading=True) as connection:
        found = connection.scalar(select(meta.c.value).where(meta.c.name == "schema_version"))
    if found is not None and int(found) > SCHEMA_VERSION:
        engine.dispose()
        raise PreviouslyError(f"the database has schema {found}, this version knows {SCHEMA_VERSION}: upgrade previously")
