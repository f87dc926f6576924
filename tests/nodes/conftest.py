from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from langchain_core.language_models import BaseChatModel

from previously.nodes.services import Services
from previously.state.settings import Settings
from previously.stores.database import Store
from previously.stores.search.index import SearchIndex


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "memory.db") as opened:
        yield opened


@pytest.fixture
def services_for(store: Store) -> Callable[..., Services]:
    """Return services around a model; keywords are `Settings`."""

    def make(model: BaseChatModel, **settings: Any) -> Services:
        return Services(store=store, model=model, index=SearchIndex(store), settings=Settings(**settings))

    return make


@pytest.fixture
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the pauses between requests short enough for a test."""
    monkeypatch.setattr("previously.nodes.ask._FIRST_PAUSE", 0.01)
