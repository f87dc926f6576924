"""Files of the mirror that a person has changed: shown, adopted or undone by them, and by nobody else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pygit2
import pytest

from previously.state.errors import InvalidInput, NotFound
from previously.state.paths import CARD_PATH, TIMELINE_PATH
from previously.state.slice_text import parse_slice
from previously.stores import repository

from .mirror_world import CORE, World


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path)
    yield made
    made.store.close()


def test_a_changed_file_is_left_alone_shown_and_given_back(world: World) -> None:
    world.say("Hi.", card="card one")
    (world.folder / CARD_PATH).write_text("mine")
    world.say("Ho.", card="card two")
    assert world.read(CARD_PATH) == "mine"
    (edit,) = world.mirror.edits("alex")
    assert (edit.path, edit.kind, edit.adoptable) == (CARD_PATH, "changed", True)
    assert "-card two" in edit.diff
    assert "+mine" in edit.diff
    assert world.mirror.adopt("alex", CARD_PATH) == "mine"
    assert world.mirror.discard("alex", CARD_PATH) == "mine"
    assert world.read(CARD_PATH) == "card two"
    assert world.mirror.edits("alex") == []


def test_what_was_said_cannot_be_rewritten(world: World) -> None:
    world.say("Hi.")
    (world.folder / CORE).write_text("forged")
    (world.folder / "extra.md").write_text("new")
    (world.folder / TIMELINE_PATH).unlink()
    edits = {edit.path: edit for edit in world.mirror.edits("alex")}
    assert {path: edit.kind for path, edit in edits.items()} == {
        CORE: "changed",
        "extra.md": "added",
        TIMELINE_PATH: "deleted",
    }
    assert not any(edit.adoptable for edit in edits.values())
    assert all(edit.reason for edit in edits.values())
    for path in edits:
        world.mirror.discard("alex", path)
    assert world.mirror.edits("alex") == []
    assert not (world.folder / "extra.md").exists()


@pytest.mark.parametrize("path", ["../../memory.db", "/etc/passwd", ".git/HEAD", "nothing.md", "", "memory/../../x"])
def test_only_files_of_the_mirror_are_read_or_undone(world: World, path: str) -> None:
    world.say("Hi.")
    for done in (world.mirror.discard, world.mirror.adopt):
        with pytest.raises(NotFound):
            done("alex", path)


def test_another_line_ending_is_seen(world: World) -> None:
    world.say("Hi.", card="one\ntwo\n")
    (world.folder / CARD_PATH).write_bytes(b"one\r\ntwo\r\n")
    (edit,) = world.mirror.edits("alex")
    assert "+one\r" in edit.diff


def test_what_is_no_text_is_not_adopted(world: World) -> None:
    world.say("Hi.", card="one")
    (world.folder / CARD_PATH).write_bytes(b"\xff")
    with pytest.raises(InvalidInput, match="UTF-8"):
        world.mirror.adopt("alex", CARD_PATH)
    assert world.mirror.discard("alex", CARD_PATH) == "\ufffd"
    assert world.read(CARD_PATH) == "one"


def test_a_link_out_of_the_tree_is_neither_followed_nor_replaced(world: World, tmp_path: Path) -> None:
    world.say("Hi.", card="one")
    outside = tmp_path / "outside"
    (world.folder / "memory/episodic").rename(outside)
    (world.folder / "memory/episodic").symlink_to(outside)
    before = {str(file): file.read_bytes() for file in outside.rglob("*.md")}
    world.say("Ho.", card="two")
    assert {str(file): file.read_bytes() for file in outside.rglob("*.md")} == before
    edits = {edit.path: edit for edit in world.mirror.edits("alex")}
    assert edits["memory/episodic"].kind == "added"
    assert not edits[CARD_PATH].adoptable
    assert "memory/episodic is no folder" in edits[CARD_PATH].reason
    world.mirror.discard("alex", "memory/episodic")
    for path in edits.keys() - {"memory/episodic"}:
        world.mirror.discard("alex", path)
    assert world.mirror.edits("alex") == []
    assert world.read(CARD_PATH) == "two"


def test_a_folder_where_a_file_belongs_stops_nothing_else(world: World) -> None:
    world.say("Hi.", card="one")
    (world.folder / CARD_PATH).unlink()
    (world.folder / CARD_PATH).mkdir()
    world.say("Ho.", card="two")
    assert [turn["text"] for turn in parse_slice(world.read(CORE)).turns] == ["Hi.", "Ho."]
    (edit,) = world.mirror.edits("alex")
    assert (edit.path, edit.kind, edit.adoptable) == (CARD_PATH, "changed", False)
    with pytest.raises(InvalidInput, match="move it away"):
        world.mirror.discard("alex", CARD_PATH)


def test_commits_and_branches_of_a_person_are_none_of_ours(world: World) -> None:
    world.say("Hi.", card="one")
    repo = pygit2.Repository(str(world.folder))
    (world.folder / CARD_PATH).write_text("mine")
    repo.index.add_all()
    me = pygit2.Signature("me", "me@localhost")
    head = repo.references[repository.BRANCH].target
    theirs = repo.create_commit("HEAD", me, me, "my own", repo.index.write_tree(), [head])
    world.say("Ho.", card="two")
    assert world.log() == ["turn: turn:t2", "turn: turn:t1"]
    assert world.read(CARD_PATH) == "mine"
    assert [edit.path for edit in world.mirror.edits("alex")] == [CARD_PATH]
    assert pygit2.Repository(str(world.folder))[theirs]
