from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from .terminal import EXAMPLES, Run, invoke, told


@pytest.fixture(scope="package", autouse=True)
def _words_only() -> Iterator[None]:
    """Search by words: loading a model of meaning takes seconds a command."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("previously.stores.search.index.default_embeddings", lambda: None)
        yield


@pytest.fixture(scope="package")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A memory of the English example; not to be changed."""
    home = tmp_path_factory.mktemp("kept") / "home"
    told(invoke("--home", home, "--timezone", "Europe/Berlin", "replay", EXAMPLES / "alex.jsonl", "--space", "alex"))
    return home


@pytest.fixture
def look(kept: Path) -> Run:
    return lambda *args, **more: invoke("--home", kept, *args, **more)


@pytest.fixture
def home(kept: Path, tmp_path: Path) -> Path:
    """A copy of it to change."""
    shutil.copytree(kept, tmp_path / "home")
    return tmp_path / "home"
