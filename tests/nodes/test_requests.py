"""How a model is prepared for our requests, and how a request is bounded."""

from __future__ import annotations

import asyncio
import threading
import time
from functools import cached_property
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.runnables import RunnableLambda
from langchain_openai import ChatOpenAI
from pydantic import BaseModel

from previously.nodes.requests import Ways, acall, call, message_of, output_limit, single_attempt
from previously.testing import LoopbackServer, ScriptedChatModel, status


class Answer(BaseModel):
    """An answer."""

    score: int


def openai(**fields: Any) -> ChatOpenAI:
    return ChatOpenAI(model="m", base_url="http://127.0.0.1:9/v1", api_key="k", **fields)


def test_the_copy_makes_one_attempt_and_the_model_itself_keeps_its_own() -> None:
    model = openai(max_retries=4, default_headers={"X-Mine": "1"})
    copy: Any = single_attempt(model, 500, 7)
    assert copy.max_retries == copy.root_client.max_retries == copy.root_async_client.max_retries == 0
    assert copy.root_client.timeout == copy.root_async_client.timeout == 7
    assert copy.max_tokens == 500
    assert copy.root_client.default_headers["X-Mine"] == "1"
    assert copy.client._client is copy.root_client
    assert copy.async_client._client is copy.root_async_client
    assert (model.max_retries, model.max_tokens, model.root_client.max_retries) == (4, None, 4)


def test_tighter_limits_of_the_user_are_kept() -> None:
    copy: Any = single_attempt(openai(max_tokens=50, timeout=3), 500, 7)
    assert (copy.max_tokens, copy.request_timeout, copy.root_client.timeout) == (50, 3, 3)
    copy = single_attempt(openai(max_tokens=5_000, timeout=60), 500, 7)
    assert (copy.max_tokens, copy.request_timeout, copy.root_client.timeout) == (500, 7, 7)


def test_a_model_without_such_settings_is_only_kept_from_streaming() -> None:
    model = single_attempt(ScriptedChatModel([]), 500, 7)
    assert model.disable_streaming is True
    assert "max_tokens" not in model.__dict__


class Cached(ScriptedChatModel):
    """A model of a family that makes its client when it is first needed."""

    max_retries: int = 2
    max_tokens: int = 0

    @cached_property
    def client(self) -> list[int]:
        return [self.max_retries]


def test_a_client_that_was_cached_before_is_made_again_for_the_copy() -> None:
    model = Cached(["one", "two"])
    assert model.client == [2]
    copy: Any = single_attempt(model, 500, 7)
    assert copy.client == [0]
    assert [model.invoke("x").text, copy.invoke("x").text] == ["one", "two"]


def test_the_output_limit_that_holds_is_known() -> None:
    assert output_limit(single_attempt(openai(max_tokens=50), 500, 7), 500) == 50
    assert output_limit(ScriptedChatModel([]), 500) == 500


def test_a_dead_provider_sees_one_request_for_one_attempt() -> None:
    with LoopbackServer(lambda _call: status(500)) as server:
        model = single_attempt(server.chat_model(max_retries=3), 500, 7)
        with pytest.raises(Exception, match="scripted failure"):
            model.invoke("hi")
        with pytest.raises(Exception, match="scripted failure"):
            asyncio.run(model.ainvoke("hi"))
        assert len(server.requests) == 2


def test_ways_are_left_for_good_and_never_past_the_last() -> None:
    ways = Ways(openai(), Answer, ())
    error = status(400, message="response_format is not supported")
    assert [ways.refused(error) for _ in range(5)] == [True, True, True, False, False]
    last = ways.current()
    assert last.in_words
    assert last.plain


@pytest.mark.parametrize(
    "error", [status(400, message="bad request"), status(500, message="json_schema"), ValueError()]
)
def test_an_error_that_is_not_about_the_form_keeps_the_way(error: Exception) -> None:
    assert not Ways(openai(), Answer, ()).refused(error)


def test_a_profile_that_denies_a_form_spares_the_request() -> None:
    ways = Ways(openai(profile={"structured_output": False, "tool_calling": False}), Answer, ())
    assert ways.current().in_words


def test_a_hanging_request_is_left_behind_in_a_thread_that_does_not_keep_the_process_alive() -> None:
    stop = threading.Event()
    slow: Any = RunnableLambda(lambda _messages: stop.wait(30))
    began, before = time.monotonic(), set(threading.enumerate())
    with pytest.raises(TimeoutError):
        call(slow, [HumanMessage("hi")], {}, 0.1)
    assert time.monotonic() - began < 2
    (left,) = set(threading.enumerate()) - before
    assert left.daemon
    stop.set()
    left.join(5)
    assert not left.is_alive()


def test_what_a_request_raises_reaches_who_asked() -> None:
    def fail(_messages: Any) -> AIMessage:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        call(RunnableLambda(fail), [HumanMessage("hi")], {}, 5)


async def test_an_async_request_is_bounded_too() -> None:
    async def slow(_messages: Any) -> AIMessage:
        await asyncio.sleep(30)
        return AIMessage("late")

    with pytest.raises(TimeoutError):
        await acall(RunnableLambda(slow), [HumanMessage("hi")], {}, 0.05)


@pytest.mark.parametrize(
    ("result", "text"),
    [
        (AIMessage("hi"), "hi"),
        (HumanMessage("hi"), "hi"),
        ("hi", "hi"),
        (Answer(score=3), '{"score":3}'),
        ({"score": 3}, '{"score": 3}'),
    ],
)
def test_whatever_a_model_of_its_own_make_returns_is_a_message(result: Any, text: str) -> None:
    assert message_of(result).text == text
