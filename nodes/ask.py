"""`ask`, the one place that asks a model: every model step of every graph is built here."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any, TypeVar

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, merge_message_runs
from langchain_core.messages.ai import UsageMetadata
from langchain_core.runnables import Runnable, RunnableConfig, RunnableLambda
from langchain_core.runnables.config import merge_configs
from langgraph.constants import TAG_NOSTREAM
from langgraph.errors import GraphBubbleUp
from langgraph.runtime import get_runtime
from pydantic import BaseModel

from previously.nodes.answers import ENDINGS, check_ending, read_answer
from previously.nodes.calls import Call, ToolSpec, ToolStep, read_calls
from previously.nodes.failures import detail_of, failure_of, retry_after, status_of, usage_of
from previously.nodes.requests import (
    Asked,
    Way,
    Ways,
    acall,
    as_plain,
    call,
    described,
    message_of,
    output_limit,
    single_attempt,
)
from previously.nodes.services import Services
from previously.prompts.frame import cut_middle
from previously.prompts.registry import get_prompt
from previously.state.errors import Failure, ModelFailed
from previously.state.paths import label

__all__ = ("Call", "ToolSpec", "ToolStep", "ask")

S = TypeVar("S", bound=Mapping[str, Any])
Update = dict[str, Any]
_FIRST_PAUSE = 0.5
"""Seconds before the second request; doubled for each further one."""
_LONGEST_PAUSE = 8.0
"""A provider that asks for a longer pause than this is not asked again in this step."""
_SHOWN = 4_000
"""Characters of a bad answer that the model sees again in the round of repair."""
_REPAIRABLE = {Failure.MALFORMED, Failure.INVALID, Failure.EMPTY}
_VERSION = version("previously")
_HASH = 16


@dataclass(frozen=True, kw_only=True)
class _Request:
    asked: Asked
    messages: list[BaseMessage]
    seconds: float


@dataclass(frozen=True, kw_only=True)
class _Pause:
    seconds: float


@dataclass(frozen=True, kw_only=True)
class _Limit:
    """When a step has to end, and what it means to be stopped then: its own time is up, or that of the whole run."""

    ends: float
    failure: Failure

    @classmethod
    def of(cls, state: Mapping[str, Any], timeout: float) -> _Limit:
        own = time.time() + timeout
        run = min(state.get(name) or own for name in ("deadline_at", "stop_at"))
        return cls(ends=run, failure=Failure.DEADLINE) if run < own else cls(ends=own, failure=Failure.TIMEOUT)

    def left(self) -> float:
        return self.ends - time.time()


Exchange = Generator[_Request | _Pause, Any, Update]


@dataclass(kw_only=True)
class _Cost:
    """What one step cost; see `state.usage`."""

    step: str
    calls: int = 0
    repairs: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0

    def add(self, usage: UsageMetadata | None) -> None:
        if usage:
            self.input_tokens += usage["input_tokens"]
            self.output_tokens += usage["output_tokens"]
            self.cached_tokens += usage.get("input_token_details", {}).get("cache_read", 0)


def ask(
    services: Services,
    name: str,
    *,
    prompt: str,
    prepare: Callable[[S], Mapping[str, str] | None],
    accept: Callable[[S, Any], Update],
    failed: Callable[[S, Failure, str], Update],
    answer: type[BaseModel] | None = None,
    tools: Sequence[ToolSpec] = (),
    history: Callable[[S], list[BaseMessage]] | None = None,
    timeout: float | None = None,
) -> Runnable[S, Update]:
    """Return a node that asks the memory model for one answer, in a graph or on its own, sync or async.

    `prepare` turns the state into the variables of `prompt` (`None`: nothing to ask, the update is empty); `accept`
    turns the checked answer into a state update: an `answer`, or with `tools` a `ToolStep`; `failed` does so for what
    went wrong, with a short line about it. `history` is what was said in a tool loop so far.

    The state's `language` chooses the prompt (English without one). The step takes `timeout` seconds at the most
    (`Settings.step_timeout`), and ends by `deadline_at` or `stop_at` of the state (epoch seconds). It sends at most
    `Settings.requests` requests, one round of repair included. No error of a model leaves the node. The update also
    holds `usage`, a list with one entry, when a request was sent.
    """
    step = _Step(services=services, name=name, prompt=prompt, answer=answer, tools=tuple(tools), timeout=timeout)

    def exchange(state: S) -> Exchange:
        variables = prepare(state)
        if variables is None:
            return {}
        cost = _Cost(step=name)
        try:
            found = yield from step.run(state, variables, history(state) if history else [], cost)
        except ModelFailed as error:
            update = failed(state, error.failure, error.detail)
        else:
            update = accept(state, found)
        return {**update, "usage": [vars(cost)]} if cost.calls else update

    def invoke(state: S, config: RunnableConfig) -> Update:
        return _drive(exchange(state), step.config(config))

    async def ainvoke(state: S, config: RunnableConfig) -> Update:
        return await _adrive(exchange(state), step.config(config))

    return RunnableLambda(invoke, ainvoke, name=name)


@dataclass(kw_only=True)
class _Step:
    """One kind of model step, with what it learned about the model's ways."""

    services: Services
    name: str
    prompt: str
    answer: type[BaseModel] | None
    tools: tuple[ToolSpec, ...]
    timeout: float | None
    ways: Ways = field(init=False)
    budget: int = field(init=False)

    def __post_init__(self) -> None:
        settings = self.services.settings
        self.timeout = self.timeout or settings.step_timeout
        model = single_attempt(self.services.model, settings.max_output_tokens, self.timeout)
        self.ways = Ways(model, self.answer, self.tools)
        self.budget = output_limit(model, settings.max_output_tokens)

    def config(self, config: RunnableConfig) -> RunnableConfig:
        """Return the run's config as our own calls carry it: named, tagged, and kept out of the host's token stream."""
        metadata = {"previously_step": self.name, "previously_version": _VERSION}
        if runtime := get_runtime():
            metadata["previously_space"] = label(self.services.context(runtime).space)[-_HASH:]
        own: RunnableConfig = {
            "run_name": f"previously.{self.name}",
            "tags": [TAG_NOSTREAM, "previously"],
            "metadata": metadata,
        }
        return merge_configs(config, own)

    def run(
        self, state: Mapping[str, Any], variables: Mapping[str, str], past: list[BaseMessage], cost: _Cost
    ) -> Generator[_Request | _Pause, Any, Any]:
        """Ask, and tell the model once what was wrong with its answer. Yields what is to be done next."""
        language = state.get("language") or "en"
        limit = _Limit.of(state, self.timeout or 0)
        messages = [*get_prompt(self.prompt, language).messages(**variables), *past]
        said = ""
        try:
            message = yield from self._send(messages, language, limit, cost)
            said = _said(message)
            return self._read(message)
        except ModelFailed as error:
            if error.failure not in _REPAIRABLE or cost.calls >= self.services.settings.requests:
                raise
            cost.repairs += 1
            told = [*([AIMessage(said)] if said else []), HumanMessage(self._repair(error.detail, language))]
        message = yield from self._send(_joined(messages, told), language, limit, cost)
        return self._read(message)

    def _repair(self, fault: str, language: str) -> str:
        told = get_prompt("repair", language).text(error=fault)
        return f"{told}\n\n{self._form(language)}" if self.answer else told

    def _form(self, language: str) -> str:
        """Return the form of the answer in words."""
        schema = json.dumps(self.ways.form, ensure_ascii=False)
        return get_prompt("json_answer", language).text(schema=schema)

    def _read(self, message: AIMessage) -> Any:
        check_ending(message, self.budget)
        return read_answer(message, self.answer) if self.answer else read_calls(message, self.tools)

    def _send(
        self, messages: list[BaseMessage], language: str, limit: _Limit, cost: _Cost
    ) -> Generator[_Request | _Pause, Any, AIMessage]:
        """Send until the provider answers; what may pass is tried again while requests and time are left."""
        breaker, settings = self.services.breaker, self.services.settings
        met: ModelFailed | None = None
        while True:
            if (seconds := limit.left()) <= 0:
                raise met or ModelFailed(limit.failure, "no time was left for this step")
            if not breaker.allows():
                raise met or ModelFailed(Failure.CIRCUIT_OPEN, "the provider failed repeatedly a moment ago")
            way = self.ways.current()
            cost.calls += 1
            outcome = yield _Request(asked=way.asked, messages=self._shown(messages, way, language), seconds=seconds)
            if not isinstance(outcome, Exception):
                breaker.succeeded()
                message = message_of(outcome)
                cost.add(message.usage_metadata)
                return message
            cost.add(usage_of(outcome))
            met = self._met(outcome, limit)
            more = cost.calls < settings.requests
            if self.ways.refused(outcome) and more:
                continue
            pause = max(retry_after(outcome), min(_LONGEST_PAUSE, _FIRST_PAUSE * 2 ** (cost.calls - 1)))
            if not (more and met.failure.retryable and pause < min(_LONGEST_PAUSE + 1, limit.left())):
                raise met from outcome
            yield _Pause(seconds=pause)

    def _shown(self, messages: list[BaseMessage], way: Way, language: str) -> list[BaseMessage]:
        shown = as_plain(messages) if way.plain else messages
        return described(shown, self._form(language)) if way.in_words else shown

    def _met(self, error: Exception, limit: _Limit) -> ModelFailed:
        """Return what an error means, and let the breaker know whether the provider is there at all."""
        failure, detail = failure_of(error), detail_of(error)
        if failure is Failure.TIMEOUT and limit.left() <= 0:
            failure = limit.failure
        elif failure in ENDINGS:
            detail = ENDINGS[failure].format(self.budget)
        if failure.retryable:
            self.services.breaker.failed()
        elif status_of(error) is not None:
            self.services.breaker.succeeded()
        return ModelFailed(failure, detail)


def _said(message: AIMessage) -> str:
    """Return a bad answer as text, so that the model sees what it has to mend."""
    args = [call["args"] for call in (*message.tool_calls, *message.invalid_tool_calls)]
    written = [text if isinstance(text, str) else json.dumps(text, ensure_ascii=False) for text in args]
    return cut_middle("\n".join(part for part in (message.text, *written) if part), _SHOWN)


def _joined(messages: list[BaseMessage], told: list[BaseMessage]) -> list[BaseMessage]:
    """Return the prompt with what is told after it. Some models refuse two user messages in a row: they become one."""
    return [*messages[:-1], *merge_message_runs([messages[-1], *told])]


def _drive(exchange: Exchange, config: RunnableConfig) -> Update:
    """Carry out an exchange on this thread."""
    todo = _advance(exchange, None)
    while not isinstance(todo, dict):
        outcome: Any = None
        try:
            if isinstance(todo, _Pause):
                time.sleep(todo.seconds)
            else:
                outcome = call(todo.asked, todo.messages, config, todo.seconds)
        except GraphBubbleUp:
            raise
        except Exception as error:  # noqa: BLE001 - a model may raise anything; the host never sees it
            outcome = error
        todo = _advance(exchange, outcome)
    return todo


async def _adrive(exchange: Exchange, config: RunnableConfig) -> Update:
    """Carry out an exchange on the running loop."""
    todo = _advance(exchange, None)
    while not isinstance(todo, dict):
        outcome: Any = None
        try:
            if isinstance(todo, _Pause):
                await asyncio.sleep(todo.seconds)
            else:
                outcome = await acall(todo.asked, todo.messages, config, todo.seconds)
        except GraphBubbleUp:
            raise
        except Exception as error:  # noqa: BLE001 - as above
            outcome = error
        todo = _advance(exchange, outcome)
    return todo


def _advance(exchange: Exchange, outcome: Any) -> _Request | _Pause | Update:
    try:
        return exchange.send(outcome)
    except StopIteration as done:
        update: Update = done.value
        return update
