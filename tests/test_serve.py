"""`langgraph.json` names graphs that load as LangGraph's server loads them: by file and variable."""

from __future__ import annotations

import json
import runpy
from pathlib import Path

import pytest
from langgraph.graph.state import CompiledStateGraph

ROOT = Path(__file__).parent.parent


def test_every_graph_that_is_named_loads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PREVIOUSLY_HOME", str(tmp_path))
    graphs = json.loads((ROOT / "langgraph.json").read_text())["graphs"]
    for name, address in graphs.items():
        file, _, variable = address.partition(":")
        loaded = runpy.run_path(str(ROOT / file))
        assert isinstance(loaded[variable], CompiledStateGraph)
        assert loaded[variable].name == name
        loaded["memory"].close()
