"""The cognition log: what the agent did for a turn, taken from its messages by rule, never told by a model."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, ToolMessage

Json = dict[str, Any]
_ARGUMENTS = 5
_ARGUMENT = 80
_ERROR = 200
_TIMESTAMP = "timestamp"


def cognition(messages: Sequence[AnyMessage]) -> Json:
    """Return what stands between a user message and the next: each tool call with its outcome, and the answers' sizes.

    `{"calls": [{"tool", "args", "status", "size", "error", "seconds"}], "reasoning", "text"}`; sizes in characters.
    Arguments are shortened (5 of them, 80 characters each), errors to 200 characters; a result's text is not kept.
    """
    results = {message.tool_call_id: message for message in messages if isinstance(message, ToolMessage)}
    answers = [message for message in messages if isinstance(message, AIMessage)]
    calls = [_call(call, message, results.get(str(call["id"]))) for message in answers for call in message.tool_calls]
    reasoning = sum(len(str(block.get("reasoning", ""))) for message in answers for block in _blocks(message))
    return {"calls": calls, "reasoning": reasoning, "text": sum(len(message.text) for message in answers)}


def _blocks(message: AIMessage) -> list[Any]:
    return [block for block in message.content_blocks if block["type"] == "reasoning"]


def _call(call: Any, asked: AIMessage, result: ToolMessage | None) -> Json:
    args = {str(name)[:_ARGUMENT]: _short(value, _ARGUMENT) for name, value in list(call["args"].items())[:_ARGUMENTS]}
    row: Json = {"tool": _short(call["name"], _ARGUMENT), "args": args}
    if result is None:
        return {**row, "status": "no result"}
    row |= {"status": "error" if result.status == "error" else "ok", "size": len(result.text)}
    if result.status == "error":
        row["error"] = _short(result.text, _ERROR)
    seconds = _seconds(asked, result)
    return row if seconds is None else {**row, "seconds": seconds}


def _short(value: Any, limit: int) -> str:
    text = " ".join(str(value).split())
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _seconds(asked: AnyMessage, answered: AnyMessage) -> float | None:
    """Return the time between two messages that both say when they were made."""
    try:
        start = datetime.fromisoformat(str(asked.additional_kwargs[_TIMESTAMP]))
        return (datetime.fromisoformat(str(answered.additional_kwargs[_TIMESTAMP])) - start).total_seconds()
    except (KeyError, ValueError, TypeError):
        return None


def render_cognition(ref: str, entries: Iterable[tuple[int, Json]]) -> str:
    """Return `agent.md`: for each turn, by its number, one line a call. Everything quoted stands as code."""
    blocks = [f"# Cognition log of {ref}"]
    for number, entry in entries:
        lines = [_call_line(call) for call in entry["calls"]]
        sizes = f"answer: {entry['text']} characters"
        if entry.get("reasoning"):
            sizes += f", reasoning: {entry['reasoning']} characters"
        blocks.append("\n".join([f"## Turn {number}", "", *lines, f"- {sizes}"]))
    return "\n\n".join(blocks) + "\n"


def _call_line(call: Json) -> str:
    args = ", ".join(f"{name}={value}" for name, value in call["args"].items())
    parts = [f"- {_code(call['tool'] + '(' + args + ')')}", call["status"]]
    if "size" in call:
        parts.append(f"{call['size']} characters")
    if "seconds" in call:
        parts.append(f"{call['seconds']:.1f} s")
    if "error" in call:
        parts.append(_code(call["error"]))
    return " · ".join(parts)


def _code(text: str) -> str:
    plain = " ".join(text.split()).replace("`", "'")
    return f"`{plain}`"
