"""Mechanical facts: what is recorded of how an answer was used."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from langchain_core.messages import AIMessage, HumanMessage

from previously import InvalidInput, MemoryContext, Previously
from previously.nodes.signals import record_interaction, record_read, record_recall
from previously.state.signal import Signal

CONTEXT = MemoryContext(space="alex", thread="t", now="2026-08-11T12:30:00+00:00")
OTHER_DAY = "2026/08/01/0900"


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Previously]:
    with Previously(tmp_path, embeddings=False) as opened:
        opened.record([HumanMessage("Hello.", id="u1"), AIMessage("Hi.", id="a1")], CONTEXT)
        yield opened


def facts(memory: Previously) -> list[Signal]:
    return memory.services.store.ledger.signals("alex", agent="assistant")


def test_the_same_fact_about_the_same_reply_is_one(memory: Previously) -> None:
    for _ in range(2):
        assert memory.signal("interaction_regenerate", CONTEXT, detail="too\nlong")
    assert [(fact.kind, fact.detail) for fact in facts(memory)] == [
        ("interaction_regenerate", "the user had the answer made anew to 2026/08/11/1230#1: too long")
    ]
    memory.record([HumanMessage("Hello.", id="u1"), AIMessage("Hi again.", id="a2")], CONTEXT)
    assert memory.signal("interaction_regenerate", CONTEXT)
    assert memory.signal("interaction_interrupt", CONTEXT)
    assert memory.signal("interaction_interrupt", CONTEXT, id="second")
    assert len(facts(memory)) == 4


def test_a_fact_about_nothing_is_not_recorded(memory: Previously) -> None:
    assert not memory.signal("interaction_interrupt", CONTEXT.at(thread="empty"))
    assert not memory.signal("interaction_interrupt", MemoryContext(space="nobody"))
    assert facts(memory) == []


@pytest.mark.parametrize("kind", ["", "recall_rework", "interaction", "INTERACTION_REGENERATE"])
def test_another_kind_is_refused(memory: Previously, kind: str) -> None:
    with pytest.raises(InvalidInput, match="kind"):
        record_interaction(memory.services, CONTEXT, kind)


def test_what_is_read_again_after_recall_is_classed(memory: Previously) -> None:
    def read(where: str) -> str | None:
        return record_read(memory.services, CONTEXT, where)

    assert read(OTHER_DAY) is None  # recall was not asked
    record_recall(
        memory.services, CONTEXT, references=["2026-08-02-0900", f"{OTHER_DAY}#3"], searched=["slice 2026/08/03/0900"]
    )
    assert read("2026/08/11/1230") is None  # the conversation's own slice
    assert [read(where) for where in (OTHER_DAY, "2026/08/02/0900#1", "2026-08-03-0900")] == ["recall_verify"] * 3
    assert read("2026/08/04/0900") == "recall_rework"
    assert [read("2026/08/04/0900"), read(OTHER_DAY)] == ["recall_repeat"] * 2
    record_recall(memory.services, CONTEXT, references=[], searched=[])
    assert read(OTHER_DAY) == "recall_rework"  # the latest answer counts
    assert record_read(memory.services, CONTEXT.at(thread="other"), OTHER_DAY) is None
    assert record_read(memory.services, CONTEXT.at(agent="other"), OTHER_DAY) is None


def test_what_is_no_slice_is_refused(memory: Previously) -> None:
    with pytest.raises(InvalidInput, match="refs"):
        record_read(memory.services, CONTEXT, "yesterday")
    with pytest.raises(InvalidInput, match="refs"):
        record_recall(memory.services, CONTEXT, references=["yesterday"], searched=[])
