"""`SearchIndex`: the face of search. Caught up from the database, so it can be deleted at any time."""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from langchain_core.embeddings import Embeddings

from previously.state.context import aware, clean_text
from previously.state.errors import PreviouslyError
from previously.stores.database import Store
from previously.stores.search.embedder import Embedder
from previously.stores.search.embeddings import default_embeddings
from previously.stores.search.failure import SearchError
from previously.stores.search.filters import Filters
from previously.stores.search.ranking import Hit, Meaning, Question, SearchResult, rank
from previously.stores.search.space import SpaceIndex
from previously.stores.search.vectors import ChromaShelf, NoShelf, Shelf

__all__ = ("Hit", "SearchError", "SearchIndex", "SearchResult")
_log = logging.getLogger("previously")
_OPEN_SPACES = 64
"""Spaces kept in memory; the one that was not asked for longest makes room."""


class SearchIndex:
    """One index for each space of a store. Thread-safe.

    Words are indexed at once. Vectors are made in small batches by a thread of the index, so that recording a turn
    never waits for an embedding; until a turn has its vector, its words and its neighbours speak for it. Vectors that
    are missing when the process ends are made after the next opening.
    """

    def __init__(
        self,
        store: Store,
        *,
        embeddings: Embeddings | Literal[False] | None = None,
        chroma: str | Path | None = None,
    ) -> None:
        """`chroma` is where vectors are kept, a folder or a server's URL; without it they last as long as the process.

        `embeddings` is any LangChain embedding model. `None` is the embedded default where its extra is installed and
        `chroma` is given, `False` is none: words only.
        """
        if embeddings is None and chroma is not None:
            embeddings = default_embeddings()
        self._store = store
        self._embedder = Embedder(embeddings) if embeddings else None
        self._chroma = chroma
        self._spaces: OrderedDict[str, SpaceIndex] = OrderedDict()
        self._lock = threading.Lock()
        self._worker: ThreadPoolExecutor | None = None
        self._queued: set[str] = set()

    def search(
        self,
        space: str,
        query: str,
        *,
        k: int = 10,
        after: datetime | str | None = None,
        before: datetime | str | None = None,
        speaker: str | None = None,
        slice_id: str | None = None,
        thread: str | None = None,
        authority: str | None = None,
        tag: str | None = None,
        now: datetime | None = None,
        floor: float | None = None,
    ) -> SearchResult:
        """Return at most `k` turns of a space that answer the query, best first, or why there are none.

        `after` and `before` are aware instants (or their ISO text), `before` excluded. `speaker` is a name, or the role
        `user` or `assistant`; `tag` one of a slice. Times in the query ("last March") are read at `now`, by the zone of
        the space. `floor` is how close the best turn must come for anything to be returned, 0 (always) … 1; `None` is
        the usual one. Raises `InvalidInput` for a naive instant.
        """
        filters = Filters(
            after=None if after is None else aware("after", after),
            before=None if before is None else aware("before", before),
            speaker=speaker,
            slices=self._slices(space, slice_id, tag),
            thread=thread,
            authority=authority,
        )
        found = self._space(space)
        found.catch_up()
        if found.behind:
            self._schedule(space, found)
        at = aware("now", now or datetime.now(UTC))
        with found.lock:
            question = Question.read(clean_text(query), found.corpus, at, found.zone)
        meaning = self._meaning(found, question.topic)
        with found.lock:
            return rank(found, question, meaning, filters, k=k, floor=floor)

    def catch_up(self, space: str) -> int:
        """Take in the words of the turns recorded since; return how many there were. Never waits for an embedding.

        A space that is not open yet, or just being opened, is caught up in the background, and 0 is returned.
        """
        found = self._space(space)
        taken = found.try_catch_up()
        if taken is None or found.behind:
            self._schedule(space, found)
        return taken or 0

    def settle(self, space: str) -> None:
        """Catch up, and wait until every turn has its vector. Raises `SearchError`."""
        found = self._space(space)
        found.catch_up()
        while found.embed():
            pass

    def rebuild(self, space: str) -> None:
        """Make the index of a space anew from the database, with all vectors. Raises `SearchError`."""
        self.erase(space)
        self.settle(space)

    def erase(self, space: str) -> None:
        """Forget a space, in memory and on disk. Raises `SearchError`."""
        with self._lock:
            found = self._spaces.pop(space, None) or self._make(space)
        found.end(clear=True)

    def close(self) -> None:
        """Let go of everything, after at most one batch of vectors that is being made."""
        with self._lock:
            worker, self._worker = self._worker, None
            spaces = list(self._spaces.values())
            self._spaces.clear()
            self._queued.clear()
        if worker is not None:
            worker.shutdown(wait=True, cancel_futures=True)
        for found in spaces:
            found.end()

    def _space(self, space: str) -> SpaceIndex:
        """Return the index of a space, which may still have to be opened."""
        with self._lock:
            found = self._spaces.get(space) or self._make(space)
            self._spaces[space] = found
            self._spaces.move_to_end(space)
            gone = self._spaces.popitem(last=False)[1] if len(self._spaces) > _OPEN_SPACES else None
        if gone is not None:
            gone.end()
        return found

    def _make(self, space: str) -> SpaceIndex:
        shelf: Shelf = NoShelf()
        if self._embedder is not None and self._chroma is not None:
            shelf = ChromaShelf(space, self._chroma)
        return SpaceIndex(space, self._store, self._embedder, shelf)

    def _slices(self, space: str, slice_id: str | None, tag: str | None) -> frozenset[str] | None:
        """Return the slices that a search is limited to."""
        if tag is None:
            return None if slice_id is None else frozenset((slice_id,))
        tagged = frozenset(item.slice_id for item in self._store.slices(space) if tag in item.tags)
        return tagged if slice_id is None else tagged & {slice_id}

    def _meaning(self, found: SpaceIndex, topic: str) -> Meaning | None:
        """Embed what is asked, where there is anything to compare it with."""
        if self._embedder is None or not found.has_vectors:
            return None
        try:
            vector = self._embedder.query(topic)
            return Meaning(vector, self._embedder.background(vector))
        except SearchError as error:
            _log.warning("searching by words only: %s", error)
            return None

    def _schedule(self, space: str, found: SpaceIndex) -> None:
        """Have the worker bring a space up to date, one batch at a time, so that the others get their turn."""
        with self._lock:
            if space in self._queued or self._spaces.get(space) is not found:
                return
            self._queued.add(space)
            if self._worker is None:
                self._worker = ThreadPoolExecutor(1, thread_name_prefix="previously-index")
            try:
                self._worker.submit(self._work, space, found)
            except RuntimeError:
                _log.debug("the process is ending: vectors that are missing are made after the next opening")

    def _work(self, space: str, found: SpaceIndex) -> None:
        with self._lock:
            self._queued.discard(space)
        try:
            found.catch_up()
            more = found.embed()
        except PreviouslyError as error:
            _log.warning("the search index of a space could not be brought up to date: %s", error)
            return
        if more:
            self._schedule(space, found)
