"""JSON values in free text: between reasoning, prose and fences, mended where they are sloppy, refused where cut."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

import json_repair

_THINKING = re.compile(r"<(think|thinking|reasoning)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_END_OF_THINKING = re.compile(r"\A.*</(?:think|thinking|reasoning)>", re.DOTALL | re.IGNORECASE)
_START = re.compile(r'\{|\[(?=\s*[\[{"])')
"""A lone bracket is far more often prose, as in "see [1]", than the start of a list."""
_SIGN = re.compile(r'"(?:\\.|[^"\\])*(?:"|\\?\Z)|[{}\[\]]', re.DOTALL)
"""A string, also one that the text ends in, or a bracket."""
_DECODER = json.JSONDecoder(strict=False)


@dataclass(frozen=True, kw_only=True, slots=True)
class Written:
    """What `read_json` found in a text."""

    values: tuple[tuple[int, Any], ...]
    """Each value with the position at which it starts, in order."""
    cut: bool
    """Whether the text ends inside a value. That value is left out: half an answer must not pass for a whole one."""


def without_thinking(text: str) -> str:
    """Return `text` without reasoning in tags; a closing tag alone ends reasoning that began before the text."""
    return _END_OF_THINKING.sub("", _THINKING.sub("", text)).strip()


def read_json(text: str) -> Written:
    """Return the outermost JSON objects and lists of a text that holds no reasoning (see `without_thinking`)."""
    text = _unquoted(text)
    values: list[tuple[int, Any]] = []
    at = 0
    while start := _START.search(text, at):
        begin = start.start()
        found = _value(text, begin)
        if found is None:
            return Written(values=tuple(values), cut=True)
        value, at = found
        values.append((begin, value))
    return Written(values=tuple(values), cut=False)


def as_object(value: Any) -> dict[str, Any] | None:
    """Return `value` as an object, also when it is the text of one; `None` when it is something else."""
    if isinstance(value, str):
        value = next((found for _, found in read_json(value).values), None)
    return value if isinstance(value, dict) else None


def _unquoted(text: str) -> str:
    """Return what a text says that is one JSON string as a whole."""
    if not text.startswith('"'):
        return text
    try:
        said = _DECODER.decode(text)
    except ValueError:
        return text
    return said if isinstance(said, str) else text


def _value(text: str, start: int) -> tuple[Any, int] | None:
    """Return the value at `start` and where it ends, or `None` when it is not whole (or too deep to be meant)."""
    try:
        return _DECODER.raw_decode(text, start)
    except RecursionError:
        return None
    except ValueError:
        end = _closing(text, start)
    try:
        return None if end is None else (json_repair.loads(text[start:end]), end)
    except (ValueError, RecursionError):
        return None


def _closing(text: str, start: int) -> int | None:
    """Return the position after the bracket that closes the one at `start`, or `None` when none does."""
    depth = 0
    for sign in _SIGN.finditer(text, start):
        if sign[0] in "{[":
            depth += 1
        elif sign[0] in "}]":
            depth -= 1
            if depth == 0:
                return sign.end()
    return None
