"""Quoted data inside a prompt: JSON lines between two tags, written so that no body can forge a tag or a line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from previously.state.errors import InvalidInput

_NAME = re.compile(r"[a-z][a-z_]*")
# `<` could open a tag; the rest would start a new line for some readers, or can't be sent as UTF-8.
_ESCAPED = re.compile("[<\x7f\x85\u2028\u2029\ud800-\udfff]")
_MARK = "[… {} characters left out …]"


def frame(name: str, rows: Iterable[Mapping[str, object]]) -> str:
    """Return `rows` as one JSON object a line between `<name>` and `</name>`. `unframe` is the exact inverse.

    A row holds JSON values only. Raises `InvalidInput` for a name that isn't made of a-z and `_`.
    """
    if not _NAME.fullmatch(name):
        raise InvalidInput("name", f"{name!r} is not a frame name: use a-z and _")
    lines = [_ESCAPED.sub(_escape, json.dumps(dict(row), ensure_ascii=False)) for row in rows]
    return "\n".join([f"<{name}>", *lines, f"</{name}>"])


def unframe(text: str, name: str) -> list[dict[str, Any]]:
    """Return the rows of the last frame `name` in `text`; `[]` when there is none or it was not made by `frame`."""
    blocks = re.findall(rf"^<{re.escape(name)}>\n(.*?)^</{re.escape(name)}>$", text, re.MULTILINE | re.DOTALL)
    if not blocks:
        return []
    try:
        rows = [json.loads(line) for line in blocks[-1].split("\n")[:-1]]
    except json.JSONDecodeError:
        return []
    return rows if all(isinstance(row, dict) for row in rows) else []


def escape_tags(text: str) -> str:
    """Return `text` with `<` spelt as `&lt;`, for text that stands between two tags as it is, such as the card."""
    return text.replace("<", "&lt;")


def cut_middle(text: str, limit: int) -> str:
    """Return `text` with at most `limit` characters, its middle replaced by a mark that counts what is missing.

    When `limit` is too small for the mark, the mark alone is returned.
    """
    if len(text) <= limit:
        return text
    room = max(0, limit - len(_MARK.format(len(text))) - 2)
    head, tail = room - room // 2, room // 2
    mark = _MARK.format(len(text) - head - tail)
    return f"{text[:head]}\n{mark}\n{text[len(text) - tail :]}" if room else mark


def _escape(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"
