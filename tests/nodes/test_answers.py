from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.messages import AIMessage
from pydantic import BaseModel, Field

from previously.nodes.answers import check_ending, read_answer
from previously.nodes.calls import ToolSpec, read_calls
from previously.nodes.schemas import answer_schema, calls_schema, tool_schema
from previously.prompts.analyze import TurnAnalysis
from previously.state.errors import Failure, ModelFailed


class Part(BaseModel):
    """A part."""

    title: str = Field("none", description="Its name.")


class Answer(BaseModel):
    """How it went."""

    mood: Literal["calm", "tense"] = "calm"
    parts: list[Part] = Field(default_factory=list)
    kind: str | None = Field(None, alias="register")


def failure(message: AIMessage) -> ModelFailed:
    def read() -> None:
        check_ending(message, 100)
        read_answer(message, Answer)

    with pytest.raises(ModelFailed) as caught:
        read()
    return caught.value


@contextmanager
def suppress_failures() -> Iterator[list[ModelFailed]]:
    met: list[ModelFailed] = []
    try:
        yield met
    except ModelFailed as error:
        met.append(error)


def test_an_object_that_speaks_of_something_else_is_no_answer_even_where_all_has_defaults() -> None:
    error = failure(AIMessage('{"error": "out of memory"}'))
    assert error.failure is Failure.INVALID
    assert "mood" in error.detail


def test_an_empty_object_is_an_answer_where_all_has_defaults() -> None:
    assert read_answer(AIMessage("{}"), Answer) == Answer()


def test_aliases_count_as_keys() -> None:
    assert read_answer(AIMessage('{"register": "formal"}'), Answer).kind == "formal"


def test_faults_name_the_field_and_not_the_value() -> None:
    error = failure(AIMessage('{"mood": "calm", "parts": [{"title": 7}], "register": ["secret"]}'))
    assert error.failure is Failure.INVALID
    assert "parts.0.title" in error.detail
    assert "secret" not in error.detail


def test_a_value_of_the_wrong_type_is_not_converted() -> None:
    class Count(BaseModel):
        """A number."""

        number: int

    assert read_answer(AIMessage('{"number": 3}'), Count).number == 3
    with pytest.raises(ModelFailed):
        read_answer(AIMessage('{"number": "3"}'), Count)


def test_the_first_object_that_holds_is_taken() -> None:
    text = 'First thought: {"mood": "sunny"}. Better: {"mood": "tense"}'
    assert read_answer(AIMessage(text), Answer).mood == "tense"


@pytest.mark.parametrize(
    "metadata",
    [
        {"finish_reason": "length"},
        {"finish_reason": "MAX_TOKENS"},
        {"stop_reason": "max_tokens"},
        {"stopReason": "max_tokens"},
        {"done_reason": "length"},
        {"incomplete_details": {"reason": "max_output_tokens"}},
    ],
)
def test_an_answer_that_was_cut_names_the_budget_whatever_it_holds(metadata: dict[str, Any]) -> None:
    error = failure(AIMessage('{"mood": "calm"}', response_metadata=metadata))
    assert error.failure is Failure.TRUNCATED
    assert "100" in error.detail


@pytest.mark.parametrize(
    "message",
    [
        AIMessage("", response_metadata={"finish_reason": "content_filter"}),
        AIMessage("no", response_metadata={"stop_reason": "refusal"}),
        AIMessage("", response_metadata={"finish_reason": "SAFETY"}),
        AIMessage("", additional_kwargs={"refusal": "I can't"}),
        AIMessage([{"type": "refusal", "refusal": "I can't"}]),
    ],
)
def test_refusals_are_told_apart_from_empty_answers(message: AIMessage) -> None:
    assert failure(message).failure is Failure.REFUSED


@settings(max_examples=200)
@given(st.text() | st.dictionaries(st.sampled_from(["mood", "parts", "register", "x"]), st.text()).map(json.dumps))
def test_any_text_is_an_answer_or_a_named_failure(text: str) -> None:
    for answer in (Answer, TurnAnalysis):
        with suppress_failures() as met:
            read_answer(AIMessage(text), answer)
        assert {error.failure for error in met} <= {Failure.MALFORMED, Failure.INVALID}
        assert all(0 < len(error.detail) < 600 for error in met)


@settings(max_examples=200)
@given(st.text() | st.text(alphabet="{}[]\"':,()=\n anmeargs_dnow").map(lambda text: f"add_now({text}"))
def test_any_text_is_read_for_calls_without_an_error(text: str) -> None:
    step = read_calls(AIMessage(text), [ToolSpec(name="add_now", description="", arguments=Part)])
    assert all(isinstance(call.args, dict) for call in step.calls)


def test_schemas_are_plain() -> None:
    schema = answer_schema(Answer)
    assert schema["title"] == "Answer"
    assert schema["description"] == "How it went."
    text = json.dumps(schema["properties"])
    assert "$ref" not in text
    assert '"default"' not in text
    assert schema["properties"]["parts"]["items"]["properties"]["title"]["description"] == "Its name."


def test_every_answer_model_of_a_prompt_has_a_plain_schema() -> None:
    text = json.dumps(answer_schema(TurnAnalysis))
    assert "$ref" not in text
    assert "$defs" not in text


def test_tools_are_described_alike_bound_and_in_words() -> None:
    tool = ToolSpec(name="note", description="Note it.", arguments=Part)
    bound = tool_schema(tool)["function"]
    (in_words,) = calls_schema([tool])["properties"]["calls"]["items"]["anyOf"]
    assert bound["name"] == in_words["properties"]["name"]["const"] == "note"
    assert bound["parameters"] == in_words["properties"]["args"]
    assert bound["description"] == in_words["description"] == "Note it."
