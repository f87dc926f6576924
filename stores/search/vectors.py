"""Where vectors are kept: Chroma, one collection a space; embedded, each space has a folder of its own.

Only a cache: a vector is kept under a key that names the text it was made from, and beside the vector of a probe, which
tells another embedding model. What is missing, foreign or unreadable is made again from the database.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol
from urllib.parse import urlsplit

import numpy as np

from previously.state.paths import label
from previously.stores.search.failure import SearchError
from previously.stores.search.lexical import Floats

if TYPE_CHECKING:
    from chromadb import Collection
    from chromadb.api import ClientAPI

_PROBE = "probe"
_SAME = 0.999
"""Cosine of two vectors of the probe above which one model made both."""
_AT_ONCE = 1_000


class Shelf(Protocol):
    """Where the vectors of one space are kept."""

    def load(self, probe: Floats, wanted: Sequence[str]) -> dict[str, Floats]:
        """Return the vectors of `wanted` that this model made; let go of all others. Raises `SearchError`."""

    def save(self, keys: Sequence[str], vectors: Floats) -> None:
        """Keep vectors. Raises `SearchError`."""

    def clear(self) -> None:
        """Remove everything of the space, also from the disk. Raises `SearchError`."""

    def close(self) -> None:
        """Let go of the client."""


class NoShelf:
    """Vectors live as long as the process."""

    def load(self, probe: Floats, wanted: Sequence[str]) -> dict[str, Floats]:
        """Return nothing."""
        del probe, wanted
        return {}

    def save(self, keys: Sequence[str], vectors: Floats) -> None:
        """Keep nothing."""

    def clear(self) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing."""


class ChromaShelf:
    """A Chroma collection, in a folder or on a server. The client is opened when it is first needed."""

    def __init__(self, space: str, place: str | Path) -> None:
        """`place` is a folder, under which the space gets its own, or the URL of a server."""
        self._name = label(space)
        self._url = str(place) if str(place).startswith(("http://", "https://")) else None
        self._folder = None if self._url else Path(place) / self._name
        self._attempt = 1
        self._client: ClientAPI | None = None

    def load(self, probe: Floats, wanted: Sequence[str]) -> dict[str, Floats]:
        """Return the vectors of `wanted` that this model made; let go of all others. Raises `SearchError`."""
        try:
            return self._load(probe, wanted)
        except SearchError:
            if self._folder is None:
                raise
            self.clear()
            return self._load(probe, wanted)

    def _load(self, probe: Floats, wanted: Sequence[str]) -> dict[str, Floats]:
        with _translated():
            found = self._collection().get(include=["embeddings"])
            made = found["embeddings"]
            kept = dict(zip(found["ids"], np.asarray(made if made is not None else [], np.float32), strict=True))
            if not _same(kept.pop(_PROBE, None), probe):
                kept = {}
                self._client_().delete_collection(self._name)
                self._collection().upsert(ids=[_PROBE], embeddings=probe[None])
            foreign = list(kept.keys() - set(wanted))
            for at in range(0, len(foreign), _AT_ONCE):
                self._collection().delete(ids=foreign[at : at + _AT_ONCE])
            return {key: vector for key, vector in kept.items() if key not in set(foreign)}

    def save(self, keys: Sequence[str], vectors: Floats) -> None:
        """Keep vectors. Raises `SearchError`."""
        with _translated():
            for at in range(0, len(keys), _AT_ONCE):
                part = slice(at, at + _AT_ONCE)
                self._collection().upsert(ids=list(keys[part]), embeddings=vectors[part])

    def clear(self) -> None:
        """Remove everything of the space, also from the disk. Raises `SearchError`."""
        if self._folder is None:
            with _translated(missing_is_fine=True):
                self._client_().delete_collection(self._name)
            return
        self.close()
        self._attempt += 1
        try:
            if self._folder.is_dir():
                shutil.rmtree(self._folder)
            self._folder.unlink(missing_ok=True)
        except OSError as error:
            raise SearchError(f"{self._folder} can't be removed: {error}") from error

    def close(self) -> None:
        """Let go of the client."""
        client, self._client = self._client, None
        if client is not None:
            from chromadb.api.client import Client  # noqa: PLC0415 - is imported by now

            if isinstance(client, Client):
                client.close()

    def _collection(self) -> Collection:
        return self._client_().get_or_create_collection(self._name, embedding_function=None)

    def _part(self, folder: Path) -> Path:
        """Return the part of the folder to open: chromadb cannot open a path again at which it failed once."""
        parts = sorted(part for part in folder.iterdir() if part.is_dir()) if folder.is_dir() else []
        return parts[-1] if parts else folder / str(self._attempt)

    def _client_(self) -> ClientAPI:
        if self._client is None:
            import chromadb  # noqa: PLC0415 - half a second
            from chromadb.config import Settings  # noqa: PLC0415

            quiet = Settings(anonymized_telemetry=False)
            if self._folder is not None:
                self._client = chromadb.PersistentClient(self._part(self._folder), settings=quiet)
            else:
                url = urlsplit(self._url or "")
                secure = url.scheme == "https"
                port = url.port or (443 if secure else 8000)
                self._client = chromadb.HttpClient(url.hostname or "localhost", port, secure, settings=quiet)
        return self._client


def _same(old: Floats | None, new: Floats) -> bool:
    return old is not None and old.shape == new.shape and float(old @ new) > _SAME


@contextmanager
def _translated(*, missing_is_fine: bool = False) -> Iterator[None]:
    import httpx  # noqa: PLC0415 - comes with chromadb, and is as slow to import
    from chromadb.errors import ChromaError, NotFoundError  # noqa: PLC0415

    try:
        yield
    except NotFoundError as error:
        if not missing_is_fine:
            raise SearchError(f"the vector store lost a collection: {error}") from error
    except (ChromaError, httpx.HTTPError, OSError, ValueError, AttributeError) as error:
        # AttributeError: chromadb, when it cleans up after a folder that it could not open.
        raise SearchError(f"the vector store can't be used: {error}") from error
