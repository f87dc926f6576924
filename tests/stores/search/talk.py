"""What the tests of search say to a store, and a small embedding model."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import numpy as np
from langchain_core.embeddings import Embeddings

from previously.state.slice import SlicePolicy
from previously.state.turn import NewTurn
from previously.stores.database import Store
from previously.stores.search.index import SearchResult

START = datetime(2026, 3, 2, 9, tzinfo=UTC)
Say = Callable[..., list[str]]


class Senses(Embeddings):
    """A tiny embedding model: words of one group mean the same, other words mean themselves."""

    groups = (("dog", "puppy", "hund", "terrier"), ("doctor", "physician", "arzt"), ("car", "vehicle", "auto"))

    def __init__(self, seed: str = "") -> None:
        self.seed = seed
        self.documents = 0
        self.queries = 0
        self.broken = False

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        self.documents += len(texts)
        return [self._vector(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        self.queries += 1
        return self._vector(text)

    def _vector(self, text: str) -> list[float]:
        if self.broken:
            raise ConnectionError("no answer")
        total = np.full(64, 0.02)
        for word in re.findall(r"\w+", text.lower()):
            sense = next((group[0] for group in self.groups if word in group), word)
            digest = hashlib.sha256(f"{self.seed}{sense}".encode()).digest()
            total += np.random.default_rng(int.from_bytes(digest[:8])).standard_normal(64)
        return [float(value) for value in total]


def speaking(store: Store) -> Say:
    """Return a function that records texts, or (speaker, text) pairs, five minutes apart."""

    def record(space: str, *lines: str | tuple[str, str], at: datetime = START, **fields: object) -> list[str]:
        before = len(store.turns(space))
        turns = []
        for index, line in enumerate(lines):
            name, text = line if isinstance(line, tuple) else (None, line)
            values: dict[str, object] = {
                "id": f"t{before + index}",
                "thread": "main",
                "role": "assistant" if name == "assistant" else "user",
                "speaker": None if name == "assistant" else name,
                "authority": "owner",
                "trust": "trusted",
                "text": text,
                "event_time": at + timedelta(minutes=5 * index),
            }
            turns.append(NewTurn(**{**values, **fields}))  # type: ignore[arg-type]
        return list(store.record(space, turns, policy=SlicePolicy()).new)

    return record


def ids(result: SearchResult) -> list[str]:
    return [hit.turn_id for hit in result.hits]


SMALL_TALK = (
    "We planted tomatoes behind the house in spring",
    "My sister Anna moved to Leipzig for her new job",
    "The bicycle needs a new chain and two tyres",
    "I drink my coffee without sugar but with oat milk",
    "Our landlord raised the rent by ninety euros",
    "The choir rehearses every Thursday evening",
    "I am allergic to peanuts and cashew nuts",
    "The train to Hamburg was cancelled again",
)
