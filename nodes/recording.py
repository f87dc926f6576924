"""From messages to turns: which messages of a history are new evidence, and how they are stored."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage

from previously.nodes.services import Services
from previously.state.cognition import cognition
from previously.state.commit import Annotation
from previously.state.context import MemoryContext, aware, clean_text, normal_id
from previously.state.errors import InvalidInput
from previously.state.slice import Recorded
from previously.state.turn import NewTurn, Role, Turn, content_hash, derived_turn_id

TIMESTAMP = "timestamp"
"""Key of a message's `additional_kwargs` with the aware ISO instant at which it was said; optional."""
_WINDOW = 50
"""Messages that are compared with the store in one query, from the newest backwards."""
_MEDIA = {"image", "audio", "video", "file", "text-plain"}


def record_messages(
    services: Services, messages: Sequence[AnyMessage], context: MemoryContext, *, answering: bool = False
) -> Recorded:
    """Store every message of a history that is not stored yet, in one durable transaction.

    `messages` is the thread's history as the host has it, oldest first, also a trimmed one. What was recorded before is
    recognised by its id, or, where a host makes new ids at every call, by the last two stored turns standing in the
    history. Tool messages and answers without text are no turns; what the agent did is kept as the cognition of the
    turn that it answers. A host that is `answering` keeps the turn to itself: no
    worker takes up what it will handle, or has not replied to yet.
    """
    new, last = _unrecorded(services, messages, context)
    if not new:
        return Recorded(new=(), known=(last.id,) if last else ())
    if not _continues(services, context, last):
        new = [replace(new[0], continues=False), *new[1:]]
    held = answering and (services.housekeeping == "inline" or new[-1].role == "user")
    return services.store.record(
        context.space,
        new,
        policy=services.settings.slices,
        timezone=context.timezone,
        annotations=list(_cognition(messages, context, {turn.id for turn in new})),
        agent=context.agent,
        answering=timedelta(seconds=services.settings.lease if held else 0),
    )


def answered_turn(services: Services, messages: Sequence[AnyMessage], context: MemoryContext) -> Turn | None:
    """Return the recorded turn that the newest user message is, `None` when the history holds none."""
    for position in range(len(messages) - 1, -1, -1):
        turn = as_turn(position, messages[position], context)
        if turn and turn.role == "user":
            if stored := services.store.turn(context.space, turn.id):
                return stored
            recent = services.store.turns(context.space, thread=context.thread, newest_first=True, limit=_WINDOW)
            return next((stored for stored in recent if stored.role == "user"), None)
    return None


def as_turn(position: int, message: AnyMessage, context: MemoryContext) -> NewTurn | None:
    """Return the turn that a message is, or `None` for what nobody said (tool messages, answers without text).

    Role and authority come from the message's type and the context, never from what it says.
    """
    if not isinstance(message, (HumanMessage, AIMessage)):
        return None
    text = said(message)
    if not text.strip():
        return None
    role: Role = "user" if isinstance(message, HumanMessage) else "assistant"
    thread = context.thread or ""
    speaker = message.name or (context.speaker if role == "user" else None)
    return NewTurn(
        id=normal_id("message.id", message.id) if message.id else derived_turn_id(thread, position, role, text),
        thread=thread,
        role=role,
        speaker=normal_id("message.name", speaker) if speaker else None,
        authority=context.authority,
        trust="pending" if context.authority == "unpaired" else "trusted",
        text=text,
        event_time=_said_at(message, context),
    )


def said(message: AnyMessage) -> str:
    """Return the text of a message; pictures, files and sound stand as `[image]`, `[file]`, `[audio]`."""
    if isinstance(message.content, str):
        return clean_text(message.content)
    parts = []
    for block in message.content_blocks:
        if block["type"] == "text":
            parts.append(block["text"])
        elif block["type"] in _MEDIA:
            parts.append(f"[{block['type']}]")
    return clean_text("\n".join(parts))


def _said_at(message: AnyMessage, context: MemoryContext) -> datetime:
    stamp = message.additional_kwargs.get(TIMESTAMP)
    if isinstance(stamp, (str, datetime)):
        return aware(f"message.additional_kwargs[{TIMESTAMP!r}]", stamp)
    if context.now is None:
        raise InvalidInput("now", "is not set: take the context from Services.context")
    return context.now


def _unrecorded(
    services: Services, messages: Sequence[AnyMessage], context: MemoryContext
) -> tuple[list[NewTurn], Turn | None]:
    """Return the turns that are to be stored, and the stored turn that stands before them in the history."""
    turns: list[NewTurn] = []
    for end in range(len(messages), 0, -_WINDOW):
        numbers = range(end - 1, max(0, end - _WINDOW) - 1, -1)
        window = [turn for number in numbers if (turn := as_turn(number, messages[number], context))]
        known = {turn.id: turn for turn in services.store.turns(context.space, ids=[turn.id for turn in window])}
        for turn in window:
            if turn.id in known:
                return turns[::-1], known[turn.id]
            turns.append(turn)
    turns.reverse()
    return _after_stored(services, turns, context)


def _after_stored(
    services: Services, turns: list[NewTurn], context: MemoryContext
) -> tuple[list[NewTurn], Turn | None]:
    """Find the thread's last two stored turns in a history none of whose ids is known.

    One equal turn is not enough: a user may say the same twice.
    """
    stored = services.store.turns(context.space, thread=context.thread, newest_first=True, limit=2)
    pattern = [(turn.role, turn.hash) for turn in reversed(stored)]
    signs = [(turn.role, content_hash(turn.text)) for turn in turns] if len(pattern) == 2 else []  # noqa: PLR2004
    for end in range(len(signs), 1, -1):
        if signs[end - 2 : end] == pattern:
            return turns[end:], stored[0]
    return turns, None


def _continues(services: Services, context: MemoryContext, last: Turn | None) -> bool:
    """Whether the history that came with the new turns still holds something of the open slice."""
    active = services.store.active_slice(context.space, context.thread or "")
    if active is None or (last is not None and last.slice_id == active.slice_id):
        return True
    return all(turn.role == "user" for turn in services.store.turns(context.space, slice_id=active.slice_id))


def _cognition(messages: Sequence[AnyMessage], context: MemoryContext, new: set[str]) -> Iterator[Annotation]:
    """Yield what the agent did between one user message and the next, where its reply is new."""
    replies: list[AnyMessage] = []
    fresh = False
    for position in range(len(messages) - 1, -1, -1):
        turn = as_turn(position, messages[position], context)
        if not isinstance(messages[position], HumanMessage):
            replies.append(messages[position])
            fresh = fresh or (turn is not None and turn.id in new)
        elif not fresh:
            break
        else:
            if turn and len(replies) > 1:
                yield Annotation(turn_id=turn.id, kind="cognition", data=cognition(replies[::-1]))
            replies, fresh = [], False
