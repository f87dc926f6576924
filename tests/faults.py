"""Twenty-odd ways in which a model or its provider answers badly, and what is to come of each.

`faults(good)` takes one good structured answer, so that the same table serves a bare step and a whole graph. A row is
played by `ScriptedChatModel` or over the wire by `LoopbackServer`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage

from previously.state.errors import Failure
from previously.testing import Dropped, Garbage, Hang, Reply, calls, refused, status, truncated

HANG = 20.0
"""Seconds of the hang; a test gives the step far less."""


@dataclass(frozen=True, kw_only=True)
class Fault:
    """One row of the table."""

    name: str
    replies: tuple[Reply, ...]
    """What the model answers, call by call; the last one for good."""
    failure: Failure | None = None
    """What the step ends with; `None`: it gets its answer."""
    requests: int = 1
    """Requests sent until then."""

    def reply(self, number: int) -> Reply:
        """Return the reply to call `number`, from 0."""
        return self.replies[min(number, len(self.replies) - 1)]


def _row(name: str, *replies: Reply, failure: Failure | None = None, requests: int = 1) -> Fault:
    return Fault(name=name, replies=replies, failure=failure, requests=requests)


def faults(good: dict[str, Any]) -> Iterator[Fault]:
    """Yield the table for a step whose good answer is `good`."""
    yield from _mended(good, json.dumps(good, ensure_ascii=False))
    yield from _told_once(good, json.dumps(good, ensure_ascii=False))
    yield from _unusable(good, json.dumps(good, ensure_ascii=False))
    yield from _provider(good)


def _mended(good: dict[str, Any], text: str) -> Iterator[Fault]:
    """Yield what is read at once although its form is off."""
    yield _row("fenced", f"```json\n{text}\n```")
    yield _row("prose around the JSON", f"Sure! Here you go:\n{text}\nTell me if you need more {{detail}}.")
    yield _row("think prefix", f"<think>The user {{says}} hi. {{}}</think>\n{text}")
    yield _row("think closed but never opened", f"so I answer {{this}}</think>{text}")
    yield _row("one object in a list", f"[{text}]")
    yield _row("JSON inside a JSON string", json.dumps(text))
    yield _row("wrapped in a key", json.dumps({"answer": good}))
    yield _row("a call spelt out", json.dumps({"name": "Answer", "arguments": good}))
    yield _row("trailing comma and comment", f"{text[:-1]}, // done\n}}")
    yield _row("single quotes", str(good))
    yield _row("called as a tool", calls(("Answer", good)))
    yield _row("tool arguments that are no JSON", _broken_call(f"{text[:-1]},}}"))


def _told_once(good: dict[str, Any], text: str) -> Iterator[Fault]:
    """Yield what is mended by the one round of repair."""
    yield _row("prose, then the answer", "I would say it is a chat.", good, requests=2)
    yield _row("nothing, then the answer", "", text, requests=2)
    yield _row("wrong types, then the answer", {name: [1] for name in good}, good, requests=2)
    yield _row("cut off, then the answer", text[:-3], good, requests=2)
    yield _row("HTTP 500, prose, then the answer", status(500), "Hm.", good, requests=3)


def _unusable(good: dict[str, Any], text: str) -> Iterator[Fault]:
    """Yield answers that stay bad."""
    schema = {"type": "object", "properties": {name: {"type": "string"} for name in good}, "required": list(good)}
    wrong = {name: [1] for name in good}
    yield _row("empty", "", failure=Failure.EMPTY, requests=2)
    yield _row("only thoughts", "<think>Let me see", failure=Failure.EMPTY, requests=2)
    yield _row("prose only", "I'd rather talk about it.", failure=Failure.MALFORMED, requests=2)
    yield _row("a bare number", "42", failure=Failure.MALFORMED, requests=2)
    yield _row("cut inside the JSON", text[:-3], failure=Failure.MALFORMED, requests=2)
    yield _row("the schema again", json.dumps(schema), failure=Failure.MALFORMED, requests=2)
    yield _row("a list for an object", json.dumps([["a", "b"], 3]), failure=Failure.INVALID, requests=2)
    yield _row("wrong keys", {"reply": "hi", "mood": "fine"}, failure=Failure.INVALID, requests=2)
    yield _row("wrong types", wrong, failure=Failure.INVALID, requests=2)
    yield _row("tool call with wrong types", calls(("Answer", wrong)), failure=Failure.INVALID, requests=2)
    yield _row("unknown tool", calls(("launch_rocket", {"to": "moon"})), failure=Failure.INVALID, requests=2)
    yield _row("truncated", truncated(text), failure=Failure.TRUNCATED)
    yield _row("empty at the output limit", truncated(), failure=Failure.TRUNCATED)
    yield _row("refused", refused(), failure=Failure.REFUSED)
    yield _row(
        "content filter",
        AIMessage("", response_metadata={"finish_reason": "content_filter"}),
        failure=Failure.REFUSED,
    )


def _provider(good: dict[str, Any]) -> Iterator[Fault]:
    """Yield failures of the provider."""
    yield _row("HTTP 500, then the answer", status(500), good, requests=2)
    yield _row("HTTP 429 with a short wait, then the answer", status(429, retry_after=0), good, requests=2)
    yield _row("dropped, then the answer", Dropped(), good, requests=2)
    yield _row("HTTP 500", status(500), failure=Failure.SERVER, requests=3)
    yield _row("HTTP 503", status(503), failure=Failure.SERVER, requests=3)
    yield _row("HTTP 408", status(408), failure=Failure.SERVER, requests=3)
    yield _row("HTTP 409", status(409), failure=Failure.SERVER, requests=3)
    yield _row("HTTP 429", status(429), failure=Failure.RATE_LIMITED, requests=3)
    yield _row("HTTP 429 with a long wait", status(429, retry_after=600), failure=Failure.RATE_LIMITED)
    yield _row("HTTP 400", status(400), failure=Failure.REQUEST)
    yield _row("HTTP 404", status(404), failure=Failure.REQUEST)
    yield _row("HTTP 401", status(401), failure=Failure.AUTHENTICATION)
    yield _row("HTTP 403", status(403), failure=Failure.AUTHENTICATION)
    yield _row("dropped connection", Dropped(), failure=Failure.CONNECTION, requests=3)
    yield _row("body that is no JSON", Garbage(), failure=Failure.MALFORMED, requests=2)
    yield _row("body of another kind", Garbage(b'{"hello": "world"}'), failure=Failure.MALFORMED, requests=2)
    yield _row("hang", Hang(HANG), failure=Failure.TIMEOUT)


def _broken_call(args: str) -> AIMessage:
    """Return a tool call whose arguments its client could not parse."""
    return AIMessage("", invalid_tool_calls=[{"name": "Answer", "args": args, "id": "call_1", "error": "bad JSON"}])
