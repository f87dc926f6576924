"""Take a transcript in through the same graphs as a live conversation, each message at its own time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AnyMessage, HumanMessage

from previously.memory import Previously
from previously.nodes.recording import TIMESTAMP
from previously.state.context import MemoryContext
from previously.state.errors import InvalidInput
from previously.state.turn import content_hash
from previously.transcripts import Transcript

_HISTORY = 20
"""Messages before an exchange that come with it, so that the open slice is seen to continue."""


@dataclass(frozen=True, kw_only=True)
class Step:
    """One exchange of a replay, or the closing of its last slice."""

    done: int
    """Messages of the transcript that are taken in by now."""
    total: int
    repeated: bool
    """Whether the exchange was there already, with nothing owed, and was passed over."""
    account: dict[str, Any]
    events: tuple[dict[str, Any], ...] = ()
    """What the run told while it happened, oldest first."""


def replay(
    memory: Previously, transcript: Transcript, context: MemoryContext, *, close: bool = False
) -> Iterator[Step]:
    """Yield a step for each exchange. A replay that was broken off goes on where it stopped, and repeats nothing.

    `context` names the space; thread and time come from the transcript. With `close` the last slice is ended.
    """
    total = len(transcript.messages)
    context = context.at(thread=transcript.thread)
    for start, end in transcript.exchanges():
        messages = transcript.messages[max(0, start - _HISTORY) : end]
        context = context.at(now=messages[-1].additional_kwargs[TIMESTAMP])
        if _handled(memory, transcript, context.space, start, end):
            yield Step(done=end, total=total, repeated=True, account={})
            continue
        account, events = _take_in(memory, messages, context)
        yield Step(done=end, total=total, repeated=False, account=account, events=events)
    closed = memory.close_slice(context) if close else None
    if closed:
        yield Step(done=total, total=total, repeated=False, account=closed)


def _take_in(
    memory: Previously, messages: Sequence[AnyMessage], context: MemoryContext
) -> tuple[dict[str, Any], tuple[dict[str, Any], ...]]:
    """Run one exchange through the intake graph; return its account and its events."""
    state: dict[str, Any] = {}
    events: list[dict[str, Any]] = []
    running: Iterator[Any] = memory.intake.stream(
        {"messages": list(messages)}, context=context, stream_mode=["custom", "values"], subgraphs=True
    )
    for namespace, mode, chunk in running:
        if mode == "custom":
            events.append(chunk["previously"])
        elif not namespace:
            state = chunk
    return state.get("memory", {}), tuple(events)


def _handled(memory: Previously, transcript: Transcript, space: str, start: int, end: int) -> bool:
    """Whether every turn of an exchange is stored and its housekeeping is done, or waits for its next attempt."""
    store = memory.services.store
    said = [message for message in transcript.messages[start:end] if message.text.strip()]
    known = {turn.id: turn for turn in store.turns(space, ids=[str(message.id) for message in said])}
    for message in said:
        if message.id in known and known[message.id].hash != content_hash(message.text):
            problem = f"{message.id!r} is the id of another message in this space: leave ids out of the file"
            raise InvalidInput("id", problem)
    if any(message.id not in known for message in said):
        return False
    asked = {f"turn:{message.id}" for message in said if isinstance(message, HumanMessage)}
    thread = transcript.thread
    now = memory.services.clock()
    owed = [job for job in store.owed(space=space, thread=thread, kind="turn") if job.key in asked]
    return all(job.attempts and job.next_at > now for job in owed)
