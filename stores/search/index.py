"""`SearchIndex`: the face of search. Caught up from the database, so it can be deleted at any time."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from pathlib import Path

from langchain_core.embeddings import Embeddings

from previously.state.errors import PreviouslyError
from previously.state.ref import Ref
from previously.stores.database import Store
from previously.stores.search.lexical import Lexical


class SearchError(PreviouslyError):
    """The index can't be read or written; the database is not concerned."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Hit:
    """A turn that was found."""

    turn_id: str
    ref: Ref
    score: float
    why: dict[str, float] = field(default_factory=dict)
    """How much each signal contributed."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SearchResult:
    """What a search found, best first."""

    hits: tuple[Hit, ...]
    reason: str = ""
    """Why there is nothing, when there is nothing."""


class SearchIndex:
    """One index for each space of a store. Thread-safe."""

    def __init__(self, store: Store, *, embeddings: Embeddings | None = None, chroma: str | Path | None = None) -> None:
        """`embeddings` and `chroma` (a folder, or a server's URL) add meaning to words; without them it is lexical."""
        self._store = store
        self._embeddings = embeddings
        self._chroma = chroma
        self._lexical: dict[str, Lexical] = {}
        self._lock = threading.Lock()

    def search(self, space: str, query: str, *, k: int = 10) -> SearchResult:
        """Return at most `k` turns of a space that fit the query."""
        self.catch_up(space)
        with self._lock:
            ranked = self._lexical[space].search(query, k)
        hits = tuple(Hit(turn_id=id_, ref=ref, score=score, why={"words": score}) for id_, ref, score in ranked)
        return SearchResult(hits=hits, reason="" if hits else "nothing that was said has these words")

    def catch_up(self, space: str) -> int:
        """Take in the turns recorded since the last time; return how many there were."""
        with self._lock:
            lexical = self._lexical.setdefault(space, Lexical())
            new = self._store.turns(space, after_seq=lexical.seq)
            for turn in new:
                lexical.add(turn)
            return len(new)

    def rebuild(self, space: str) -> None:
        """Make the index of a space anew from the database."""
        self.erase(space)
        self.catch_up(space)

    def erase(self, space: str) -> None:
        """Forget a space."""
        with self._lock:
            self._lexical.pop(space, None)

    def close(self) -> None:
        """Let go of everything."""
        with self._lock:
            self._lexical.clear()
