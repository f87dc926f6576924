"""What a scripted model can answer, and how it can fail."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.messages.tool import tool_call
from pydantic import BaseModel

_CHARACTERS_PER_TOKEN = 4


@dataclass(frozen=True)
class Hang:
    """No answer for `seconds`, then `reply`."""

    seconds: float
    reply: Reply = field(default="")


class HTTPFault(Exception):  # noqa: N818 - named for what it stands for, as the other replies are
    """An HTTP error of a provider; make it with `status`."""

    def __init__(self, status_code: int, message: str, headers: dict[str, str]) -> None:
        """Carry what the errors of real clients carry: `status_code` and `response.headers`."""
        super().__init__(message)
        self.status_code = status_code
        self.response = SimpleNamespace(status_code=status_code, headers=headers)


class Dropped(ConnectionError):  # noqa: N818
    """A connection that breaks before an answer."""


class Garbage(ValueError):  # noqa: N818
    """An HTTP answer (200) whose body is not what the protocol says."""

    def __init__(self, body: bytes = b"\x00\xff not json") -> None:
        """`body` is sent as it is."""
        super().__init__("the body of the answer could not be read")
        self.body = body


Reply = str | dict[str, Any] | BaseModel | AIMessage | Exception | Hang
"""A text; a structured answer, given in the form that is asked for; a whole message; a failure; a delay."""


def calls(*made: tuple[str, dict[str, Any]], text: str = "") -> AIMessage:
    """Return a reply that calls tools: pairs of a tool's name and its arguments, with `text` beside them."""
    return AIMessage(text, tool_calls=[tool_call(name=name, args=args, id=None) for name, args in made])


def truncated(text: str = "") -> AIMessage:
    """Return a reply that was cut at the output limit."""
    return AIMessage(text, response_metadata={"finish_reason": "length"})


def refused(text: str = "I can't help with that.") -> AIMessage:
    """Return a reply in which the provider reports a refusal."""
    return AIMessage("", additional_kwargs={"refusal": text}, response_metadata={"finish_reason": "stop"})


def status(code: int, *, retry_after: float | None = None, message: str = "scripted failure") -> HTTPFault:
    """Return an HTTP error as a reply; `retry_after` (seconds) is sent as the header of that name."""
    return HTTPFault(code, message, {} if retry_after is None else {"retry-after": str(retry_after)})


def as_message(reply: Reply, *, wanted: str | None, number: int, prompt: Sequence[BaseMessage]) -> AIMessage:
    """Return a reply as a message with token counts. `wanted` is the one tool that a structured answer has to call.

    `number` counts the calls of the model; calls without an id are named after it.
    """
    if isinstance(reply, BaseModel) and not isinstance(reply, AIMessage):
        reply = reply.model_dump(mode="json")
    if isinstance(reply, dict):
        reply = calls((wanted, reply)) if wanted else json.dumps(reply, ensure_ascii=False)
    message = reply.model_copy() if isinstance(reply, AIMessage) else AIMessage(str(reply))
    message.tool_calls = [
        {**call, "id": call["id"] or f"call_{number}_{position}"} for position, call in enumerate(message.tool_calls, 1)
    ]
    ending = {"finish_reason": "tool_calls" if message.tool_calls else "stop"}
    message.response_metadata = {"model_name": "scripted", **ending, **message.response_metadata}
    message.usage_metadata = message.usage_metadata or _usage(prompt, message)
    return message


def _usage(prompt: Sequence[BaseMessage], message: AIMessage) -> UsageMetadata:
    """Return rough token counts: what matters in tests is that they are there and add up."""
    asked = sum(len(each.text) for each in prompt) // _CHARACTERS_PER_TOKEN + 1
    written = message.text + "".join(json.dumps(call["args"]) for call in message.tool_calls)
    answered = len(written) // _CHARACTERS_PER_TOKEN + 1
    return UsageMetadata(input_tokens=asked, output_tokens=answered, total_tokens=asked + answered)
