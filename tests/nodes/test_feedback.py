"""What LangSmith is told of fitness, and that a turn neither waits for it nor fails with it."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tracers import LangChainTracer

from previously import MemoryContext, Previously
from previously.nodes.feedback import send_feedback
from previously.testing import ScriptedChatModel

PROJECT = UUID(int=7)
CONTEXT = MemoryContext(space="alex", thread="t")
FITNESS = [
    {"bucket": "interaction", "delta": -2, "evidence": "that was wrong"},
    {"bucket": "recall", "delta": -1, "evidence": "never said"},
]


class Client:
    """Stands for LangSmith's client; keeps what it is given."""

    def __init__(self, fault: Any = None) -> None:
        self.fault = fault
        self.told: list[dict[str, Any]] = []
        self.done = threading.Event()
        self.tracing_queue = None

    def create_run(self, *_: Any, **__: Any) -> None: ...

    def update_run(self, *_: Any, **__: Any) -> None: ...

    def read_project(self, *, project_name: str) -> Any:
        return SimpleNamespace(id=PROJECT, name=project_name)

    def create_feedback(self, **given: Any) -> None:
        if self.fault:
            self.done.set()
            self.fault()
        self.told.append(given)
        self.done.set()


def turn(folder: Path, client: Any, *, is_async: bool, fitness: Any = FITNESS) -> tuple[Any, UUID]:
    """Take in one exchange under a tracer; return the account, and the root run of the trace."""
    model = ScriptedChatModel({"analyze": {"intent": "chat", "memory_worthy": True, "fitness": fitness}})
    root = UUID(int=42)
    with Previously(folder, model=model, embeddings=False) as memory:
        state = {"messages": [HumanMessage("Well, that was wrong.", id="u"), AIMessage("Sorry.", id="a")]}
        tracer = LangChainTracer(client=client, project_name="tests")
        config: RunnableConfig = {"callbacks": [tracer], "run_id": root}
        graph = memory.intake
        if is_async:
            return asyncio.run(graph.ainvoke(state, config, context=CONTEXT)), root
        return graph.invoke(state, config, context=CONTEXT), root


@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
def test_deltas_that_hold_are_told_of_the_root_run(tmp_path: Path, is_async: bool) -> None:
    client = Client()
    account, root = turn(tmp_path, client, is_async=is_async)
    assert account["memory"]["status"] == "done"
    assert client.done.wait(10)
    assert client.told == [
        {
            "key": "fitness.interaction",
            "score": -2,
            "comment": "that was wrong",
            "run_id": root,
            "trace_id": root,
            "session_id": PROJECT,
        }
    ]


def test_nothing_is_told_of_nothing(tmp_path: Path) -> None:
    client = Client()
    turn(tmp_path, client, is_async=False, fitness=FITNESS[1:])
    assert client.told == []
    assert not client.done.is_set()


def test_a_client_that_fails_is_no_matter_of_the_turn(tmp_path: Path) -> None:
    def fail() -> None:
        raise RuntimeError("no such server")

    client = Client(fail)
    account, _ = turn(tmp_path, client, is_async=False)
    assert account["memory"]["status"] == "done"
    assert client.done.wait(10)


def test_a_client_that_hangs_is_not_waited_for(tmp_path: Path) -> None:
    release = threading.Event()
    client = Client(lambda: release.wait(30))
    account, _ = turn(tmp_path, client, is_async=False)
    assert account["memory"]["status"] == "done"
    assert client.done.wait(10)
    assert client.told == []  # it hangs still, and the turn is over
    release.set()


@pytest.mark.parametrize("config", [{}, {"callbacks": []}, {"callbacks": None}])
def test_without_tracing_nothing_happens(config: Any) -> None:
    send_feedback(config, [{"bucket": "card", "delta": -1, "evidence": "x"}])
