"""Embedding texts with any LangChain `Embeddings`."""

from __future__ import annotations

from functools import cached_property, lru_cache

import numpy as np
from langchain_core.embeddings import Embeddings

from previously.state.context import clean_text
from previously.stores.search.failure import SearchError
from previously.stores.search.lexical import Floats

_PLAIN = (
    "The train to the coast leaves at seven.",
    "She planted tomatoes behind the house.",
    "The committee postponed its decision until autumn.",
    "His knee still hurts after the football match.",
    "We painted the kitchen light green.",
    "The bank charges a fee for foreign transfers.",
    "Rain is expected in the mountains tonight.",
    "The museum lends two paintings to Vienna.",
    "My cousin studies law in the capital.",
    "The printer is out of paper again.",
    "They adopted an old dog from the shelter.",
    "The soup needs more salt and less pepper.",
    "A new bridge will connect both villages.",
    "The software update takes about ten minutes.",
    "He sold his motorcycle last week.",
    "The choir rehearses every Thursday evening.",
    "Her flight was delayed because of fog.",
    "The factory produces glass bottles.",
    "I finished reading the novel yesterday.",
    "Our team won the quiz by one point.",
    "What time does the shop close?",
    "Thanks, that helps a lot!",
    "Good night, see you tomorrow.",
    "The doctor recommended more sleep.",
)
"""What people say, about this and that: a question is hardly ever about more than one of them."""
_QUERIES = 1_024


class Embedder:
    """Unit vectors of texts. Whatever the embedding model raises comes out as `SearchError`."""

    def __init__(self, embeddings: Embeddings) -> None:
        """`embeddings` is used from several threads."""
        self._embeddings = embeddings
        self.query = lru_cache(_QUERIES)(self._query)
        """Return the vector of a question. Repeated questions are not embedded again."""

    @cached_property
    def _plain(self) -> Floats:
        return self.documents(list(_PLAIN))

    @property
    def probe(self) -> Floats:
        """Vector of a fixed text: another model gives another one."""
        found: Floats = self._plain[0]
        return found

    def background(self, query: Floats) -> tuple[float, float]:
        """Return mean and deviation of a question's similarity with texts that it is not about."""
        cosines = self._plain @ query
        return float(cosines.mean()), float(cosines.std())

    def documents(self, texts: list[str]) -> Floats:
        """Return one vector a text."""
        try:
            made = self._embeddings.embed_documents([clean_text(text) for text in texts])
        except Exception as error:
            raise SearchError(f"the embedding model failed: {error}") from error
        return _unit(np.asarray(made, np.float32))

    def _query(self, text: str) -> Floats:
        try:
            made = self._embeddings.embed_query(clean_text(text))
        except Exception as error:
            raise SearchError(f"the embedding model failed: {error}") from error
        vector: Floats = _unit(np.asarray([made], np.float32))[0]
        return vector


def _unit(vectors: Floats) -> Floats:
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return (vectors / np.where(norms > 0, norms, 1)).astype(np.float32)
