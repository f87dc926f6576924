"""Commands that take conversations in."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from previously import MemoryContext, Previously
from previously.cli.chat import Chat
from previously.testing import ScriptedChatModel, status

from .terminal import CARD_FILE, EXAMPLES, invoke, told


def test_replay_sums_up_and_a_second_one_finds_nothing_new(home: Path, tmp_path: Path) -> None:
    first = invoke("--home", tmp_path / "new", "replay", EXAMPLES / "alex.jsonl", "-s", "alex", "--no-close")
    assert "27 exchanges taken in. 54 messages in all." in told(first)
    assert "The card changed 8 times." in first.stdout
    assert "6 slices, card revision 8, 0 jobs owed." in first.stdout
    assert "card changed: Updated your card" in first.stderr
    again = told(invoke("--home", home, "replay", EXAMPLES / "alex.jsonl", "-s", "alex"))
    assert "Nothing was new: all 54 messages are in the memory of alex already." in again


def test_replay_closes_the_last_slice_unless_told_not_to(tmp_path: Path) -> None:
    file = tmp_path / "talk.jsonl"
    file.write_text(json.dumps({"role": "user", "content": "My name is Bo.", "timestamp": "2026-08-11T14:26:00+02:00"}))
    told(invoke("--home", tmp_path, "replay", file, "-s", "bo", "--no-close"))
    assert "· open" in told(invoke("--home", tmp_path, "timeline", "-s", "bo"))
    closed = told(invoke("--home", tmp_path, "replay", file, "-s", "bo"))
    assert "0 exchanges taken in, 1 were there already; 1 slices closed at the end." in closed
    assert "user explicit" in told(invoke("--home", tmp_path, "timeline", "-s", "bo"))


def test_replay_names_the_thread(tmp_path: Path) -> None:
    file = tmp_path / "talk.jsonl"
    file.write_text(json.dumps({"role": "user", "content": "Hi.", "timestamp": "2026-08-11T14:26:00+02:00"}))
    told(invoke("--home", tmp_path, "replay", file, "-s", "bo", "--thread", "monday"))
    with Previously(tmp_path) as memory:
        assert memory.services.store.threads("bo") == ["monday"]
    node = {"id": "a", "parent": None, "message": {"author": {"role": "user"}, "content": {"parts": ["x"]}}}
    talk = {"mapping": {"a": node}, "current_node": "a"}
    (tmp_path / "conversations.json").write_text(json.dumps([talk, talk]))
    result = invoke("--home", tmp_path, "replay", tmp_path / "conversations.json", "-s", "bo", "--thread", "x")
    assert "the file holds 2" in told(result, code=2)


def test_replay_of_a_file_that_can_t_be_read(tmp_path: Path) -> None:
    assert "can't be read" in told(invoke("--home", tmp_path, "replay", tmp_path / "none.jsonl", "-s", "bo"), code=1)


def test_chat_remembers_across_runs_and_shows_what_memory_does(tmp_path: Path) -> None:
    def chat(*lines: str, space: str = "bo") -> str:
        typed = "".join(f"{line}\n" for line in lines)
        return told(invoke("--home", tmp_path, "chat", "-s", space, typed=typed))

    first = chat("My name is Bo.", "Remember that I'm allergic to nuts.", "/nope", "/help", "/quit", "never said")
    assert "Noted." in first
    assert "card changed: Updated your card: a lasting fact." in first
    assert "There is no /nope." in first
    second = chat("", "/card", "/close", "/close", "/timeline")
    assert "allergic to nuts" in second
    assert "The slice is closed." in second
    assert "There is no open slice." in second
    assert "4 turns" in second
    assert "allergic" not in chat("/card", space="bo-2")
    with Previously(tmp_path) as memory:
        texts = [turn.text for turn in memory.services.store.turns("bo") if turn.role == "user"]
    assert texts == ["My name is Bo.", "Remember that I'm allergic to nuts."]


def test_two_spaces_never_share_a_checkpoint(tmp_path: Path) -> None:
    for space in ("acme", "acme-corp"):
        told(invoke("--home", tmp_path, "chat", "-s", space, typed=f"I am {space}.\n"))
    with Previously(tmp_path) as memory:
        threads = [memory.services.store.threads(space) for space in ("acme", "acme-corp")]
    assert threads[0] != threads[1]


def test_a_model_that_fails_does_not_end_the_chat(
    tmp_path: Path, memory: Previously, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = ScriptedChatModel([status(401), "Here I am."])
    lines = iter(["Anybody there?", "And now?"])
    console = Console(record=True, width=200)
    monkeypatch.setattr(console, "input", lambda _prompt: next(lines, "/quit"))
    Chat(console=console, memory=memory, model=model, context=MemoryContext(space="bo", thread="t")).run()
    shown = console.export_text()
    assert "no answer (authentication" in shown
    assert "Here I am." in shown
    texts = [turn.text for turn in memory.services.store.turns("bo")]
    assert texts == ["Anybody there?", "And now?", "Here I am."]


def test_the_reply_is_printed_as_it_comes_and_once(memory: Previously, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = iter(["Tell me."])
    console = Console(record=True, width=200)
    monkeypatch.setattr(console, "input", lambda _prompt: next(lines, "/quit"))
    model = ScriptedChatModel(["One two three."])
    Chat(console=console, memory=memory, model=model, context=MemoryContext(space="bo", thread="t")).run()
    assert console.export_text().count("One two three.") == 1


@pytest.fixture
def demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    monkeypatch.setattr("tempfile.mkdtemp", lambda prefix: str(tmp_path / f"{prefix}x"))
    return lambda *args: told(invoke("demo", *args))


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        ((), ["Name: Alex", "2026/08/11/1426", "Updated your card"]),
        (("--language", "zh"), ["Name: 林晓", "2026/08/11/0912", "更新了卡片"]),
    ],
    ids=["en", "zh"],
)
def test_the_demo_shows_it_all(
    args: tuple[str, ...], expected: list[str], demo: Callable[..., str], tmp_path: Path
) -> None:
    shown = demo(*args)
    for part in ("How the card evolved", "The card\n", "The timeline", "Nothing is owed.", "Where it is", *expected):
        assert part in shown
    assert re.search(r"^  \+ .* — refs: \[2026", shown, re.MULTILINE)
    database = Path(re.findall(r"database: (.*)", shown)[0])
    folder = Path(re.findall(r"mirror: (.*)", shown)[0])
    assert database.is_file()
    assert database.is_relative_to(tmp_path)
    assert (folder / CARD_FILE).is_file()


def test_the_demo_ignores_the_memory_that_the_environment_names(demo: Any, tmp_path: Path) -> None:
    real = {"PREVIOUSLY_HOME": str(tmp_path / "real"), "PREVIOUSLY_DATABASE_URL": str(tmp_path / "real.db")}
    told(invoke("demo", env={**real, "PREVIOUSLY_MODEL": "openai:gpt-5-mini"}))
    assert not (tmp_path / "real").exists()
    assert not (tmp_path / "real.db").exists()


def test_the_demo_can_be_run_again_in_the_same_home(home: Path) -> None:
    assert "revision 8" in told(invoke("--home", home, "demo"))
