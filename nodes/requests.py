"""How one model is asked: which way of answering it takes, one request at a time, never longer than allowed."""

from __future__ import annotations

import asyncio
import contextvars
import json
import queue
import re
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage, merge_message_runs
from langchain_core.runnables import Runnable, RunnableConfig, RunnableSequence
from pydantic import BaseModel

from previously.nodes.calls import ToolSpec
from previously.nodes.failures import status_of
from previously.nodes.schemas import answer_schema, calls_schema, tool_schema

Asked = Runnable[list[BaseMessage], Any]
_UNSUPPORTED = {400, 404, 422, 501}
_ABOUT_FORM = re.compile(
    r"response.?format|json|schema|tool|function|structured|grammar|not (?:supported|implemented)", re.IGNORECASE
)
_CLIENTS: dict[tuple[str, str], dict[str, str]] = {
    ("root_client", "client"): {},
    # A connection that is kept belongs to its event loop, and the next step may run on another.
    ("root_async_client", "async_client"): {"Connection": "close"},
}
_BUDGETS = ("max_tokens", "max_output_tokens", "num_predict")
_TIMEOUTS = ("request_timeout", "default_request_timeout", "timeout")


def single_attempt(model: BaseChatModel, max_tokens: int, seconds: float) -> BaseChatModel:
    """Return a copy of the model for requests of ours: one attempt each, bounded in tokens and seconds, not streamed.

    Retries of its own would multiply with ours; a request left behind must end some day; a streamed answer reports no
    usage with many servers. What the model has no setting for stays as it is.
    """
    fields = type(model).model_fields
    changes: dict[str, Any] = {"max_retries": 0} if "max_retries" in fields else {}
    for names, limit in ((_BUDGETS, max_tokens), (_TIMEOUTS, seconds)):
        changes |= {name: _lower(getattr(model, name), limit) for name in names if name in fields}
    if not getattr(model, "streaming", False):
        changes["disable_streaming"] = True
    for (root, client), headers in _CLIENTS.items():
        found: Any = getattr(model, root, None)
        if hasattr(found, "with_options"):  # clients of the OpenAI family keep the options that they were made with
            timeout = changes.get("request_timeout", seconds)
            changes[root] = found.with_options(max_retries=0, timeout=timeout, default_headers=headers)
            changes[client] = changes[root].chat.completions
    copy = model.model_copy(update=changes)
    for name in copy.__dict__.keys() - fields.keys():
        if isinstance(getattr(type(copy), name, None), cached_property):
            del copy.__dict__[name]  # clients of other families are cached with their old options
    return copy


def output_limit(model: BaseChatModel, default: int) -> int:
    """Return the output limit of a prepared model, in tokens; `default` when it has no such setting."""
    limits = (getattr(model, name, None) for name in _BUDGETS)
    return next((limit for limit in limits if isinstance(limit, int)), default)


def _lower(value: Any, limit: float) -> Any:
    """Return the user's own setting where it is tighter, or of a kind of its own."""
    if value is None or (isinstance(value, (int, float)) and (value > limit or value < 0)):
        return limit
    return value


@dataclass(frozen=True, kw_only=True)
class Way:
    """One way of getting the answer out of a model."""

    asked: Asked
    in_words: bool = False
    """Whether the prompt has to describe the form of the answer, because nothing else tells the model."""
    plain: bool = False
    """Whether tool calls and their results have to be written as text."""


class Ways:
    """The ways to get a structured answer or tool calls from one model, best first; one that fails is left for good."""

    def __init__(self, model: BaseChatModel, answer: type[BaseModel] | None, tools: Sequence[ToolSpec]) -> None:
        """`answer` is the model of a structured answer; without one, `tools` are those of a tool loop."""
        self.form = answer_schema(answer) if answer else calls_schema(tools)
        """JSON Schema of the answer where it is text."""
        profile = getattr(model, "profile", None) or {}
        self._ways: list[Callable[[], Way]] = []
        if answer:
            if profile.get("structured_output") is not False:
                self._ways.append(lambda: Way(asked=_structured(model, self.form, "json_schema", strict=True)))
            if profile.get("tool_calling") is not False:
                self._ways.append(lambda: Way(asked=_structured(model, self.form, "function_calling")))
            self._ways.append(lambda: Way(asked=_structured(model, self.form, "json_mode"), in_words=True))
        elif profile.get("tool_calling") is not False:
            self._ways.append(lambda: Way(asked=model.bind_tools([tool_schema(tool) for tool in tools])))
        self._ways.append(lambda: Way(asked=model, in_words=True, plain=True))
        self._at = 0

    def current(self) -> Way:
        """Return the best way that is not known to fail."""
        while True:
            at = self._at
            try:
                return self._ways[at]()
            except (NotImplementedError, ValueError, TypeError):
                if not self._leave(at):
                    raise

    def refused(self, error: BaseException) -> bool:
        """Note that a request failed; whether it may be for its form, so that the next way is worth a request."""
        if isinstance(error, NotImplementedError):
            return self._leave(self._at)
        return status_of(error) in _UNSUPPORTED and bool(_ABOUT_FORM.search(str(error))) and self._leave(self._at)

    def _leave(self, at: int) -> bool:
        if at + 1 >= len(self._ways):
            return False
        self._at = max(self._at, at + 1)  # another thread may have gone further
        return True


def _structured(model: BaseChatModel, schema: dict[str, Any], method: str, **options: Any) -> Asked:
    """Return the model bound for a structured answer, without the parser behind it: we read the answer ourselves."""
    try:
        bound = model.with_structured_output(schema, method=method, **options)
    except (TypeError, ValueError):  # not every provider knows every option
        bound = model.with_structured_output(schema)
    return bound.first if isinstance(bound, RunnableSequence) else bound


def message_of(result: Any) -> AIMessage:
    """Return what a `Way` answered as a message; a model of its own make may have parsed the answer already."""
    if isinstance(result, AIMessage):
        return result
    if isinstance(result, BaseMessage):
        return AIMessage(result.text)
    if isinstance(result, BaseModel):
        return AIMessage(result.model_dump_json())
    return AIMessage(result if isinstance(result, str) else json.dumps(result, default=str))


def described(messages: Sequence[BaseMessage], form: str) -> list[BaseMessage]:
    """Return the prompt with the form of the answer in its fixed part, so that calls go on sharing their prefix."""
    first, *rest = messages
    if isinstance(first, SystemMessage):
        return [SystemMessage(f"{first.text}\n\n{form}"), *rest]
    return [SystemMessage(form), *messages]


def as_plain(messages: Sequence[BaseMessage]) -> list[BaseMessage]:
    """Return a tool loop for a model without tools: calls as the JSON that it writes, results as what it is told."""
    return merge_message_runs([_plain(message) for message in messages])


def _plain(message: BaseMessage) -> BaseMessage:
    if isinstance(message, ToolMessage):
        return HumanMessage(f"{message.name or message.tool_call_id}: {message.text}")
    if isinstance(message, AIMessage) and message.tool_calls:
        calls = [{"name": call["name"], "args": call["args"]} for call in message.tool_calls]
        return AIMessage(json.dumps({"calls": calls}, ensure_ascii=False))
    return message


def call(asked: Asked, messages: list[BaseMessage], config: RunnableConfig, seconds: float) -> Any:
    """Ask in a thread of its own, so that a provider that hangs can be left behind. Raises `TimeoutError`."""
    results: queue.SimpleQueue[tuple[Any, BaseException | None]] = queue.SimpleQueue()
    context = contextvars.copy_context()

    def work() -> None:
        try:
            results.put((context.run(asked.invoke, messages, config), None))
        except BaseException as error:  # noqa: BLE001 - handed to the thread that waits, which raises it
            results.put((None, error))

    threading.Thread(target=work, name="previously-ask", daemon=True).start()
    try:
        result, error = results.get(timeout=seconds)
    except queue.Empty:
        raise TimeoutError(f"no answer within {seconds:.1f} s") from None
    if error is not None:
        raise error
    return result


async def acall(asked: Asked, messages: list[BaseMessage], config: RunnableConfig, seconds: float) -> Any:
    """Ask on the running loop. Raises `TimeoutError`."""
    async with asyncio.timeout(seconds):
        return await asked.ainvoke(messages, config)
