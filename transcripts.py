"""Conversations held elsewhere, read from files: JSONL, ChatGPT's export, LangChain messages."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from itertools import pairwise
from pathlib import Path
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, convert_to_messages, messages_from_dict

from previously.nodes.recording import TIMESTAMP, said
from previously.state.context import zone
from previously.state.errors import InvalidInput
from previously.state.turn import Role, content_hash, derived_turn_id

_ROLES: dict[str, Role] = {"user": "user", "human": "user", "assistant": "assistant", "ai": "assistant"}
_ASIDE = {"system", "developer", "tool", "function"}
_GAP = timedelta(seconds=1)
"""Distance between two messages of a file that gives no times."""


@dataclass(frozen=True, kw_only=True)
class Transcript:
    """One conversation, ready to be taken in: every message has an id and a time."""

    thread: str
    """The conversation's own id, or one made from its first message, so that the same file is the same thread."""
    title: str
    messages: tuple[AnyMessage, ...]

    def exchanges(self) -> Iterator[tuple[int, int]]:
        """Yield `(start, end)` of each user message with the replies to it; leading replies go with the first."""
        starts = [i for i, message in enumerate(self.messages) if isinstance(message, HumanMessage)]
        edges = [0, *starts[1:], len(self.messages)]
        yield from ((start, end) for start, end in pairwise(edges) if start < end)


@dataclass(frozen=True, kw_only=True)
class _Line:
    where: str
    role: Role
    name: str | None
    text: str
    at: datetime | None
    id: str | None


def load_transcripts(path: str | Path, *, timezone: str | None = None) -> list[Transcript]:
    """Read the conversations of a file.

    `.jsonl`: one `{role, content, name?, timestamp?, id?}` a line. `.json`: a ChatGPT `conversations.json`, or
    LangChain messages (as `messages_to_dict` writes them, or role/content pairs, also under a key `messages`). Times
    are ISO 8601 or epoch seconds; one without an offset is read in `timezone`, and refused without it. Messages without
    times stand a second apart, and a file without any ends at its time of change. System and tool messages are left
    out. Raises `InvalidInput` naming the line and the field.
    """
    file = Path(path)
    zoned = zone("timezone", timezone) if timezone else None
    try:
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput("file", f"{file} can't be read: {error}") from None
    changed = datetime.fromtimestamp(file.stat().st_mtime, UTC)
    conversations = _jsonl(text, zoned) if file.suffix == ".jsonl" else _json(text, zoned)
    found = [_transcript(lines, title or file.stem, thread, changed) for title, thread, lines in conversations if lines]
    if not found:
        raise InvalidInput("file", f"{file} holds no message of a user or an assistant")
    return found


def _jsonl(text: str, zoned: tzinfo | None) -> list[tuple[str, str | None, list[_Line]]]:
    rows = [(f"line {number}", line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    return [("", None, [line for where, row in rows if (line := _line(where, _parse(where, row), zoned))])]


def _json(text: str, zoned: tzinfo | None) -> list[tuple[str, str | None, list[_Line]]]:
    data = _parse("file", text)
    if isinstance(data, dict) and "messages" in data:
        data = data["messages"]
    if isinstance(data, dict) and "mapping" in data:
        data = [data]
    if not isinstance(data, list):
        raise InvalidInput("file", "must hold a list of messages or of conversations")
    if any(isinstance(row, dict) and "mapping" in row for row in data):
        return [_chatgpt(number, row) for number, row in enumerate(data, 1)]
    return [("", None, [line for n, row in enumerate(data, 1) if (line := _langchain(f"message {n}", row, zoned))])]


def _parse(where: str, text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise InvalidInput(where, f"is not JSON: {error}") from None


def _line(where: str, row: object, zoned: tzinfo | None) -> _Line | None:
    if not isinstance(row, dict):
        raise InvalidInput(where, "must be an object with role and content")
    role, content, name = row.get("role"), row.get("content"), row.get("name")
    if isinstance(role, str) and role in _ASIDE:
        return None
    if not isinstance(role, str) or role not in _ROLES:
        raise InvalidInput(f"{where}: role", f"{role!r} is not one of {', '.join([*_ROLES, *sorted(_ASIDE)])}")
    if not isinstance(content, (str, list)):
        raise InvalidInput(f"{where}: content", f"must be text or a list of content blocks, got {content!r}")
    if name is not None and not isinstance(name, str):
        raise InvalidInput(f"{where}: name", f"must be text, got {name!r}")
    at = _instant(f"{where}: timestamp", row.get(TIMESTAMP), zoned)
    own = row.get("id")
    return _Line(
        where=where,
        role=_ROLES[role],
        name=name or None,
        text=said(HumanMessage(content)),
        at=at,
        id=str(own) if own else None,
    )


def _langchain(where: str, row: object, zoned: tzinfo | None) -> _Line | None:
    """Read a message as LangChain writes it; plain role/content pairs are read as in JSONL."""
    if isinstance(row, dict) and row.get("role") in [*_ROLES, *_ASIDE]:
        return _line(where, row, zoned)
    try:
        if isinstance(row, dict) and isinstance(row.get("data"), dict):
            message = messages_from_dict([row])[0]
        elif isinstance(row, dict) and row.get("type") == "constructor":
            kind = str(row["id"][-1]).removesuffix("Chunk").removesuffix("Message").lower()
            message = convert_to_messages([{**row["kwargs"], "type": kind}])[0]
        else:
            message = convert_to_messages([row])[0]  # type: ignore[list-item]
    except (ValueError, TypeError, KeyError, IndexError, NotImplementedError) as error:
        raise InvalidInput(where, f"is not a LangChain message: {error}") from None
    plain = {
        "role": {"human": "user", "ai": "assistant"}.get(message.type, message.type),
        "content": message.content,
        "name": message.name,
        "id": message.id,
        TIMESTAMP: message.additional_kwargs.get(TIMESTAMP),
    }
    return _line(where, plain, zoned)


def _chatgpt(number: int, row: object) -> tuple[str, str | None, list[_Line]]:
    """Read one conversation of ChatGPT's export: the branch that ends at its current node."""
    where = f"conversation {number}"
    mapping = row.get("mapping") if isinstance(row, dict) else None
    if not isinstance(row, dict) or not isinstance(mapping, dict):
        raise InvalidInput(where, "has no mapping of messages")
    node, lines, passed = row.get("current_node"), list[_Line](), set[str]()
    while isinstance(node, str) and node in mapping and node not in passed:
        passed.add(node)
        place = _mapping(mapping[node])
        if line := _chatgpt_line(f"{where}, node {node}", _mapping(place.get("message"))):
            lines.append(line)
        node = place.get("parent")
    thread = row.get("conversation_id") or row.get("id")
    return str(row.get("title") or ""), str(thread) if thread else None, lines[::-1]


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _chatgpt_line(where: str, message: Mapping[str, Any]) -> _Line | None:
    role = _mapping(message.get("author")).get("role")
    hidden = _mapping(message.get("metadata")).get("is_visually_hidden_from_conversation")
    parts = _mapping(message.get("content")).get("parts")
    text = "\n".join(
        part if isinstance(part, str) else "[image]" for part in (parts if isinstance(parts, list) else [])
    )
    if role not in [*_ROLES] or hidden or message.get("recipient", "all") != "all" or not text.strip():
        return None
    at = _instant(f"{where}: create_time", message.get("create_time"), UTC)
    return _Line(where=where, role=_ROLES[role], name=None, text=text, at=at, id=str(message.get("id") or "") or None)


def _instant(field: str, value: object, zoned: tzinfo | None) -> datetime | None:
    if value is None:
        return None
    try:
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return datetime.fromtimestamp(value, UTC)
        moment = datetime.fromisoformat(str(value))
    except (ValueError, OverflowError, OSError):
        raise InvalidInput(field, f"{value!r} is neither an ISO 8601 time nor epoch seconds") from None
    if moment.tzinfo is None and zoned is None:
        raise InvalidInput(field, f"{value!r} has no offset: add one, or give --timezone to read it in")
    return (moment if moment.tzinfo else moment.replace(tzinfo=zoned)).astimezone(UTC)


def _transcript(lines: Sequence[_Line], title: str, thread: str | None, changed: datetime) -> Transcript:
    thread = thread or f"replay-{content_hash(f'{lines[0].role}|{lines[0].at}|{lines[0].text}')[:16]}"
    timed, first = next(((number, line.at) for number, line in enumerate(lines) if line.at), (len(lines), changed))
    moment = first - _GAP * (timed + 1)
    messages: list[AnyMessage] = []
    given = Counter(line.id for line in lines if line.id)
    for position, line in enumerate(lines):
        if line.id and given[line.id] > 1:
            raise InvalidInput(f"{line.where}: id", f"{line.id!r} is used {given[line.id]} times in this conversation")
        moment = line.at or moment + _GAP
        kind = HumanMessage if line.role == "user" else AIMessage
        messages.append(
            kind(
                line.text,
                id=line.id or derived_turn_id(thread, position, line.role, line.text),
                name=line.name,
                additional_kwargs={TIMESTAMP: moment.isoformat()},
            )
        )
    return Transcript(thread=thread, title=title, messages=tuple(messages))
