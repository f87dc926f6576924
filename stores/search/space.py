"""The index of one space, in memory: words at once, vectors as they are made."""

from __future__ import annotations

import logging
import threading
from zoneinfo import ZoneInfo

import numpy as np

from previously.state.turn import Turn
from previously.stores.database import Store
from previously.stores.search.corpus import Corpus, embedded_text, indexed_text, vector_key
from previously.stores.search.embedder import Embedder
from previously.stores.search.failure import SearchError
from previously.stores.search.lexical import Floats, Lexical
from previously.stores.search.vectors import Shelf

_log = logging.getLogger("previously")
_BATCH = 16
"""Turns that are embedded in one go: about a third of a second on a small machine."""


class SpaceIndex:
    """Words and vectors of the turns of one space. `lock` guards what is in memory, and is never held for a model."""

    def __init__(self, space: str, store: Store, embedder: Embedder | None, shelf: Shelf) -> None:
        """Begin closed: `open` reads the database."""
        self.lock = threading.RLock()
        self.corpus = Corpus()
        self.lexical = Lexical()
        self._space = space
        self._store = store
        self._embedder = embedder
        self._shelf = shelf
        self._embedding = threading.Lock()
        self._vectors = np.empty((0, 0), np.float32)
        self._missing: dict[str, int] = {}
        self.zone = ZoneInfo("UTC")
        """Zone of the space, by whose calendar times in a question are read."""
        self._opened = False
        self._ended = False

    @property
    def behind(self) -> bool:
        """Whether turns wait for their vectors."""
        return bool(self._missing) and not self._ended

    @property
    def has_vectors(self) -> bool:
        """Whether any turn has its vector."""
        return self._embedder is not None and len(self._missing) < len(self.corpus)

    def try_catch_up(self) -> int | None:
        """Do what `catch_up` does, unless the space has to be opened first or is busy: then return `None`."""
        if not self._opened or not self.lock.acquire(blocking=False):
            return None
        try:
            return self.catch_up()
        finally:
            self.lock.release()

    def catch_up(self) -> int:
        """Take in the words of the turns recorded since; return how many there are. Reads anew what was replaced."""
        with self.lock:
            if not self._opened:
                self._read()
                return len(self.corpus)
            newest = self.corpus.newest
            turns = self._store.turns(self._space, after_seq=newest.seq - 1 if newest else 0)
            if newest:
                if not turns or (turns[0].id, turns[0].hash) != (newest.id, newest.hash):
                    self._read()
                    return len(self.corpus)
                turns = turns[1:]
            if turns:
                self._add(turns)
            return len(turns)

    def cosines(self, query: Floats) -> Floats | None:
        """Return the similarity of each turn with `query`, NaN where a turn has no vector; `None` when none has."""
        size = len(self.corpus)
        if self._vectors.shape[1] != len(query) or not self.has_vectors:
            return None
        # Not `@`: BLAS would use threads, whose start on a busy machine takes ten times as long as this.
        found: Floats = np.vecdot(self._vectors[:size], query)
        return found

    def embed(self) -> bool:
        """Make the vectors of the next few turns; return whether there were any to make. Raises `SearchError`."""
        if self._embedder is None:
            return False
        with self._embedding:
            with self.lock:
                keys = [] if self._ended else list(self._missing)[:_BATCH]
                ids = [self.corpus.ids[self._missing[key]] for key in keys]
            turns = self._store.turns(self._space, ids=ids)
            if not turns:
                self._missing = {} if keys else self._missing
                return False
            vectors = self._embedder.documents([embedded_text(turn) for turn in turns])
            made = [vector_key(turn) for turn in turns]
            self._place(dict(zip(made, vectors, strict=True)))
            self._keep(made, vectors)
            return True

    def end(self, *, clear: bool = False) -> None:
        """Let go of everything; with `clear`, remove what is kept on disk too. Raises `SearchError`."""
        self._ended = True
        with self._embedding, self.lock:
            if clear:
                self._shelf.clear()
            self._shelf.close()

    def _read(self) -> None:
        self.corpus, self.lexical = Corpus(), Lexical()
        self._vectors, self._missing = np.empty((0, 0), np.float32), {}
        self._add(self._store.turns(self._space))
        self._opened = True
        if self._embedder is not None:
            try:
                self._place(self._shelf.load(self._embedder.probe, self.corpus.keys))
            except SearchError as error:
                _log.warning("vectors are made anew: %s", error)

    def _keep(self, keys: list[str], vectors: Floats) -> None:
        if not self._ended:
            try:
                self._shelf.save(keys, vectors)
            except SearchError as error:
                _log.warning("vectors are not kept beyond this process: %s", error)

    def _add(self, turns: list[Turn]) -> None:
        self.zone = ZoneInfo(self._store.timezone(self._space))
        for turn in turns:
            if turn.space != self._space:
                raise SearchError("the database returned a turn of another space")
            if self._embedder is not None:
                self._missing[vector_key(turn)] = len(self.corpus)
            self.corpus.add(turn)
            self.lexical.add(indexed_text(turn))

    def _place(self, made: dict[str, Floats]) -> None:
        """Put vectors into their rows."""
        with self.lock:
            rows = [(self._missing.pop(key), vector) for key, vector in made.items() if key in self._missing]
            if not rows:
                return
            self._make_room(len(rows[0][1]))
            for row, vector in rows:
                self._vectors[row] = vector

    def _make_room(self, dimensions: int) -> None:
        if self._vectors.shape[1] == dimensions and len(self._vectors) >= len(self.corpus):
            return
        grown = np.full((max(64, 2 * len(self.corpus)), dimensions), np.nan, np.float32)
        if self._vectors.shape[1] == dimensions:
            grown[: len(self._vectors)] = self._vectors
        self._vectors = grown
