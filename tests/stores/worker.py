"""What another process does with a database, in the tests of the store; run as `child` by a fork server."""

from __future__ import annotations

import os
import signal
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import event

from previously.state.commit import Annotation, Put, Score, SliceUpdate
from previously.state.errors import Conflict
from previously.stores.database import Store
from previously.tests.stores.given import commit, say, turn

LEASE = timedelta(minutes=3)


def record(store: Store, _name: str) -> None:
    """Say thirty turns, one transaction for each."""
    for number in range(30):
        say(store, turn(number, minutes=0))


def claim(store: Store, name: str) -> None:
    """Take whatever job can be had, and note them in a file."""
    now = datetime.now(UTC)
    got = [job.key for job in store.owed() if store.claim(job.space, job.key, owner=name, now=now, until=now + LEASE)]
    Path(name).write_text("\n".join(got))


def append(store: Store, name: str) -> None:
    """Add ten lines to a document that somebody else changes too, reading it again after a conflict."""
    for number in range(10):
        done = False
        while not done:
            head = store.head("alex", "a")
            text, base = (head.text, head.revision) if head else ("", 0)
            put = Put(path="a", text=f"{text}{Path(name).name} {number}\n")
            try:
                store.commit(commit(f"{name} {number}", base={"a": base}, documents=(put,)))
                done = True
            except Conflict:
                continue


def batch(store: Store, fatal: str) -> None:
    """Record turns that close a slice, then commit what is known of them; die at a statement, counted from one."""
    left = int(fatal)

    def count(*_: Any) -> None:
        nonlocal left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    event.listen(store._open(), "after_cursor_execute", count)
    say(store, turn(1), turn(2, role="assistant"), turn(3, minutes=60))
    store.commit(
        commit(
            "turn:t1",
            documents=(Put(path="a", text="one"),),
            slices=(SliceUpdate(slice_id="2026-08-11-1227", tags=("tea",), card_revision=1),),
            annotations=(Annotation(turn_id="t1", kind="analysis", data={}),),
            scores=(Score(agent="a", bucket="card", delta=-1, evidence="text 1", turn_id="t1", slice_id="s"),),
            finish=("turn:t1",),
        )
    )


if __name__ == "child":
    with Store.open(DATABASE) as opened:  # type: ignore[name-defined] # noqa: F821 - given by whoever runs this file
        globals()[TASK](opened, NAME)  # type: ignore[name-defined] # noqa: F821
elif __name__ == "__main__":
    sys.exit("run by the tests of the store")
