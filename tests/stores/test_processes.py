"""Several processes on one database, and one that is killed in the middle of a transaction."""

from __future__ import annotations

import multiprocessing
import runpy
import signal
import sqlite3
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest

from previously.stores.database import Store
from previously.tests.stores.given import say, turn

WORKER = str(Path(__file__).with_name("worker.py"))


def start(database: str, task: str, name: str) -> BaseProcess:
    processes = multiprocessing.get_context("forkserver")
    processes.set_forkserver_preload(["previously.stores.database"])
    given = {"init_globals": {"DATABASE": database, "TASK": task, "NAME": name}, "run_name": "child"}
    child = processes.Process(target=runpy.run_path, args=(WORKER,), kwargs=given)
    child.start()
    return child


def run(database: str, task: str, *names: str) -> list[int | None]:
    children = [start(database, task, name) for name in names]
    for child in children:
        child.join(60)
    return [child.exitcode for child in children]


def test_both_record_the_same_turns(database: str, store: Store) -> None:
    assert run(database, "record", "a", "b") == [0, 0]
    found = store.turns("alex")
    assert sorted(t.id for t in found) == sorted(f"t{n}" for n in range(30))
    assert [t.seq for t in found] == [t.number for t in found] == list(range(1, 31))


def test_each_job_is_claimed_by_one(database: str, store: Store, tmp_path: Path) -> None:
    say(store, *(turn(n, minutes=0) for n in range(30)))
    names = [tmp_path / "a", tmp_path / "b"]
    assert run(database, "claim", *map(str, names)) == [0, 0]
    got = [key for name in names for key in name.read_text().split()]
    assert sorted(got) == sorted(f"turn:t{n}" for n in range(30))


def test_no_change_of_a_document_is_lost(database: str, store: Store, tmp_path: Path) -> None:
    names = [tmp_path / "a", tmp_path / "b"]
    assert run(database, "append", *map(str, names)) == [0, 0]
    head = store.head("alex", "a")
    assert head is not None
    assert head.revision == 20
    assert sorted(head.text.splitlines()) == sorted(f"{name} {number}" for name in "ab" for number in range(10))


@pytest.mark.parametrize("fatal", [3, 8, 14, 19, 24, 31, 36])
def test_killed_in_the_middle_of_a_transaction(tmp_path: Path, fatal: int) -> None:
    database = str(tmp_path / "memory.db")
    assert run(database, "batch", str(fatal)) == [-signal.SIGKILL]
    with Store.open(database) as store:
        stats = store.stats("alex")
        assert [stats[name] for name in ("turns", "slices", "commits")] in ([0, 0, 0], [3, 2, 0])
        assert sum(stats.values()) in (0, 1 + 3 + 2 + 3)  # the space, turns, slices, jobs
    assert run(database, "batch", "0") == [0]
    with Store.open(database) as store:
        assert [t.number for t in store.turns("alex")] == [1, 2, 1]
        assert [job.key for job in store.owed()] == ["slice:2026-08-11-1227", "turn:t3"]
        assert [done.key for done in store.commits("alex")] == ["turn:t1"]
        assert len(store.ledger.scores("alex", "a")) == len(store.revisions("alex", "a")) == 1
    with sqlite3.connect(database) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    connection.close()
