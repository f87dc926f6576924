"""Scripts and talk for tests of the evolution loop."""

from __future__ import annotations

from typing import Any

from previously.tests.graphs.conftest import ANALYSIS

DIMENSION = "Communication preferences"
NOTHING: dict[str, Any] = {"reasoning": "All of it fits.", "operations": [], "card": False}


def scored(*rows: tuple[str, int, str]) -> dict[str, Any]:
    """Return an analysis with fitness rows: bucket, delta, evidence."""
    fitness = [{"bucket": bucket, "delta": delta, "evidence": evidence} for bucket, delta, evidence in rows]
    return {**ANALYSIS, "fitness": fitness}


def verdict(*operations: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return the answer of an evaluation."""
    return {**NOTHING, "operations": list(operations), "summary": "I keep answers short.", **more}


def entry(text: str, *refs: str, **more: Any) -> dict[str, Any]:
    """Return the operation that adds a line to the portrait."""
    return {"op": "add_portrait_entry", "dimension": DIMENSION, "text": text, "refs": list(refs), **more}


def guess(text: str, falsify: str = "the opposite happens twice") -> dict[str, Any]:
    """Return the operation that adds a hypothesis."""
    return {"op": "add_hypothesis", "text": text, "falsify": falsify}


MINUS_ONE = scored(("interaction", -1, "too long"))


def pressed(talk: Any, *answers: Any, evaluate: Any = NOTHING, before: int = 5, **more: Any) -> Any:
    """Return a conversation in which pressure has built up in one slice; `answers` are the analyses after that."""
    options = {"settings": more.pop("settings", None), **more.pop("options", {})}
    script = {"analyze": [MINUS_ONE] * before + [*answers, *[ANALYSIS] * 9], "evaluate": evaluate, **more}
    conversation = talk(script, **options)
    for number in range(before):
        conversation.say(f"{number}: too long")
    return conversation


def runs(conversation: Any) -> list[str]:
    return [run.status for run in conversation.memory.evolutions("alex").runs]


def net(conversation: Any) -> dict[str, int]:
    found: dict[str, int] = conversation.memory.services.store.ledger.net("alex", "assistant")
    return found
