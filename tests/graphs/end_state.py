"""What a home holds in the end, without what depends on the machine's clock; run as `child` it plays a conversation."""

from __future__ import annotations

import os
import signal
import sqlite3
from pathlib import Path
from typing import Any

TABLES = {
    "turns": "id, seq, slice_id, number, thread, role, text, event_time",
    "slices": '"slice_id", thread, status, start, "end", closed_by, turn_count, focus, summary, tags, tone, card_revision',
    "strands": "name, slice_id",
    "documents": 'path, revision, text, meta, at, "commit"',
    "annotations": "turn_id, kind, data",
    "fitness": "id, bucket, delta, evidence, turn_id, settled",
    "signals": "id, kind, detail, judged",
    "backlog": "key, status",
    "commits": "seq, key, kind, at, paths",
}


def end_state(home: Path) -> dict[str, Any]:
    """Return the rows of every table and the text of every mirrored file."""
    with sqlite3.connect(home / "memory.db") as connection:
        rows = {
            name: sorted(connection.execute(f"SELECT {columns} FROM {name}"))  # noqa: S608 - both stand above
            for name, columns in TABLES.items()
        }
    connection.close()
    files = [file for file in (home / "mirror").rglob("*.md") if ".git" not in file.parts]
    return {**rows, "files": {str(file.relative_to(home)): file.read_text() for file in files}}


SAYINGS = (
    ("u1", "2026-08-11T14:26:00+02:00", "My name is Alex. I'm training for a 5K these days."),
    ("u2", "2026-08-11T14:28:00+02:00", "Remember that I'm allergic to penicillin."),
    ("u3", "2026-08-12T09:00:00+02:00", "From now on, keep your answers short."),
)


COMPLAINTS = (
    *((f"c{n}", f"2026-08-11T14:{20 + n}:00+02:00", f"Number {n} is too long.") for n in range(5)),
    ("c5", "2026-08-11T14:26:00+02:00", "What is next?"),
)


def scenario(name: str) -> tuple[Any, Any]:
    """Return what is said and the model of memory work: by rules, or scripted so that evolution runs before the end."""
    from previously.offline import OfflineChatModel
    from previously.testing import ScriptedChatModel

    if name == "ordinary":
        return SAYINGS, OfflineChatModel()
    quiet: dict[str, Any] = {"intent": "chat", "memory_worthy": True}
    scores = [{"bucket": bucket, "delta": -1, "evidence": "too long"} for bucket in ("interaction", "recall")]
    said = {"reasoning": "r", "summary": "Shorter from now on.", "card": True, "playbooks": ["recall"]}
    entry = {"op": "add_portrait_entry", "dimension": "Communication preferences", "refs": ["m1"]}
    lesson = {"name": "add_self_model", "args": {"text": "Short answers go down better.", "refs": ["m1"]}}
    finish = {"name": "finish", "args": {"reasoning": "r", "summary": "s"}}
    brief = {"colleague": "recall", "content": "Answer in one line.", "refs": ["m1"]}
    return COMPLAINTS, ScriptedChatModel({
        "analyze": lambda call: {**quiet, "fitness": scores} if " too long" in call.prompt.split("<turn>\n")[-1] else quiet,
        "evaluate": {**said, "operations": [{**entry, "text": "Loses patience with long answers"}]},
        "previously_agent": lambda call: {"calls": [finish if "OK — Self-model" in call.prompt else lesson]},
        "playbooks": {"reasoning": "r", "playbooks": [brief]},
    })  # fmt: skip


def main(home: str, fatal: str, name: str) -> None:
    """Hold a conversation on a checkpointed host graph; die right after the node `fatal` of the last turn."""
    from langchain_core.messages import HumanMessage
    from langgraph.checkpoint.sqlite import SqliteSaver

    from previously import MemoryContext, Previously
    from previously.offline import OfflineChatModel

    sayings, model = scenario(name)
    with (
        SqliteSaver.from_conn_string(f"{home}/checkpoints.db") as saver,
        Previously(f"{home}/home", model=model, embeddings=False) as memory,
    ):
        graph = memory.host_graph(OfflineChatModel(), checkpointer=saver)
        config = {"configurable": {"thread_id": "t"}}
        for turn_id, at, text in sayings:
            context = MemoryContext(space="alex", timezone="Europe/Berlin", now=at)
            saved = graph.get_state(config)
            said = [message.id for message in saved.values.get("messages", []) if message.type == "human"]
            if turn_id in said[:-1] or saved.values.get("memory", {}).get("turn") == turn_id:
                continue  # `saved.next` does not tell: it is empty too when a step's writes are saved but not yet applied
            state = None if turn_id in said else {"messages": [HumanMessage(text, id=turn_id)]}
            for _, update in graph.stream(
                state, config, context=context, stream_mode="updates", subgraphs=True, durability="sync"
            ):
                if turn_id == sayings[-1][0] and fatal in update:
                    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "child":
    main(*ARGS)  # type: ignore[name-defined] # noqa: F821 - given by whoever runs this file
