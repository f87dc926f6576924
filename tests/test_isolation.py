"""Whose memory is it: no space ever sees another one, whatever its id looks like."""

from __future__ import annotations

from pathlib import Path

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.memory import InMemorySaver

from previously import MemoryContext, Previously
from previously.offline import OfflineChatModel
from previously.state.paths import label

SPACES = (
    "acme",
    "acme-corp",
    "ACME",
    "john_doe",
    "john-doe",
    "john%doe",
    "alex@example.com",
    "🦊🦊",
    "é",
    "x" * 300,
    "../x",
    "..",
    "a/b\\c",
    "a.b.c",
    "' OR '1'='1",
    "con",
)


def _canary(space: str) -> str:
    return f"canary{SPACES.index(space):02d}zz"


@pytest.fixture
def filled(memory: Previously) -> Previously:
    for space in SPACES:
        memory.intake.invoke(
            {
                "messages": [
                    HumanMessage(f"Remember that I like {_canary(space)}.", id="same"),
                    AIMessage("ok", id="id"),
                ]
            },
            context=MemoryContext(space=space, thread="same"),
        )
    return memory


def test_labels_are_safe_and_tell_spaces_apart() -> None:
    labels = [label(space) for space in SPACES]
    assert len({label.lower() for label in labels}) == len(SPACES)
    assert all(
        label.isascii() and len(label) <= 41 and set(label) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")
        for label in labels
    )


@pytest.mark.parametrize("space", SPACES)
def test_nothing_of_another_space_is_read(filled: Previously, space: str) -> None:
    store, own = filled.services.store, _canary(space)
    others = [_canary(other) for other in SPACES if other != space]
    index = filled.services.index
    found = [store.turn(space, hit.turn_id) for other in others for hit in index.search(space, f"{other} like").hits]
    texts = [turn.text for turn in [*store.turns(space), *found] if turn]
    texts += [
        str(filled.card(space)),
        str(filled.timeline(space)),
        str(store.strands(space)),
        str(filled.changes(space)),
    ]
    folder = filled.services.mirror.folder(space)
    texts += [file.read_text() for file in folder.rglob("*.md")]
    assert any(own in text for text in texts)
    assert not [other for other in others for text in texts if other in text]


def test_every_file_stays_inside_the_home(filled: Previously) -> None:
    mirror = filled.home / "mirror"
    assert sorted(entry.name for entry in mirror.iterdir()) == sorted([".locks", *map(label, SPACES)])
    assert not (filled.home.parent / "x").exists()


def test_one_spelling_of_an_id_is_one_space(memory: Previously) -> None:
    assert MemoryContext(space="e\u0301").space == MemoryContext(space="é").space
    assert MemoryContext(space=7).space == "7"  # type: ignore[arg-type]


def test_erasing_a_space_leaves_no_trace_of_it_and_all_of_the_others(filled: Previously) -> None:
    saver = InMemorySaver()
    graph = filled.host_graph(OfflineChatModel(), checkpointer=saver)
    config = {"configurable": {"thread_id": "only-acme"}}
    graph.invoke({"messages": [("user", f"I like {_canary('acme')}.")]}, config, context=MemoryContext(space="acme"))
    before = {space: filled.services.store.stats(space) for space in SPACES}
    assert filled.erase("acme") > 0
    assert filled.services.store.turns("acme") == []
    assert list(saver.list(config)) == []
    assert {space: filled.services.store.stats(space) for space in SPACES if space != "acme"} == {
        space: rows for space, rows in before.items() if space != "acme"
    }
    filled.close()
    assert _grep(filled.home, _canary("acme")) == []
    assert _grep(filled.home, _canary("acme-corp")) != []


def _grep(folder: Path, text: str) -> list[str]:
    return [str(file) for file in folder.rglob("*") if file.is_file() and text.encode() in file.read_bytes()]
