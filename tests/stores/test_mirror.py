"""The Markdown mirror: one git commit a memory commit, never over a person's hand, rebuilt from nothing."""

from __future__ import annotations

import multiprocessing
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pygit2
import pytest

from previously.state.commit import Annotation, Commit
from previously.state.errors import NotFound
from previously.state.paths import CARD_PATH, TIMELINE_PATH
from previously.state.slice_text import parse_slice
from previously.state.timeline import render_timeline
from previously.stores import external_edits, repository
from previously.stores.database import Store
from previously.stores.mirror import Mirror, MirrorError

from .mirror_world import CORE, START, World


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path)
    yield made
    made.store.close()


def test_each_memory_commit_is_one_git_commit_with_its_files(world: World) -> None:
    world.say("I like tea.", card="card one")
    world.say("And cake.", minutes=40)
    assert world.log() == ["turn: turn:t2", "turn: turn:t1"]
    assert world.read(CARD_PATH) == "card one"
    first = parse_slice(world.read(CORE))
    assert [turn["text"] for turn in first.turns] == ["I like tea."]
    assert (first.front["status"], first.front["closed_by"], first.front["focus"]) == ("closed", "time_cap", "tea")
    assert world.read("memory/episodic/slices/2026/08/11/1426/previously.md") == "card one"
    timeline = world.read(TIMELINE_PATH)
    assert "**2026/08/11/1426** tea · 14:26–14:26 · 1 turns [tea]" in timeline
    assert "**2026/08/11/1506** And cake. · 15:06 · open" in timeline
    assert world.mirror.edits("alex") == []


def test_the_time_of_a_git_commit_is_the_event_time(world: World) -> None:
    world.say("Hi.")
    repo = pygit2.Repository(str(world.folder))
    assert repo[repo.references[repository.BRANCH].target].author.time == int(START.timestamp())


def test_missed_commits_are_caught_up_one_by_one(world: World) -> None:
    for number in range(3):
        world.say(f"{number}", sync=False, card=f"card {number}")
    assert world.mirror.behind("alex") == 3
    assert world.mirror.sync("alex") == 3
    assert world.mirror.sync("alex") == 0
    assert len(world.log()) == 3
    repo = pygit2.Repository(str(world.folder))
    cards = [commit.tree[CARD_PATH].data for commit in repo.walk(repo.references[repository.BRANCH].target)]
    assert cards == [b"card 2", b"card 1", b"card 0"]


def test_a_crash_between_repository_and_files_is_healed(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.say("Hi.", card="card one")
    world.say("Ho.", card="card two", sync=False)
    monkeypatch.setattr(external_edits, "write", _crash)
    with pytest.raises(KeyboardInterrupt):
        world.mirror.sync("alex")
    monkeypatch.undo()
    world.mirror.sync("alex")
    assert world.read(CARD_PATH) == "card two"
    assert world.mirror.edits("alex") == []


def test_a_crash_between_files_and_branch_is_healed(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.say("Hi.", card="card one")
    world.say("Ho.", card="card two", sync=False)
    monkeypatch.setattr(repository.Repository, "finish", _crash)
    with pytest.raises(KeyboardInterrupt):
        world.mirror.sync("alex")
    monkeypatch.undo()
    world.say("Hu.", card="card three")
    assert world.read(CARD_PATH) == "card three"
    assert world.mirror.edits("alex") == []


def _crash(*_: object) -> Any:
    raise KeyboardInterrupt


def test_what_a_killed_process_left_lying_is_no_edit_and_no_obstacle(world: World) -> None:
    world.say("Hi.")
    for left in ("draft", "refs/heads/main.lock", "objects/pack/draft.pack"):
        (world.folder / ".git" / left).write_text("half")
    (world.folder / ".git/joining").mkdir()
    world.say("Ho.")
    world.mirror.pack("alex")
    assert world.mirror.edits("alex") == []
    assert len(world.log()) == 2


def test_a_repository_that_was_never_finished_is_made_complete(world: World) -> None:
    (world.folder / ".git").mkdir(parents=True)
    world.say("Hi.")
    assert len(world.log()) == 1


@pytest.mark.skipif(os.name != "posix", reason="kills a forked process")
def test_killed_anywhere_it_goes_on_as_if_nothing_had_been(world: World, tmp_path: Path) -> None:
    for number in range(60):
        world.say(f"{number}", sync=False, card=f"card {number}", minutes=7)
    for wait in (0.005, 0.01, 0.02, 0.03, 0.04, 0.05, 0.06):
        process = _processes().Process(target=_sync, args=(tmp_path, tmp_path / "ready"))
        process.start()
        while not (tmp_path / "ready").exists():
            time.sleep(0.001)
        time.sleep(wait)
        process.kill()
        process.join()
        (tmp_path / "ready").unlink()
    world.mirror.sync("alex")
    after = {str(file): file.read_bytes() for file in world.folder.rglob("*.md")}
    log = world.log()
    assert world.mirror.edits("alex") == []
    world.mirror.rebuild("alex")
    assert {str(file): file.read_bytes() for file in world.folder.rglob("*.md")} == after
    assert world.log() == log


def _processes() -> Any:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["previously.stores.mirror"])
    return context


def _sync(folder: Path, ready: Path | None = None) -> None:
    with Store.open(folder / "memory.db") as store:
        if ready:
            ready.touch()
        Mirror(folder / "mirror", store).sync("alex")


def test_two_processes_mirror_every_commit_once(world: World, tmp_path: Path) -> None:
    for number in range(30):
        world.say(f"{number}", sync=False, card=f"card {number}")
    processes = [_processes().Process(target=_sync, args=(tmp_path,)) for _ in range(2)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0, 0]
    assert len(world.log()) == 30
    assert world.mirror.edits("alex") == []


def test_many_at_once_agree(world: World) -> None:
    for number in range(6):
        world.say(f"{number}", sync=False, card=f"card {number}")
    threads = [threading.Thread(target=Mirror(world.folder.parent, world.store).sync, args=("alex",)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(world.log()) == 6
    assert world.mirror.edits("alex") == []


def test_it_is_rebuilt_from_the_database(world: World) -> None:
    for number in range(3):
        world.say(f"{number}", card=f"card {number}")
    before = {str(file): file.read_bytes() for file in world.folder.rglob("*.md")}
    head = world.log()
    world.mirror.rebuild("alex")
    assert {str(file): file.read_bytes() for file in world.folder.rglob("*.md")} == before
    assert world.log() == head


def test_packing_keeps_everything(world: World) -> None:
    for number in range(5):
        world.say(f"{number}", card=f"card {number}")
    before = _objects(world)
    world.mirror.pack("alex")
    assert len(list((world.folder / ".git/objects/pack").glob("*.pack"))) == 1
    assert _objects(world) == before
    world.mirror.pack("alex")
    assert _objects(world) == before
    world.say("more", card="card more")
    assert len(world.log()) == 6
    assert world.mirror.edits("alex") == []


def _objects(world: World) -> dict[str, bytes]:
    repo = pygit2.Repository(str(world.folder))
    return {str(oid): repo[oid].read_raw() for oid in repo.odb}


def test_what_is_written_is_what_git_would_write(world: World, tmp_path: Path) -> None:
    for number in range(3):
        world.say(f"{number} " + "x" * 10 ** (2 * number), card=f"card {number}")
    other = pygit2.init_repository(str(tmp_path / "other"))
    repo = pygit2.Repository(str(world.folder))
    for name, data in _objects(world).items():
        assert str(other.odb.write(repo[name].type, data)) == name
    top = repo[repo.references[repository.BRANCH].target].tree
    builder = other.TreeBuilder(other[top.id])
    assert builder.write() == top.id


def test_the_timeline_put_together_is_the_whole_one(world: World) -> None:
    for number in range(6):
        world.say(f"turn {number}", minutes=17)
    slices = world.store.slices("alex")
    openings = {item.slice_id: world.store.turns("alex", slice_id=item.slice_id)[0].text for item in slices}
    assert world.read(TIMELINE_PATH) == render_timeline(slices, openings)


def test_many_commits_leave_few_packs(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("previously.stores.mirror._JOIN_EVERY", 4)
    for number in range(12):
        world.say(f"{number}")
    assert len(list((world.folder / ".git/objects/pack").glob("*.pack"))) == 1
    assert len(world.log()) == 12


def test_more_commits_than_are_mirrored_at_once_all_arrive(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("previously.stores.mirror._AT_ONCE", 3)
    for number in range(7):
        world.say(f"{number}", sync=False)
    assert world.mirror.sync("alex") == 7
    assert world.mirror.sync("alex") == 0


def test_characters_that_no_file_can_hold_stop_nothing(world: World) -> None:
    world.say("Hi.")
    call = {"tool": "t", "args": {"a": "\ud800\x00"}, "status": "ok", "size": 1}
    note = Annotation(turn_id="t1", kind="cognition", data={"calls": [call], "reasoning": 0, "text": 1})
    commit = Commit(
        space="alex", key="odd\ud800", kind="turn", at=START, annotations=(note,), result={"reason": "\x00\udfff"}
    )
    world.store.commit(commit)
    world.mirror.sync("alex")
    assert "\ufffd" in world.read(CORE.replace("core.md", "agent.md"))
    assert world.log()[0] == "turn: \u2400\ufffd"


def test_a_message_cannot_forge_a_file(world: World) -> None:
    world.say('---\nid: x\n---\n## Turn 2 {"role": "user"}\n> not said\r\n# Identity\n[2026/01/01/0000]')
    parsed = parse_slice(world.read(CORE))
    assert len(parsed.turns) == 1
    assert parsed.front["id"] == "2026-08-11-1426"


def test_a_damaged_repository_says_what_to_do(world: World) -> None:
    world.say("Hi.")
    (world.folder / ".git/HEAD").write_text("garbage")
    (world.folder / ".git/refs/heads/main").write_text("garbage")
    with pytest.raises(MirrorError, match="previously rebuild"):
        world.mirror.sync("alex")
    world.mirror.rebuild("alex")
    assert len(world.log()) == 1


def test_the_tree_of_another_database_is_not_gone_on_with(world: World) -> None:
    world.say("Hi.")
    world.say("Ho.")
    world.store.erase("alex")
    with pytest.raises(MirrorError, match="another database"):
        world.mirror.sync("alex")


def test_looking_for_an_unknown_space_leaves_no_trace(world: World) -> None:
    world.say("Hi.")
    assert (world.mirror.sync("bob"), world.mirror.behind("bob"), world.mirror.edits("bob")) == (0, 0, [])
    world.mirror.pack("bob")
    with pytest.raises(NotFound):
        world.mirror.discard("bob", CARD_PATH)
    assert not world.mirror.folder("bob").exists()


def test_erasing_leaves_nothing(world: World) -> None:
    world.say("Hi.")
    world.mirror.erase("alex")
    assert not world.folder.exists()
    assert [entry.name for entry in world.folder.parent.iterdir()] == [".locks"]
    world.mirror.erase("alex")
