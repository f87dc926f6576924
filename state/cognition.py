"""The cognition log: what the agent did for a turn, taken from its messages by rule, never told by a model."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, ToolMessage

from previously.state.context import clean_text
from previously.state.errors import InvalidInput

Json = dict[str, Any]
_ARGUMENTS = 5
_ARGUMENT = 80
_ERROR = 200
_TIMESTAMP = "timestamp"
_BARE = re.compile(r"[\w.:/+-][\w.:/+ -]*")
_WORD = rf'"(?:[^"\\]|\\.)*"|{_BARE.pattern}'
_PAIR = re.compile(f"({_WORD})=({_WORD})")


def _code_pattern(name: str) -> str:
    """Return the pattern of what `_code` writes."""
    return f"(?P<{name}_>`+)(?P<{name}>.*?)(?P={name}_)(?!`)"


_CALL = re.compile(
    rf"- {_code_pattern('call')} · (?P<status>ok|error|no result)(?: · (?P<size>\d+) characters)?"
    rf"(?: · (?P<seconds>-?[\d.]+) s)?(?: · {_code_pattern('error')})?"
)
_SIZES = re.compile(r"- answer: (?P<text>\d+) characters(?:, reasoning: (?P<reasoning>\d+) characters)?")


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
    given = list(call["args"].items())[:_ARGUMENTS]
    args = {_short(name, _ARGUMENT): _short(value, _ARGUMENT) for name, value in given}
    row: Json = {"tool": _short(call["name"], _ARGUMENT), "args": args}
    if result is None:
        return {**row, "status": "no result"}
    row |= {"status": "error" if result.status == "error" else "ok", "size": len(result.text)}
    if result.status == "error":
        row["error"] = _short(result.text, _ERROR)
    seconds = _seconds(asked, result)
    return row if seconds is None else {**row, "seconds": seconds}


def _short(value: Any, limit: int) -> str:
    text = " ".join(clean_text(str(value)).split())
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _seconds(asked: AnyMessage, answered: AnyMessage) -> float | None:
    """Return the time between two messages that both say when they were made."""
    try:
        start = datetime.fromisoformat(str(asked.additional_kwargs[_TIMESTAMP]))
        end = datetime.fromisoformat(str(answered.additional_kwargs[_TIMESTAMP]))
        return round((end - start).total_seconds(), 1)
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
    args = ", ".join(f"{_word(name)}={_word(value)}" for name, value in call["args"].items())
    parts = ["- " + _code(f"{_word(call['tool'])}({args})"), call["status"]]
    if "size" in call:
        parts.append(f"{call['size']} characters")
    if "seconds" in call:
        parts.append(f"{call['seconds']:.1f} s")
    if "error" in call:
        parts.append(_code(_word(call["error"])))
    return " · ".join(parts)


def _word(text: str) -> str:
    """Return a text as it is when nothing in it could be mistaken for the line around it, else as a JSON string."""
    return text if _BARE.fullmatch(text) else json.dumps(text, ensure_ascii=False)


def _code(text: str) -> str:
    """Return a text as code, fenced by more backticks than it has in a row."""
    longest = max(map(len, re.findall("`+", text)), default=0)
    return f"`{text}`" if not longest else f"{'`' * (longest + 1)} {text} {'`' * (longest + 1)}"


def parse_cognition(text: str) -> list[tuple[int, Json]]:
    """Read what `render_cognition` wrote. Raises `InvalidInput` for anything else."""
    entries: list[tuple[int, Json]] = []
    for block in text.removesuffix("\n").split("\n\n## Turn ")[1:]:
        number, *lines = block.split("\n")
        sizes = _SIZES.fullmatch(lines[-1]) if lines else None
        if sizes is None or not number.isdecimal():
            raise InvalidInput("agent.md", f"turn {number} is not as it was written")
        counts = {name: int(value or 0) for name, value in sizes.groupdict().items()}
        entries.append((int(number), {"calls": [_read_call(line) for line in lines[1:-1]], **counts}))
    return entries


def _read_call(line: str) -> Json:
    found = _CALL.fullmatch(line)
    if found is None:
        raise InvalidInput("agent.md", f"{line!r} is no line of a call")
    tool = re.match(_WORD, call := _uncode(found, "call"))
    args = {_unword(name): _unword(value) for name, value in _PAIR.findall(call[tool.end() :] if tool else "")}
    row: Json = {"tool": _unword(tool[0] if tool else ""), "args": args, "status": found["status"]}
    if found["size"]:
        row["size"] = int(found["size"])
    if found["error"]:
        row["error"] = _unword(_uncode(found, "error"))
    return {**row, "seconds": float(found["seconds"])} if found["seconds"] else row


def _uncode(found: re.Match[str], name: str) -> str:
    return found[name] if found[f"{name}_"] == "`" else found[name][1:-1]


def _unword(word: str) -> str:
    try:
        return str(json.loads(word)) if word.startswith('"') else word
    except ValueError:
        raise InvalidInput("agent.md", f"{word} is no JSON string") from None
