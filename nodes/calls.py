"""Tool calls of a model: as the provider reports them, or as the model wrote them into its text."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import UnionType
from typing import Any, Union, get_args, get_origin

from langchain_core.messages import AIMessage
from pydantic import BaseModel

from previously.nodes.written import as_object, read_json, without_thinking

_NAMES = ("name", "tool", "tool_name", "function", "action")
_ARGUMENTS = ("args", "arguments", "parameters", "input", "action_input")
_LISTS = ("calls", "tool_calls", "tools", "actions")


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolSpec:
    """A tool as a model is told of it."""

    name: str
    description: str
    arguments: type[BaseModel]
    """Their schema is shown to the model; whoever carries the call out validates them."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Call:
    """One tool call that a model made. Neither the name nor the arguments are checked."""

    id: str
    """The provider's id, else `call_<n>`, counted from 1 in one answer."""
    name: str
    args: dict[str, Any]
    """`{}` when they could not be read."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolStep:
    """One answer in a tool loop."""

    calls: tuple[Call, ...] = ()
    """In the order of the answer; empty when the model only talked."""
    text: str = ""
    """What it said beside the calls, without reasoning; `""` when the calls were read out of the text itself."""


def read_calls(message: AIMessage, tools: Sequence[ToolSpec]) -> ToolStep:
    """Return the calls of a message, else those that its text spells out. Never raises."""
    known = {tool.name: tool for tool in tools}
    text = without_thinking(message.text)
    made = [(call["id"], call["name"], as_object(call["args"])) for call in message.tool_calls]
    made += [(call["id"], call["name"] or "", as_object(call["args"])) for call in message.invalid_tool_calls]
    if not made:
        made = [(None, name, args) for name, args in _spelt_out(text, set(known))]
        text = "" if made else text
    calls = [
        Call(id=id_ or f"call_{number}", name=name, args=_unpacked(args or {}, known.get(name)))
        for number, (id_, name, args) in enumerate(made, 1)
    ]
    return ToolStep(calls=tuple(calls), text=text)


def _unpacked(args: dict[str, Any], tool: ToolSpec | None) -> dict[str, Any]:
    """Return the arguments with lists and objects that came as text unpacked, where no text is wanted."""
    fields = tool.arguments.model_fields if tool else {}
    return {
        name: _parsed(value) if name in fields and not _takes_text(fields[name].annotation) else value
        for name, value in args.items()
    }


def _takes_text(annotation: Any) -> bool:
    options = get_args(annotation) if get_origin(annotation) in {Union, UnionType} else (annotation,)
    return str in options


def _parsed(value: Any) -> Any:
    if not isinstance(value, str) or value.lstrip()[:1] not in {"[", "{"}:
        return value
    try:
        return json.loads(value)
    except ValueError:
        return value


def _spelt_out(text: str, names: set[str]) -> list[tuple[str, dict[str, Any]]]:
    """Return the calls in a text: JSON in the usual shapes, JSON after a tool's name, or `tool(key="value")`."""
    found: list[tuple[str, dict[str, Any]]] = []
    before = 0
    for start, value in read_json(text).values:
        calls = list(_in_json(value, names))
        if not calls and isinstance(value, dict) and (name := _last_name(text[before:start], names)):
            calls = [(name, value)]
        found += calls
        before = start
    return found or list(_in_code(text, names))


def _in_json(value: Any, names: set[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    if isinstance(value, list):
        for item in value:
            yield from _in_json(item, names)
    if not isinstance(value, dict):
        return
    rows = next((value[key] for key in _LISTS if isinstance(value.get(key), list)), None)
    if rows is not None:
        yield from _in_json(rows, names)
        return
    inner = value["function"] if isinstance(value.get("function"), dict) else value
    name = next((inner[key] for key in _NAMES if isinstance(inner.get(key), str)), None)
    args = next((inner[key] for key in _ARGUMENTS if key in inner), None)
    if name is not None and (args is not None or name in names):
        rest = {key: item for key, item in inner.items() if item is not name}
        yield name, (rest if args is None else as_object(args) or {})
    else:
        yield from ((key, item) for key, item in value.items() if key in names and isinstance(item, dict))


def _last_name(prose: str, names: set[str]) -> str | None:
    """Return the tool that was named last in `prose`."""
    words = [word for word in re.findall(r"\w+", prose) if word in names]
    return words[-1] if words else None


def _in_code(text: str, names: set[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    for line in text.splitlines():
        source = line.strip().strip("`")
        if "(" not in source or source.split("(", 1)[0] not in names:
            continue
        try:
            call = ast.parse(source, mode="eval").body
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and not call.args:
                yield call.func.id, {item.arg: ast.literal_eval(item.value) for item in call.keywords if item.arg}
        except (SyntaxError, ValueError, MemoryError, RecursionError):
            continue
