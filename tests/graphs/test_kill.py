"""A process that is killed loses nothing and doubles nothing: resuming gives the memory of an undisturbed run."""

from __future__ import annotations

import multiprocessing
import runpy
import signal
from pathlib import Path
from typing import Any

import pytest

from previously.state.ref import Ref

SCRIPT = Path(__file__).with_name("end_state.py")
NODES = ("receive", "pressure", "brief", "agent", "record", "gather", "analyze", "score", "read", "previously_agent", "mutate", "finish",
         "card", "install", "housekeeping")  # fmt: skip
EVOLUTION = ("receive", "pressure", "gather", "evaluate", "validate", "read", "previously_agent", "mutate", "finish", "card",
             "playbooks", "check_playbooks", "settle", "commit", "evolution", "brief", "install")  # fmt: skip


def _state(home: Path) -> dict[str, Any]:
    state: dict[str, Any] = runpy.run_path(str(SCRIPT))["end_state"](home)
    replies = {row[0]: f"reply {n}" for n, row in enumerate(state["turns"]) if row[5] == "assistant"}
    return _renamed(state, replies)


def _renamed(value: Any, names: dict[str, str]) -> Any:
    """Replace the ids of replies, which are new in every run."""
    if isinstance(value, dict):
        return {key: _renamed(inner, names) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_renamed(inner, names) for inner in value]
    if isinstance(value, str):
        for old, new in names.items():
            value = value.replace(old, new)
    return value


def _run(folder: Path, fatal: str, scenario: str = "ordinary") -> int | None:
    """Play the conversation in a process of its own; the fork server has the libraries loaded already."""
    processes = multiprocessing.get_context("forkserver")
    processes.set_forkserver_preload(["previously.memory", "previously.offline", "langgraph.checkpoint.sqlite"])
    given = {"init_globals": {"ARGS": (str(folder), fatal, scenario)}, "run_name": "child"}
    child = processes.Process(target=runpy.run_path, args=(str(SCRIPT),), kwargs=given)
    child.start()
    child.join(100)
    return child.exitcode


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("undisturbed")
    assert _run(folder, "none") == 0
    state = _state(folder / "home")
    assert len(state["turns"]) == 6
    assert not state["backlog"]
    assert "keep your answers short" in state["documents"][-1][2]
    return state


@pytest.mark.parametrize("node", NODES)
def test_killed_after_a_node_and_resumed(node: str, tmp_path: Path, undisturbed: dict[str, Any]) -> None:
    assert _run(tmp_path, node) == -signal.SIGKILL
    assert _run(tmp_path, "none") == 0
    resumed = _state(tmp_path / "home")
    for name, rows in undisturbed.items():
        assert resumed[name] == rows, name


@pytest.fixture(scope="module")
def evolved(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("evolved")
    assert _run(folder, "none", "evolution") == 0
    state = _state(folder / "home")
    assert [row[1] for row in state["commits"] if row[2] == "evolution"] == ["evolution:assistant:c5@1"]
    settled = {row[5] for row in state["fitness"]}
    assert len(state["fitness"]) == 10
    assert len(settled) == 1
    assert None not in settled
    assert {row[0].rpartition("/")[2] for row in state["documents"]} == {
        "account.md", "direction.md", "recall.md", "current-previously.md"
    }  # fmt: skip
    return state


@pytest.mark.parametrize("node", EVOLUTION)
def test_killed_after_a_node_of_a_run_and_resumed(node: str, tmp_path: Path, evolved: dict[str, Any]) -> None:
    assert _run(tmp_path, node, "evolution") == -signal.SIGKILL
    assert _run(tmp_path, "none", "evolution") == 0
    resumed = _state(tmp_path / "home")
    for name, rows in evolved.items():
        assert resumed[name] == rows, name


def test_refs_of_the_card_resolve(undisturbed: dict[str, Any]) -> None:
    card = undisturbed["documents"][-1][2]
    said = {str(Ref(row[2], row[3])) for row in undisturbed["turns"]}
    refs = [part.split("]")[0] for line in card.splitlines() if "refs:" in line for part in line.split("[")[1:]]
    assert refs
    assert set(refs) <= said
