from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import ValidationError

from previously.prompts.analyze import TurnAnalysis

LEAST = {"intent": "chat", "memory_worthy": False}


def read(**parts: Any) -> dict[str, Any]:
    return TurnAnalysis.model_validate({**LEAST, **parts}).model_dump(mode="json")


def test_missing_parts_are_neutral() -> None:
    assert read() == {
        "intent": "chat",
        "memory_worthy": False,
        "tags": {"reuse": [], "create": []},
        "hint": {"strands": [], "reason": ""},
        "emotion": {"intensity": "none", "register": "neutral", "note": ""},
        "memory_update": None,
        "fitness": [],
        "markings": [],
        "evolve_card": None,
    }


def test_null_parts_are_missing_parts() -> None:
    nothing = dict.fromkeys(["tags", "hint", "emotion", "memory_update", "fitness", "markings", "evolve_card"])
    assert read(**nothing) == read()
    assert read(emotion={"register": None, "intensity": "none", "note": None}) == read()


@pytest.mark.parametrize(
    "answer",
    [
        {},
        [],
        "chat",
        None,
        {"type": "object", "properties": {"intent": {"type": "string"}}, "required": ["intent"]},
        {"analysis": LEAST},
        {"memory_worthy": True},
        {"intent": "chat"},
        {"facts": ["likes tea"]},
        {"intent": "small talk", "memory_worthy": True},
        {"intent": "chat", "memory_worthy": "maybe"},
        {**LEAST, "emotion": {"register": "hangry"}},
        {**LEAST, "emotion": {"intensity": 3}},
        {**LEAST, "fitness": [{"bucket": "mood", "delta": -1, "evidence": "x"}]},
        {**LEAST, "fitness": [{"bucket": "card", "delta": True, "evidence": "x"}]},
        {**LEAST, "fitness": [{"bucket": "card", "delta": "low", "evidence": "x"}]},
        {**LEAST, "memory_update": {"content": "x", "section": "dreams"}},
        {**LEAST, "tags": ["running"]},
        {**LEAST, "tags": {"create": [{"tag": "running"}]}},
        {**LEAST, "markings": [{"focus": "no slice named"}]},
    ],
)
def test_what_is_no_analysis_fails(answer: object) -> None:
    with pytest.raises(ValidationError):
        TurnAnalysis.model_validate(answer)


def test_enums_are_read_in_any_case() -> None:
    answer = read(
        intent=" Code-Debug",
        emotion={"intensity": "STRONG", "register": "Frustrated"},
        memory_update={"content": "x", "section": "Self Model"},
        markings=[{"slice": "s1", "tone": "Mixed"}],
    )
    assert answer["intent"] == "code_debug"
    assert answer["emotion"] == {"intensity": "strong", "register": "frustrated", "note": ""}
    assert answer["memory_update"]["section"] == "self_model"
    assert answer["markings"][0]["tone"] == "mixed"


def test_harmless_excess_is_trimmed() -> None:
    answer = read(
        tags={"reuse": [f"t{n}" for n in range(9)], "create": ["a", " a ", "", "b", "c", "d", "x" * 99]},
        markings=[{"slice": "s1", "summary": "word " * 60, "focus": "f" * 500, "tags": list("abcdefgh")}],
        fitness=[{"bucket": "card", "delta": 1, "evidence": "x"}] * 8,
        surprise="ignored",
    )
    assert answer["tags"] == {"reuse": ["t0", "t1", "t2", "t3", "t4"], "create": ["a", "b", "c"]}
    assert len(answer["markings"][0]["summary"]) <= 100
    assert len(answer["markings"][0]["tags"]) == 6
    assert len(answer["fitness"]) == 5


@pytest.mark.parametrize(
    ("delta", "kept"), [(-2, -2), (-1, -1), (0, 0), (1, 1), (2, 0), (-3, 0), (10**9, 0), ("-1", -1)]
)
def test_a_delta_out_of_range_is_nothing(delta: object, kept: int) -> None:
    assert read(fitness=[{"bucket": "recall", "delta": delta, "evidence": "x"}])["fitness"][0]["delta"] == kept


def test_a_delta_without_evidence_is_nothing() -> None:
    assert read(fitness=[{"bucket": "recall", "delta": -2, "evidence": "  "}])["fitness"][0]["delta"] == 0


@pytest.mark.parametrize("empty", [{}, {"content": ""}, {"content": None, "section": "now"}, {"content": "  "}])
def test_an_empty_wish_is_no_wish(empty: dict[str, object]) -> None:
    assert read(memory_update=empty)["memory_update"] is None


@pytest.mark.parametrize("section", [None, "", "none", "null"])
def test_a_wish_may_have_no_section(section: object) -> None:
    assert read(memory_update={"content": "x", "section": section})["memory_update"]["section"] is None


def test_a_bare_verdict_is_understood_and_doubt_is_worth_a_run() -> None:
    assert read(evolve_card=False)["evolve_card"] == {"worth": False, "reason": ""}
    assert read(evolve_card={"reason": "unsure"})["evolve_card"]["worth"] is True


def test_the_dump_can_be_read_again() -> None:
    answer = read(emotion={"register": "excited", "intensity": "light"}, evolve_card=True)
    assert TurnAnalysis.model_validate(answer).model_dump(mode="json") == answer


def test_the_schema_is_plain() -> None:
    schema = json.dumps(TurnAnalysis.model_json_schema()) + json.dumps(convert_to_openai_tool(TurnAnalysis))
    for word in ("prefixItems", '"format"', "uuid", '"const"', "patternProperties"):
        assert word not in schema
    assert convert_to_openai_tool(TurnAnalysis)["function"]["name"] == "TurnAnalysis"
    assert '"register"' in schema


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([*TurnAnalysis.model_fields, "x"]), inner)
    ),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from([*TurnAnalysis.model_fields, "type"]), _VALUES))
def test_any_json_is_read_or_refused(parts: dict[str, object]) -> None:
    try:
        answer = TurnAnalysis.model_validate({**LEAST, **parts})
    except ValidationError:
        return
    assert all(-2 <= entry.delta <= 1 for entry in answer.fitness)
