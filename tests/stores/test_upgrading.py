"""A database of an older version is brought up to date when it is opened, and keeps its rows."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

import pytest
from sqlalchemy import Engine, create_engine, inspect, text

from previously.state.commit import Score
from previously.stores import engine as opening
from previously.stores.database import Store
from previously.stores.schema import SCHEMA_VERSION
from previously.tests.stores.given import commit, say, turn


@pytest.fixture
def old(database: str, open_store: Callable[..., Store]) -> Iterator[Engine]:
    """A database as the first version made it, with a turn and a score."""
    store = open_store()
    say(store, turn(1, "too long"))
    given = Score(agent="a", bucket="card", delta=-1, evidence="too long", turn_id="t1", slice_id="2026-08-11-1227")
    store.commit(commit(scores=(given,)))
    store.close()
    server = "://" in database
    bare = create_engine(database if server else f"sqlite:///{database}")
    with bare.begin() as connection:
        if server:
            connection.execute(text("SET search_path TO previously"))
        for statement in (
            "DROP TABLE signals", "DROP INDEX fitness_current", "DROP INDEX fitness_of_turn",
            "ALTER TABLE fitness DROP COLUMN settled",
            "UPDATE meta SET value = '1' WHERE name = 'schema_version'",
        ):  # fmt: skip
            connection.execute(text(statement))
    yield bare
    bare.dispose()


def version(bare: Engine) -> str:
    place = "previously.meta" if bare.dialect.name == "postgresql" else "meta"
    with bare.connect() as connection:
        return str(connection.scalar(text(f"SELECT value FROM {place} WHERE name = 'schema_version'")))  # noqa: S608


def test_it_is_upgraded_and_keeps_its_rows(old: Engine, open_store: Callable[..., Store]) -> None:
    store = open_store()
    assert version(old) == str(SCHEMA_VERSION)
    assert [row.settled for row in store.ledger.scores("alex", "a")] == [None]
    assert store.ledger.net("alex", "a") == {"card": -1}
    assert store.ledger.signals("alex", agent="a") == []
    schema = "previously" if old.dialect.name == "postgresql" else None
    names = {index["name"] for index in inspect(old).get_indexes("fitness", schema=schema)}
    assert {"fitness_current", "fitness_of_turn"} <= names


def test_many_that_open_it_at_once_all_succeed(old: Engine, open_store: Callable[..., Store]) -> None:
    opened: list[Store] = []
    threads = [threading.Thread(target=lambda: opened.append(open_store())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [store.ledger.net("alex", "a") for store in opened] == [{"card": -1}] * 4
    assert version(old) == str(SCHEMA_VERSION)


def test_one_that_is_broken_off_leaves_the_old_version(
    old: Engine, open_store: Callable[..., Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    original = opening.upgrade

    def broken(*args: object) -> None:
        original(*args)  # type: ignore[arg-type]
        raise KeyboardInterrupt

    monkeypatch.setattr(opening, "upgrade", broken)
    with pytest.raises(KeyboardInterrupt):
        open_store()
    monkeypatch.undo()
    assert version(old) == "1"
    assert open_store().ledger.net("alex", "a") == {"card": -1}
    assert version(old) == str(SCHEMA_VERSION)
