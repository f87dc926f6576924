"""Addresses, tables of other programs and other versions, and what SQLite leaves on the disk."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, create_engine, inspect, text

from previously.state.commit import NewJob, Put, SliceUpdate
from previously.state.errors import Failure, InvalidInput, PreviouslyError
from previously.stores import engine
from previously.stores.database import Store
from previously.tests.stores.given import START, commit, say, turn


@pytest.mark.parametrize(
    "address",
    [
        "sqlite://",
        "sqlite:///:memory:",
        "sqlite+aiosqlite:///x.db",
        "postgresql+asyncpg://u:hush@h/d",
        "postgresql+nodriver://u:hush@h/d",
        "mysql://u:hush@h/d",
        "postgres://u:hush@h/d",
        "nonsense://x",
        "://",
    ],
)
def test_an_address_that_cannot_be_used_is_named_without_its_password(address: str) -> None:
    with pytest.raises(InvalidInput, match=r"^database: ") as caught:
        Store.open(address)
    assert "hush" not in str(caught.value)


def test_a_server_that_is_not_there_is_an_error_of_ours() -> None:
    with pytest.raises(PreviouslyError, match="can't be opened") as caught:
        Store.open("postgresql+psycopg://u:hush@127.0.0.1:9/d")
    assert "hush" not in str(caught.value)


def test_a_file_that_is_no_database_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "memory.db"
    file.write_text("dear diary, " * 1000)
    with pytest.raises(PreviouslyError, match="can't be opened"):
        Store.open(file)
    assert file.read_text() == "dear diary, " * 1000


def test_tables_of_an_application_are_not_touched(database: str, open_store: Callable[..., Store]) -> None:
    if "://" not in database:
        pytest.skip("a SQLite file belongs to one program")
    theirs = create_engine(database)
    with theirs.begin() as connection:
        connection.execute(text("CREATE TABLE turns (id int)"))
    try:
        store = open_store()
        say(store, turn(1))
        assert store.turns("alex")
        with theirs.connect() as connection:
            assert connection.execute(text("SELECT * FROM turns")).all() == []
            assert inspect(connection).get_table_names() == ["turns"]
    finally:
        with theirs.begin() as connection:
            connection.execute(text("DROP TABLE turns"))
        theirs.dispose()


def test_a_database_of_another_program_is_refused(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "memory.db") as connection:
        connection.execute("CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT)")
    connection.close()
    with pytest.raises(PreviouslyError, match="another program"):
        Store.open(tmp_path / "memory.db")


def test_tables_are_made_all_or_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def killed(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(engine, "insert", killed)
    with pytest.raises(KeyboardInterrupt):
        Store.open(tmp_path / "memory.db")
    monkeypatch.undo()
    with sqlite3.connect(tmp_path / "memory.db") as connection:
        assert connection.execute("SELECT name FROM sqlite_master").fetchall() == []
    connection.close()
    with Store.open(tmp_path / "memory.db") as store:
        assert store.spaces() == []


def test_doing_again_what_was_done_leaves_the_file_byte_for_byte(tmp_path: Path) -> None:
    file = tmp_path / "memory.db"

    def run() -> bytes:
        with Store.open(file) as store:
            say(store, turn(1), turn(2, role="assistant"), timezone="Europe/Berlin")
            store.commit(commit(documents=(Put(path="a", text="x"),), finish=("turn:t1",)))
            store.close_slice("alex", "2026-08-11-1427", "user_explicit")
            store.release("alex", "slice:2026-08-11-1427", "nobody")
        return file.read_bytes()

    assert run() == run()


def test_an_erased_word_is_nowhere_in_the_files(tmp_path: Path) -> None:
    canary = "canary4711"
    with Store.open(tmp_path / "memory.db") as store, Store.open(tmp_path / "memory.db") as other:
        for number in range(40):
            say(store, turn(number, f"{canary} {'long ' * 3000}", id=f"{canary}{number}", speaker=canary), space=canary)
            say(store, turn(number, "kept"), space="other")
        found = store.slices(canary)[0].slice_id
        for number in range(5):
            words = f"{canary} {number}"
            store.commit(
                commit(
                    words,
                    space=canary,
                    documents=(Put(path=canary, text=words * 500, meta={"of": canary}),),
                    slices=(SliceUpdate(slice_id=found, focus=words, tags=(words,)),),
                    owe=(NewJob(key=canary, kind="card", thread=canary, failure=Failure.SERVER, detail=words),),
                    result={"of": canary},
                )
            )
        assert other.turns(canary)
        store.erase(canary)
        assert {file.name for file in tmp_path.iterdir() if canary.encode() in file.read_bytes()} == set()
        assert len(other.turns("other")) == 40
    assert canary.encode() not in (tmp_path / "memory.db").read_bytes()


def test_opening_takes_no_time_and_closing_leaves_one_file(tmp_path: Path) -> None:
    began = time.perf_counter()
    with Store.open(tmp_path / "memory.db") as store:
        say(store, turn(1))
    assert time.perf_counter() - began < 5
    assert [file.name for file in tmp_path.iterdir()] == ["memory.db"]


def test_the_machines_zone_is_never_used(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Pacific/Kiritimati")
    time.tzset()
    try:
        say(store, turn(1))
        (said,) = store.turns("alex")
        assert said.slice_id == "2026-08-11-1227"
        assert said.event_time.isoformat() == "2026-08-11T12:27:00+00:00"
        assert store.slices("alex")[0].start == turn(1).event_time
        assert store.owed(due_at=said.ingested_at)[0].created_at.utcoffset() == START.utcoffset()
    finally:
        monkeypatch.undo()
        time.tzset()


def test_a_connection_that_the_server_dropped_is_replaced(
    open_store: Callable[..., Store], request: pytest.FixtureRequest, database: str
) -> None:
    if "://" not in database:
        pytest.skip("a file drops no connections")
    server: Engine = request.getfixturevalue("postgres_database")
    store = open_store()
    say(store, turn(1))
    with server.connect() as connection:
        own = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        connection.execute(text(own)).all()
    assert [t.id for t in store.turns("alex")] == ["t1"]
