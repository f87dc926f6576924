"""What every test stands on: no tracing, a memory in a fresh folder, the offline model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from previously import Previously


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the machine's own settings out of the tests."""
    for name in ("LANGSMITH_TRACING", "LANGCHAIN_TRACING_V2", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    for name in ("HOME", "MODEL", "DATABASE_URL", "CHROMA_URL", "LANGUAGE", "SPACE", "TIMEZONE"):
        monkeypatch.delenv(f"PREVIOUSLY_{name}", raising=False)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Previously]:
    """A memory with the offline model."""
    with Previously(tmp_path / "home", embeddings=False) as opened:
        yield opened
