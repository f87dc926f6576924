"""A replay repeats nothing and loses nothing: run again, broken off, killed, or run twice at once."""

from __future__ import annotations

import hashlib
import multiprocessing
import runpy
import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage

from previously import InvalidInput, MemoryContext, Previously
from previously.replay import replay
from previously.state.paths import CARD_PATH
from previously.transcripts import Transcript

HERE = Path(__file__).parent
SCRIPT = HERE / "replaying.py"
TOOLS = runpy.run_path(str(SCRIPT))
END_STATE = runpy.run_path(str(HERE / "graphs" / "end_state.py"))["end_state"]
COMMITS = 19
"""Commits of the undisturbed replay: the last one reviews the slice that is closed at its end."""
PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload(["previously.memory", "previously.offline", "previously.transcripts"])


def start(home: Path, fatal: tuple[str, int, bool] | None = None) -> Any:
    given = {"init_globals": {"ARGS": (str(home), fatal)}, "run_name": "child"}
    child = PROCESSES.Process(target=runpy.run_path, args=(str(SCRIPT),), kwargs=given)
    child.start()
    return child


def ended(child: Any) -> int | None:
    child.join(60)
    return child.exitcode


def files(home: Path) -> dict[str, str]:
    """Return a hash of every file that a person or a backup would look at, git's own included."""
    found = [file for file in home.rglob("*") if file.is_file() and not file.name.endswith(("-shm", "-wal", ".lock"))]
    return {str(file.relative_to(home)): hashlib.sha256(file.read_bytes()).hexdigest() for file in found}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    home = tmp_path_factory.mktemp("undisturbed") / "home"
    steps = TOOLS["play"](home)
    assert not any(steps)
    state = END_STATE(home)
    assert len(state["turns"]) == TOOLS["MESSAGES"]
    assert len(state["slices"]) == 4
    assert not state["backlog"]
    assert len(state["commits"]) == COMMITS
    return state


def test_a_second_run_changes_nothing_byte_for_byte(tmp_path: Path) -> None:
    TOOLS["play"](tmp_path)
    before = files(tmp_path)
    assert any(name.endswith("current-previously.md") for name in before)
    assert all(TOOLS["play"](tmp_path))
    assert files(tmp_path) == before


@pytest.mark.parametrize("exchanges", [1, 6])
def test_one_that_is_broken_off_between_exchanges_goes_on(
    exchanges: int, tmp_path: Path, undisturbed: dict[str, Any]
) -> None:
    TOOLS["play"](tmp_path, stop_after=exchanges)
    steps = TOOLS["play"](tmp_path)
    assert steps.count(True) == exchanges
    assert END_STATE(tmp_path) == undisturbed


@pytest.mark.parametrize(
    "fatal",
    [
        ("record", 1, True),
        ("record", 6, True),
        ("commit", 6, False),
        ("commit", 6, True),
        ("commit", 12, False),
        ("commit", COMMITS, False),
        ("commit", COMMITS, True),
    ],
    ids=lambda fatal: f"{'after' if fatal[2] else 'before'} {fatal[0]} {fatal[1]}",
)
def test_one_that_is_killed_goes_on(fatal: tuple[str, int, bool], tmp_path: Path, undisturbed: dict[str, Any]) -> None:
    assert ended(start(tmp_path, fatal)) == -signal.SIGKILL
    assert ended(start(tmp_path)) == 0
    resumed = END_STATE(tmp_path)
    for name, rows in undisturbed.items():
        assert resumed[name] == rows, name


def test_two_processes_at_once_store_every_turn_once(tmp_path: Path, undisturbed: dict[str, Any]) -> None:
    both = [start(tmp_path), start(tmp_path)]
    assert [ended(child) for child in both] == [0, 0]
    state = END_STATE(tmp_path)
    assert state["turns"] == undisturbed["turns"]
    assert state["slices"] == undisturbed["slices"]
    assert not state["backlog"]
    assert _card(state) == _card(undisturbed)


def _card(state: dict[str, Any]) -> str:
    """The newest text of the card. When a first direction is tried for may differ: each process sees its own moment."""
    return str([row[2] for row in state["documents"] if row[0] == CARD_PATH][-1])


def test_steps_tell_how_far_it_is_and_what_happened(memory: Previously) -> None:
    transcript = replace(TOOLS["example"](), messages=TOOLS["example"]().messages[:8])
    steps = list(replay(memory, transcript, MemoryContext(space="alex", timezone="Europe/Berlin"), close=True))
    assert [step.done for step in steps] == [2, 4, 6, 8, 8]
    assert {step.total for step in steps} == {8}
    kinds = {(row["kind"], row["status"]) for step in steps for row in step.events}
    assert {("turn", "recorded"), ("analysis", "analyzed"), ("evolution", "changed")} <= kinds
    assert steps[3].account["evolution"]["status"] == "changed"


def test_without_closing_the_last_slice_stays_open(memory: Previously) -> None:
    context = MemoryContext(space="alex", timezone="Europe/Berlin")
    list(replay(memory, TOOLS["example"](), context))
    assert [item.status for item in memory.timeline("alex").slices] == ["active", "closed", "closed", "closed"]
    list(replay(memory, TOOLS["example"](), context, close=True))
    assert {item.status for item in memory.timeline("alex").slices} == {"closed"}


def _spoken(*said: tuple[type[HumanMessage | AIMessage], str, str]) -> Transcript:
    messages = [
        kind(text, id=f"m{number}", additional_kwargs={"timestamp": at}) for number, (kind, text, at) in enumerate(said)
    ]
    return Transcript(thread="t", title="t", messages=tuple(messages))


def test_a_transcript_that_has_grown_adds_only_what_is_new(memory: Previously) -> None:
    said = [
        (HumanMessage, "My name is Alex.", "2026-08-11T12:00:00+00:00"),
        (AIMessage, "Hello Alex.", "2026-08-11T12:00:10+00:00"),
        (HumanMessage, "Remember that I'm allergic to nuts.", "2026-08-11T12:01:00+00:00"),
        (AIMessage, "I will.", "2026-08-11T12:01:10+00:00"),
    ]
    context = MemoryContext(space="alex")
    list(replay(memory, _spoken(*said[:2]), context))
    steps = list(replay(memory, _spoken(*said), context))
    assert [step.repeated for step in steps] == [True, False]
    assert [turn.text for turn in memory.services.store.turns("alex")] == [text for _, text, _ in said]


def test_replies_before_the_first_question_are_kept(memory: Previously) -> None:
    said = [
        (AIMessage, "Welcome!", "2026-08-11T12:00:00+00:00"),
        (HumanMessage, "Hi.", "2026-08-11T12:00:10+00:00"),
        (HumanMessage, "Anybody there?", "2026-08-11T12:00:20+00:00"),
    ]
    list(replay(memory, _spoken(*said), MemoryContext(space="alex")))
    assert [turn.text for turn in memory.services.store.turns("alex")] == ["Welcome!", "Hi.", "Anybody there?"]
    assert memory.backlog("alex") == []


def test_an_id_that_stands_for_another_message_already_is_refused_and_nothing_is_passed_over(
    memory: Previously,
) -> None:
    said = (HumanMessage, "My name is Alex.", "2026-08-11T12:00:00+00:00")
    other = (HumanMessage, "My name is Bo.", "2026-08-12T12:00:00+00:00")
    list(replay(memory, _spoken(said), MemoryContext(space="alex")))
    with pytest.raises(InvalidInput, match="'m0' is the id of another message"):
        list(replay(memory, _spoken(other), MemoryContext(space="alex")))
    list(replay(memory, _spoken(other), MemoryContext(space="bo")))
    assert [turn.text for turn in memory.services.store.turns("bo")] == ["My name is Bo."]
