from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage

from previously import MemoryContext, Previously, Settings
from previously.testing import ScriptedChatModel
from previously.testing.script import ScriptLike

START = datetime(2026, 8, 11, 12, 26, tzinfo=UTC)
ANALYSIS: dict[str, Any] = {"intent": "chat", "memory_worthy": True}


class Clock:
    """A clock that tests set."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        return self.now


class Conversation:
    """A memory with a scripted model, and one thread of talk on its intake graph."""

    def __init__(self, memory: Previously, model: ScriptedChatModel, clock: Clock, *, is_async: bool) -> None:
        self.memory, self.model, self.clock, self.is_async = memory, model, clock, is_async
        self.messages: list[Any] = []
        self.events: list[dict[str, Any]] = []
        self.context = MemoryContext(space="alex", thread="t", timezone="Europe/Berlin")

    def say(self, text: str, reply: str = "Noted.", *, minutes: int = 1, **context: Any) -> dict[str, Any]:
        """Say something some minutes later, with a reply; return the account of its housekeeping."""
        self.clock.now += timedelta(minutes=minutes)
        number = len(self.messages)
        self.messages += [HumanMessage(text, id=f"u{number}"), AIMessage(reply, id=f"a{number + 1}")]
        return self.run(self.memory.intake, {"messages": self.messages}, self.context.at(**context))["memory"]

    def run(self, graph: Any, state: Any, context: MemoryContext, **options: Any) -> dict[str, Any]:
        """Run a graph on the face under test, keeping its custom events."""
        self.events = []
        modes = {"context": context, "stream_mode": ["custom", "values"], "subgraphs": True, **options}
        last: dict[str, Any] = {}

        def take(chunk: tuple[tuple[str, ...], str, Any]) -> None:
            namespace, mode, value = chunk
            if mode == "custom":
                self.events.append(value["previously"])
            elif not namespace:
                last.update(value)

        async def play() -> None:
            async for chunk in graph.astream(state, **modes):
                take(chunk)

        if self.is_async:
            asyncio.run(play())
        else:
            for chunk in graph.stream(state, **modes):
                take(chunk)
        return last

    def of(self, kind: str) -> list[str]:
        """Return the statuses of the newest run's events of a kind."""
        return [row["status"] for row in self.events if row["kind"] == kind]

    def asked(self, step: str) -> list[Any]:
        """Return the calls of a step."""
        return [call for call in self.model.calls if call.step == step]


@pytest.fixture(params=["sync", "async"])
def talk(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., Any]]:
    """Return a function that opens a conversation over a script; keywords are `Previously`'s, `settings` a mapping."""
    monkeypatch.setattr("previously.nodes.ask._FIRST_PAUSE", 0.01)
    opened: list[Previously] = []

    def make(script: ScriptLike, *, settings: dict[str, Any] | None = None, **options: Any) -> Conversation:
        model, clock = ScriptedChatModel(script), Clock()
        memory = Previously(
            tmp_path / f"home{len(opened)}",
            model=model,
            embeddings=False,
            settings=Settings(**(settings or {})),
            clock=clock,
            **options,
        )
        opened.append(memory)
        return Conversation(memory, model, clock, is_async=request.param == "async")

    yield make
    for memory in opened:
        memory.close()
