"""Reading a structured answer: tolerant about its form, strict about its content."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, TypeVar

from langchain_core.messages import AIMessage
from pydantic import BaseModel, ValidationError

from previously.nodes.written import Written, as_object, read_json, without_thinking
from previously.state.errors import Failure, ModelFailed

A = TypeVar("A", bound=BaseModel)
_CUT = {"length", "max_tokens", "max_output_tokens"}
_REFUSED = {"content_filter", "refusal", "safety", "prohibited_content", "blocklist", "guardrail_intervened"}
ENDINGS = {
    Failure.TRUNCATED: "the answer was cut at the output limit of {} tokens",
    Failure.REFUSED: "the model declined to answer",
}
"""Why there is no answer to read, in words; `{}` takes the output limit."""
_WRAPPERS = ("arguments", "args", "parameters", "input")
_FAULTS = 5
_FAULT_CHARACTERS = 400


def check_ending(message: AIMessage, budget: int) -> None:
    """Raise `ModelFailed` for an answer that was cut at its `budget` (tokens), refused, or empty."""
    reasons = {reason.lower() for reason in _reasons(message)}
    if reasons & _CUT:
        raise ModelFailed(Failure.TRUNCATED, ENDINGS[Failure.TRUNCATED].format(budget))
    if reasons & _REFUSED or message.additional_kwargs.get("refusal") or _has_refusal(message):
        raise ModelFailed(Failure.REFUSED, ENDINGS[Failure.REFUSED])
    if not (without_thinking(message.text) or message.tool_calls or message.invalid_tool_calls):
        raise ModelFailed(Failure.EMPTY, "the answer held neither text nor a tool call")


def read_answer(message: AIMessage, answer: type[A]) -> A:
    """Return the validated answer. Raises `ModelFailed`: malformed, or invalid with the faults named for the model."""
    written = read_json(without_thinking(message.text))
    candidates = list(_candidates(message, written))
    fault: ModelFailed | None = None
    for candidate in candidates:
        if not _fits(candidate, answer):
            continue
        try:
            return answer.model_validate_json(json.dumps(candidate), strict=True)
        except ValidationError as error:
            fault = fault or ModelFailed(Failure.INVALID, _faults(error))
    raise fault or _misfit(candidates, written, answer)


def _reasons(message: AIMessage) -> Iterator[str]:
    """Yield why the model stopped, under the keys that providers use."""
    found = message.response_metadata
    incomplete = found.get("incomplete_details")
    for value in (
        *(found.get(key) for key in ("finish_reason", "stop_reason", "stopReason", "done_reason")),
        incomplete.get("reason") if isinstance(incomplete, dict) else None,
    ):
        if isinstance(value, str):
            yield value


def _has_refusal(message: AIMessage) -> bool:
    blocks = message.content if isinstance(message.content, list) else []
    return any(isinstance(block, dict) and block.get("type") == "refusal" for block in blocks)


def _candidates(message: AIMessage, written: Written) -> Iterator[dict[str, Any]]:
    """Yield every object that the answer may be, likeliest first: called with, written, or wrapped in one of those."""
    values = [call["args"] for call in (*message.tool_calls, *message.invalid_tool_calls)]
    values += [value for _, value in written.values]
    for value in values:
        only = value[0] if isinstance(value, list) and len(value) == 1 else value
        found = as_object(only)
        if found is None:
            continue
        yield found
        wrapped = [found[key] for key in _WRAPPERS if key in found] or list(found.values())[: len(found) == 1]
        yield from (inner for inner in map(as_object, wrapped) if inner is not None)


def _fits(candidate: dict[str, Any], answer: type[BaseModel]) -> bool:
    """Whether an object speaks of the answer at all: an answer model with defaults would take any object."""
    return not _is_schema(candidate) and (not candidate or bool(candidate.keys() & _keys(answer)))


def _is_schema(value: dict[str, Any]) -> bool:
    return isinstance(value.get("properties"), dict) and ("$defs" in value or value.get("type") == "object")


def _keys(answer: type[BaseModel]) -> set[str]:
    aliases = (field.validation_alias for field in answer.model_fields.values())
    return set(answer.model_fields) | {alias for alias in aliases if isinstance(alias, str)}


def _misfit(candidates: list[dict[str, Any]], written: Written, answer: type[BaseModel]) -> ModelFailed:
    """Return the failure of an answer in which no candidate fits, in words that help the model to mend it."""
    if any(map(_is_schema, candidates)):
        return ModelFailed(Failure.MALFORMED, "it repeats the JSON Schema instead of filling it in")
    keys = ", ".join(sorted(_keys(answer)))
    if candidates:
        return ModelFailed(Failure.INVALID, f"it has none of the expected keys ({keys})")
    if written.cut:
        return ModelFailed(Failure.MALFORMED, "the JSON ends before it is closed")
    if written.values:
        return ModelFailed(Failure.INVALID, f"it is a list, but one JSON object with the keys {keys} is expected")
    return ModelFailed(Failure.MALFORMED, "it holds no JSON object")


def _faults(error: ValidationError) -> str:
    """Return what is wrong, field by field, without the values: they are the user's."""
    faults = error.errors(include_url=False, include_context=False, include_input=False)[:_FAULTS]
    rows = [f"{'.'.join(map(str, fault['loc'])) or 'answer'}: {fault['msg']}" for fault in faults]
    return "; ".join(rows)[:_FAULT_CHARACTERS]
