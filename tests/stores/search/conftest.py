from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from previously.stores.database import Store
from previously.stores.search.index import SearchIndex

from .talk import Say, speaking


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "memory.db") as opened:
        yield opened


@pytest.fixture
def say(store: Store) -> Say:
    return speaking(store)


@pytest.fixture
def lexical(store: Store) -> Iterator[SearchIndex]:
    index = SearchIndex(store, embeddings=False)
    yield index
    index.close()
