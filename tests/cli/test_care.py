"""Commands that keep memory in order."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path

import pytest
from langchain_core.messages import HumanMessage

from previously import MemoryContext, Previously
from previously.state.errors import Failure

from .terminal import CARD_FILE, grep, invoke, mirror, told


@pytest.fixture
def owing(tmp_path: Path) -> Path:
    """A memory with a dead job and one that is due, and another space's that is due."""
    with Previously(tmp_path / "owing") as memory:
        memory.record([HumanMessage("My name is Bo.", id="u1")], MemoryContext(space="bo", thread="one"))
        memory.record([HumanMessage("Hi!", id="u2")], MemoryContext(space="bo", thread="two"))
        memory.record([HumanMessage("Hey!", id="u3")], MemoryContext(space="al"))
        memory.services.store.defer(
            "bo",
            "turn:u1",
            failure=Failure.AUTHENTICATION,
            detail="HTTP 401",
            next_at=memory.services.clock() + timedelta(hours=1),
            max_attempts=1,
        )
    return tmp_path / "owing"


def test_backlog_says_what_is_owed_and_why_and_work_does_it(owing: Path) -> None:
    def run(*args: str, code: int = 0) -> str:
        return told(invoke("--home", owing, *args), code)

    listed = run("backlog")
    assert re.search(r"turn:u1 +bo +dead +1 .*authentication: HTTP 401", listed)
    assert re.search(r"turn:u2 +bo +owed +0 .*not done yet", listed)
    assert "turn:u2" not in run("backlog", "--dead", "-s", "bo")
    assert "needs --space" in run("backlog", "retry", "turn:u1", code=2)
    assert "not in the backlog" in run("backlog", "retry", "turn:u9", "-s", "bo", code=1)
    assert "1 jobs done, 0 of them failed; 2 owed" in run("work", "--limit", "1")
    assert "is due again" in run("backlog", "retry", "turn:u1", "-s", "bo")
    assert "1 jobs done, 0 of them failed; 0 owed" in run("work", "-s", "bo")
    assert "1 jobs done, 0 of them failed; 0 owed" in run("work")
    assert "0 jobs done" in run("work")
    assert "Nothing is owed." in run("backlog")


def test_doctor_says_what_to_do_and_with_its_exit_code_that_there_is_something(owing: Path, home: Path) -> None:
    ill = invoke("--home", owing, "doctor")
    assert ill.exit_code == 1
    assert "previously backlog --dead" in ill.stdout
    well = told(invoke("--home", home, "doctor", "-s", "alex"))
    assert "All is well." in well
    for word in ("schema 2", "sound", "wal", "offline", "cl100k", "in step", "0 owed, 0 dead", "revision 8"):
        assert word in well
    (mirror(home) / CARD_FILE).write_text("mine")
    assert "previously review" in invoke("--home", home, "doctor").stdout
    broken = invoke("--home", home, "doctor", "--model", "openai:gpt-5-mini")
    assert broken.exit_code == 1
    assert "Missing credentials" in broken.stdout


def test_erase_leaves_nothing_of_one_space_and_all_of_the_others(home: Path) -> None:
    canary = "quetzalcoatlus"
    told(invoke("--home", home, "chat", "-s", "bo", typed=f"Remember that I like {canary}.\n"))
    assert {name.split("/")[0] for name in grep(home, canary)} >= {"checkpoints.db", "mirror"}
    before = told(invoke("--home", home, "card", "-s", "alex", "--why"))
    told(invoke("--home", home, "erase", "-s", "bo", typed="n\n"), code=1)
    assert grep(home, canary)
    assert "are gone" in told(invoke("--home", home, "erase", "-s", "bo", typed="y\n"))
    assert grep(home, canary) == []
    assert "no space 'bo'" in told(invoke("--home", home, "erase", "-s", "bo", "--yes"), code=1)
    assert told(invoke("--home", home, "card", "-s", "alex", "--why")) == before
