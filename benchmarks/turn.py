"""What memory costs a turn: time, model calls, disk, and how much of the prompt a provider can cache.

usage: python -m benchmarks.turn [--data LOCOMO.json] [--turns 100 1000 10000] [--samples 100] [--quick]

A turn is one message as it is stored; an exchange is a user's turn with its reply. One space grows through the sizes
given: slices of 20 turns, each marked and with topics, every exchange analysed and committed. At each size further
exchanges go through the intake graph, one in ten of them closing a slice. Their time is the wall clock less what was
spent inside the model of memory, which answers at once; vectors of an exchange are made before the next one, as in a
conversation, where seconds lie between two turns. The durable store, the mirror and the index are those of a default
memory. The texts are made-up sentences, or LoCoMo's with `--data`. `--quick` is for tests: few samples, no vectors.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import tiktoken
from langchain_core.embeddings import Embeddings
from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, HumanMessage
from langchain_core.outputs import ChatResult
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from pydantic import PrivateAttr
from rich.console import Console
from rich.table import Table

from benchmarks.locomo import load
from previously import MemoryContext, Previously
from previously.nodes.pressure import check
from previously.nodes.recording import as_turn
from previously.state.commit import Annotation, Commit, Score, Settlement, SliceUpdate
from previously.state.paths import DIRECTION_PATH
from previously.state.slice import SlicePolicy
from previously.stores.search.embeddings import default_embeddings
from previously.stores.tokens import BUNDLED
from previously.testing import LoopbackServer, ModelCall, ScriptedChatModel

Figures = dict[str, float]
EXAMPLE = Path(__file__).parent.parent / "examples" / "alex.jsonl"
SPACE, THREAD, START_AT = "alex", "main", datetime(2026, 1, 1, 8, tzinfo=UTC)
EXCHANGES_PER_SLICE, HISTORY = 10, 20
TOPICS = ("running", "work", "family", "travel", "cooking", "health", "music", "reading", "money", "garden")
CARD = (
    "# Previously On\n\n_Active slice: 2026-01-01-0800 | Format: user card v2 | Updated: 2026-01-01T08:00:00Z_\n\n"
    "## Past\n\nAlex is a software engineer at a small mapping company and likes tea.\n\n"
    "## Now\n\n- Training for a 5K — refs: [2026/01/01/0800#1] | since: 2026-01-01\n"
)
DIRECTION = (
    "# Portrait\n\n## Communication preferences\n\n- Loses patience with long answers — refs: [2026/01/01/0800#1]\n\n"
    "# Hypotheses\n\n- [proposed 2026-01-01-0800] Decides fast once it was talked over — falsify if: does so alone\n"
)
SYSTEM = "You are a patient assistant that answers in short sentences and asks back when something is unclear."
QUESTIONS = ("Can you explain how a tide table is read, please?", "And why are there two tides a day?")
BARS = {
    "record_p95_ms": 10.0,
    "housekeeping_p95_ms_10000": 30.0,
    "check_p95_ms_10000": 1.0,
    "bytes_per_turn": 6000.0,
    "mirror_bytes_per_turn": 6000.0,
    "calls_per_turn": 1.0,
    "prefix_share": 0.95,
}


class TimedModel(ScriptedChatModel):
    """Counts the seconds that are spent inside it."""

    _spent: float = PrivateAttr(default=0.0)

    @property
    def spent(self) -> float:
        return self._spent

    def _generate(self, messages: list[BaseMessage], *args: Any, **options: Any) -> ChatResult:
        start = time.perf_counter()
        try:
            return super()._generate(messages, *args, **options)
        finally:
            self._spent += time.perf_counter() - start


class Vectors(Embeddings):
    """The default embedding, or, while a space is being filled, vectors of the same size that cost no time."""

    def __init__(self, inner: Embeddings) -> None:
        self._inner, self.filling = inner, False
        self._size = len(inner.embed_query("size"))

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        if not self.filling:
            return self._inner.embed_documents(texts)
        made = np.random.default_rng(len(texts)).normal(size=(len(texts), self._size))
        found: list[list[float]] = (made / np.linalg.norm(made, axis=1, keepdims=True)).tolist()
        return found

    def embed_query(self, text: str) -> list[float]:
        return self._inner.embed_query(text)


def analysis(call: ModelCall) -> dict[str, Any]:
    """Answer as a model would on small talk: topics, marks for the slices shown, nothing for the card."""
    marks = [
        {"slice": f"s{n}", "focus": "talk of the day", "summary": "They spoke about the week.", "tags": ["work"]}
        for n in range(1, call.prompt.count('"closing":') + 1)
    ]
    verdict = {"worth": False, "reason": "small talk"}
    return {
        "intent": "chat",
        "memory_worthy": True,
        "tags": {"reuse": [], "create": [TOPICS[len(call.prompt) % len(TOPICS)]]},
        "markings": marks,
        "evolve_card": verdict if marks else None,
    }


def made_up() -> Iterator[str]:
    """Yield sentences of an example's words without end, the same in every run."""
    words = re.findall(r"[\w']+", EXAMPLE.read_text(encoding="utf-8"))
    rng = random.Random(7)  # noqa: S311 - the same sentences every time is what is wanted
    while True:
        yield " ".join(rng.choices(words, k=rng.randrange(12, 36))).capitalize() + "."


def from_locomo(path: Path) -> Iterator[str]:
    """Yield what is said in a data set, over and over, numbered from the second time on."""
    said = [line.text for conversation in load(path) for line in conversation.lines]
    turn = 0
    while True:
        yield from (f"{text} ({turn})" if turn else text for text in said)
        turn += 1


class Talk:
    """A conversation that goes on: slices of ten exchanges, two minutes apart, with a gap after each slice."""

    def __init__(self, memory: Previously, texts: Iterator[str]) -> None:
        self.memory, self.texts, self.number, self.at = memory, texts, 0, START_AT
        self.messages: list[AnyMessage] = []

    def exchange(self) -> list[AnyMessage]:
        """Say the next thing, with its reply; return the end of the history, as a host has it."""
        self.at += timedelta(minutes=2 if self.number % EXCHANGES_PER_SLICE else 45)
        said = [
            HumanMessage(next(self.texts), id=f"u{self.number}"),
            AIMessage(next(self.texts), id=f"a{self.number}"),
        ]
        self.number += 1
        self.messages = [*self.messages, *said][-HISTORY:]
        return self.messages

    @property
    def context(self) -> MemoryContext:
        return MemoryContext(space=SPACE, thread=THREAD, timezone="Europe/Berlin", now=self.at)

    def run(self) -> None:
        """Take the next exchange in through the graph."""
        self.memory.intake.invoke({"messages": self.exchange()}, context=self.context)

    def fill(self, turns: int) -> None:
        """Grow the space to a size without the graph: what it writes for an exchange is what an earlier run wrote."""
        store = self.memory.services.store
        data = store.annotations(SPACE, kind="analysis", turn_ids=["u0"])[0].data
        result = store.commits(SPACE)[-1].result
        while 2 * self.number < turns:
            self.exchange()
            said = (as_turn(at, message, self.context) for at, message in enumerate(self.messages[-2:]))
            new = [turn for turn in said if turn]
            recorded = store.record(SPACE, new, policy=SlicePolicy())
            user = recorded.new[0]
            marks = [SliceUpdate(slice_id=name, **self._mark(name)) for name in recorded.closed]
            commit = Commit(
                space=SPACE,
                key=f"turn:{user}",
                kind="turn",
                at=self.at,
                slices=tuple(marks),
                annotations=(Annotation(turn_id=user, kind="analysis", data=data),),
                finish=(f"turn:{user}", *(f"slice:{name}" for name in recorded.closed)),
                result={**result, "turn": user},
            )
            store.commit(commit)
            if mirror := self.memory.services.mirror:
                mirror.sync(SPACE)

    def _mark(self, slice_id: str) -> dict[str, Any]:
        topic = TOPICS[self.number // EXCHANGES_PER_SLICE % len(TOPICS)]
        return {"focus": topic, "summary": next(self.texts)[:100], "tags": (topic, f"{topic} {slice_id[:7]}")}


def timed(call: Callable[[], object], times: int) -> list[float]:
    """Return how long each of some calls took, in ms."""
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        call()
        taken.append((time.perf_counter() - start) * 1000)
    return taken


def percentiles(name: str, taken: Sequence[float], suffix: str = "") -> Figures:
    return {f"{name}_p{q}_ms{suffix}": float(np.percentile(taken, q)) for q in (50, 95)}


def housekeeping(talk: Talk, model: TimedModel, samples: int, suffix: str) -> Figures:
    """Measure some exchanges without the model's own time; CPU time is what other programs can't disturb."""
    walls, cpus = [], []
    for _ in range(samples):
        inside, cpu = model.spent, time.process_time()
        [wall] = timed(talk.run, 1)
        spent = (model.spent - inside) * 1000
        cpus.append((time.process_time() - cpu) * 1000 - spent)
        walls.append(wall - spent)
        talk.memory.services.index.settle(SPACE)
    return {
        **percentiles("housekeeping", walls, suffix),
        f"housekeeping_cpu_p50_ms{suffix}": float(np.median(cpus)),
    }


def checking(talk: Talk, samples: int) -> list[float]:
    """Return ms of each check before an answer: is evolution due? Beside generations that are long settled."""
    services, context = talk.memory.services, talk.context
    turns = services.store.turns(SPACE, thread=THREAD, newest_first=True, limit=400)
    said = [turn for turn in turns if turn.role == "user"]
    for name, some in {"settled": said[4:], "current": said[:4]}.items():
        scores = [
            Score(
                agent=context.agent,
                bucket="interaction",
                delta=-1,
                evidence=turn.text,
                turn_id=turn.id,
                slice_id=turn.slice_id,
            )
            for turn in some
        ]
        settle = Settlement(agent=context.agent, upto=10**6) if name == "settled" else None
        key = f"{name}:{said[0].id}"
        commit = Commit(space=SPACE, key=key, kind="scores", at=talk.at, scores=tuple(scores), settle=settle)
        services.store.commit(commit)
    return timed(lambda: check(services, context, said[0].id, boundary=False), samples)


def recording(talk: Talk, samples: int) -> list[float]:
    """Return ms of each durable record of one turn, in a thread of its own."""
    store = talk.memory.services.store

    def record(number: int) -> Callable[[], object]:
        turn = as_turn(0, HumanMessage(next(talk.texts), id=f"r{number}"), talk.context.at(thread="record"))
        assert turn is not None
        return lambda: store.record(SPACE, [turn], policy=SlicePolicy())

    return [timed(record(number), 1)[0] for number in range(samples)]


def baseline(samples: int) -> list[float]:
    """Return ms of each turn of a graph that has a model, a checkpointer and no memory."""
    model = ScriptedChatModel("Of course.")
    builder = StateGraph(MessagesState)
    builder.add_node("agent", lambda state: {"messages": [model.invoke(state["messages"])]})
    builder.add_edge(START, "agent")
    builder.add_edge("agent", END)
    graph = builder.compile(checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": THREAD}}
    return timed(lambda: graph.invoke({"messages": [("user", "Hello")]}, config), samples)


def prefix_share(folder: Path) -> float:
    """Return with which share of its tokens the second prompt of a slice repeats the first one, over a real wire."""
    with (
        LoopbackServer("Of course, let me think about that.") as server,
        Previously(folder, model=ScriptedChatModel(analysis), embeddings=False) as memory,
    ):
        memory.write_card(SPACE, CARD, reason="benchmark")
        memory.write(SPACE, DIRECTION_PATH, DIRECTION, reason="benchmark")
        graph = memory.host_graph(server.chat_model(), system_prompt=SYSTEM, checkpointer=InMemorySaver())
        config: Any = {"configurable": {"thread_id": THREAD}}
        for at, text in enumerate(QUESTIONS):
            context = MemoryContext(space=SPACE, now=START_AT + timedelta(minutes=5 * at))
            graph.invoke({"messages": [("user", text)]}, config, context=context)
    encoding = tiktoken.get_encoding(BUNDLED)
    prompts = [json.dumps(request.body["messages"], ensure_ascii=False)[:-1] for request in server.requests]
    first, second = (encoding.encode(prompt, disallowed_special=()) for prompt in prompts)
    same = next((at for at, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), len(first))
    return same / len(first)


def size(*places: Path) -> int:
    """Return the bytes of files and of everything in folders."""
    files = [file for place in places for file in ([place] if place.is_file() else place.rglob("*"))]
    return sum(file.stat().st_size for file in files if file.is_file())


def grow(folder: Path, texts: Iterator[str], sizes: Sequence[int], samples: int, vectors: Vectors | None) -> Figures:
    """Measure one space at each of its sizes."""
    model = TimedModel(analysis)
    figures: Figures = {}
    exchanges = 0
    with Previously(folder, model=model, embeddings=vectors or False) as memory:
        services, talk = memory.services, Talk(memory, texts)
        memory.write_card(SPACE, CARD, reason="benchmark")
        talk.run()
        for turns in sizes:
            if vectors:
                vectors.filling = True
            talk.fill(turns)
            services.index.settle(SPACE)
            if vectors:
                vectors.filling = False
            talk.run()
            before = len(model.calls)
            figures |= housekeeping(talk, model, samples, f"_{turns}")
            figures |= percentiles("check", checking(talk, samples * 2), f"_{turns}")
            exchanges += samples
            figures["calls_per_turn"] = figures.get("calls_per_turn", 0) + len(model.calls) - before
        figures["calls_per_turn"] /= exchanges
        counted = [services.count_tokens(call.prompt) for call in islice(reversed(model.calls), samples)]
        figures["prompt_tokens_per_turn"] = float(np.mean(counted))
        figures |= percentiles("record", recording(talk, samples * 2))
        services.index.settle(SPACE)
        if services.mirror:
            services.mirror.sync(SPACE)
            services.mirror.pack(SPACE)
        stored = services.store.stats(SPACE)["turns"]
    database, index = size(*folder.glob("memory.db*")), size(folder / "index")
    figures |= {"bytes_per_turn": (database + index) / stored, "index_bytes_per_turn": index / stored}
    figures["mirror_bytes_per_turn"] = size(folder / "mirror") / stored
    return figures


def show(figures: Figures) -> None:
    """Print a table, and the figures as one line of JSON."""
    table = Table("figure", "measured", "bar", title="What memory costs a turn")
    for column in table.columns[1:]:
        column.justify = "right"
    for name, value in figures.items():
        bar = BARS.get(name)
        sign = "≥" if name == "prefix_share" else "≤"
        table.add_row(name, f"{value:,.3g}" if value < 100 else f"{value:,.0f}", f"{sign} {bar:,g}" if bar else "")
    Console().print(table)
    print(json.dumps({name: round(value, 4) for name, value in figures.items()}))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="LoCoMo's JSON, for its texts")
    parser.add_argument("--turns", type=int, nargs="+", default=[100, 1_000, 10_000])
    parser.add_argument("--samples", type=int, default=100, help="exchanges measured at each size")
    parser.add_argument("--quick", action="store_true", help="few samples and no vectors: for tests")
    options = parser.parse_args(arguments)
    samples = 5 if options.quick else options.samples
    inner = None if options.quick else default_embeddings()
    texts = from_locomo(options.data) if options.data else made_up()
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        figures = grow(home / "space", texts, sorted(options.turns), samples, Vectors(inner) if inner else None)
        figures |= {"prefix_share": prefix_share(home / "prefix")} | percentiles("baseline", baseline(samples))
    show({**figures, "load_average": os.getloadavg()[0]})
    return 0


if __name__ == "__main__":
    sys.exit(main())
