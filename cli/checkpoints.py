"""The checkpoints of `previously chat`: one SQLite file beside the memory, from which erased rows are gone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from langgraph.checkpoint.sqlite import SqliteSaver

from previously.state.paths import label

if TYPE_CHECKING:
    from previously.memory import Previously


def thread_id(space: str, thread: str) -> str:
    """Return a thread's id that no other space has: checkpointers know threads, not users."""
    return f"{label(space)}:{thread}"


@contextmanager
def open_checkpoints(memory: Previously) -> Iterator[SqliteSaver]:
    """Yield the checkpointer of a memory's home."""
    with SqliteSaver.from_conn_string(str(memory.home / "checkpoints.db")) as saver:
        saver.conn.execute("PRAGMA secure_delete=ON")
        yield saver


def erase_threads(memory: Previously, space: str) -> None:
    """Remove the checkpoints of every thread of a space, also from the write-ahead log."""
    if not (memory.home / "checkpoints.db").is_file():
        return
    prefix = thread_id(space, "")
    mine = "SELECT DISTINCT thread_id FROM checkpoints WHERE substr(thread_id, 1, ?) = ?"
    with open_checkpoints(memory) as saver:
        with saver.cursor(transaction=False) as cursor:
            found = cursor.execute(mine, (len(prefix), prefix)).fetchall()
        for (thread,) in found:
            saver.delete_thread(thread)
        saver.conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")
