"""How fast search is, and that no space sees another: the parts of `benchmarks.recall` that need no data set."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
from langchain_core.embeddings import Embeddings

from previously.state.slice import SlicePolicy
from previously.state.turn import NewTurn
from previously.stores.database import Store
from previously.stores.search.index import SearchIndex

START = datetime(2026, 1, 1, tzinfo=UTC)


class Remembering(Embeddings):
    """Embeds each text once in a run."""

    def __init__(self, inner: Embeddings) -> None:
        self._inner = inner
        self._made: dict[tuple[str, str], list[float]] = {}

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        new = [text for text in dict.fromkeys(texts) if ("passage", text) not in self._made]
        if new:
            made = self._inner.embed_documents(new)
            self._made |= {("passage", text): vector for text, vector in zip(new, made, strict=True)}
        return [self._made["passage", text] for text in texts]

    def embed_query(self, text: str) -> list[float]:
        if ("query", text) not in self._made:
            self._made["query", text] = self._inner.embed_query(text)
        return self._made["query", text]


def made_up(texts: Sequence[str], count: int) -> list[NewTurn]:
    return [
        NewTurn(
            id=f"n{at}",
            thread="main",
            role="user" if at % 2 == 0 else "assistant",
            speaker=None,
            authority="owner",
            trust="trusted",
            text=texts[at % len(texts)],
            event_time=START + timedelta(minutes=at),
        )
        for at in range(count)
    ]


def timed(call: Callable[[str], object], queries: Iterable[str]) -> tuple[float, float]:
    """Return the median and the 95th percentile in ms."""
    taken = []
    for query in queries:
        start = time.perf_counter()
        call(query)
        taken.append((time.perf_counter() - start) * 1000)
    return float(np.percentile(taken, 50)), float(np.percentile(taken, 95))


def speed(
    folder: Path, texts: Sequence[str], queries: Sequence[str], count: int, inner: Embeddings | None
) -> dict[str, float]:
    """Measure one space of `count` turns. Vectors of texts that repeat are made once, to fill it quickly."""
    found: dict[str, float] = {}
    with Store.open(folder / "speed.db") as store:
        turns = made_up(texts, count)
        for at in range(0, count, 500):
            store.record("speed", turns[at : at + 500], policy=SlicePolicy())
        lexical = SearchIndex(store, embeddings=False)
        start = time.perf_counter()
        lexical.search("speed", queries[0])
        found["cold_start_lexical_s"] = time.perf_counter() - start
        found["query_lexical_p50_ms"], found["query_lexical_p95_ms"] = timed(
            lambda query: lexical.search("speed", query), queries
        )
        found["index_lexical_ms_per_turn"] = _indexing(store, lexical, texts)
        lexical.close()
        if inner is not None:
            found |= _speed_with_vectors(store, folder, texts, queries, inner)
    found["memory_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return found


def _speed_with_vectors(
    store: Store, folder: Path, texts: Sequence[str], queries: Sequence[str], inner: Embeddings
) -> dict[str, float]:
    found: dict[str, float] = {}
    index = SearchIndex(store, embeddings=Remembering(inner), chroma=folder / "index")
    index.settle("speed")
    index.close()
    index = SearchIndex(store, embeddings=inner, chroma=folder / "index")
    start = time.perf_counter()
    index.search("speed", queries[0])
    found["cold_start_s"] = time.perf_counter() - start
    found["query_p50_ms"], found["query_p95_ms"] = timed(lambda query: index.search("speed", query), queries[1:])
    found["query_embedded_before_p50_ms"], found["query_embedded_before_p95_ms"] = timed(
        lambda query: index.search("speed", query), queries[1:]
    )
    found["embedding_p50_ms"], found["embedding_p95_ms"] = timed(inner.embed_query, queries)
    found["index_ms_per_turn"] = _indexing(store, index, texts, settle=True)
    index.close()
    return found


def _indexing(
    store: Store, index: SearchIndex, texts: Sequence[str], *, settle: bool = False, count: int = 100
) -> float:
    """Return ms a turn of bringing new turns into an open index."""
    before = store.stats("speed")["turns"]
    turns = made_up([f"{text} {before}" for text in texts[:count]], before + count)[before:]
    store.record("speed", turns, policy=SlicePolicy())
    start = time.perf_counter()
    index.settle("speed") if settle else index.catch_up("speed")
    return (time.perf_counter() - start) * 1000 / count


# Isolation


def isolation(folder: Path, queries: int, spaces: int = 100) -> int:
    """Return how many hits belong to another space, over spaces with nearly the same texts."""
    foreign = 0
    with Store.open(folder / "isolation.db") as store:
        names = [f"user-{number}" for number in range(spaces - 4)] + ["acme", "acme-corp", "john_doe", "john%doe"]
        own: dict[str, dict[str, str]] = {}
        for number, name in enumerate(names):
            turns = made_up([f"the code of locker {line} is {number}-{line}" for line in range(10)], 10)
            store.record(name, turns, policy=SlicePolicy())
            own[name] = {turn.id: turn.text for turn in store.turns(name)}
        index = SearchIndex(store, embeddings=False)
        for at in range(queries):
            name, about = names[at % spaces], (at * 7) % spaces
            for hit in index.search(name, f"what is the code {about}-{at % 10} of locker {at % 10}?", floor=0).hits:
                said = store.turn(name, hit.turn_id) if at < spaces else None
                foreign += hit.turn_id not in own[name] or (said is not None and said.text != own[name][hit.turn_id])
        index.close()
    return foreign
