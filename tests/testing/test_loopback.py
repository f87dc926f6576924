from __future__ import annotations

import time
from typing import Any

import httpx
import openai
import pytest
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from pydantic import BaseModel

from previously.testing import Dropped, Garbage, Hang, LoopbackServer, calls, refused, status, truncated


class Answer(BaseModel):
    """An answer."""

    score: int


@tool
def look(query: str) -> str:
    """Look something up."""
    return query


async def test_it_answers_a_real_client() -> None:
    with LoopbackServer(["one", "two"]) as server:
        model = server.chat_model()
        assert model.invoke("a").text == "one"
        answer = await model.ainvoke("b")
        assert answer.text == "two"
        assert answer.usage_metadata
        assert answer.usage_metadata["input_tokens"] > 0
        assert [received.body["messages"][0]["content"] for received in server.requests] == ["a", "b"]
        assert b'"b"' in server.requests[1].raw
        assert server.requests[0].headers["authorization"] == "Bearer loopback"


async def test_it_streams() -> None:
    reply = calls(("look", {"query": "x"}), text="first line\nsecond line")
    with LoopbackServer(lambda _call: reply) as server:
        model = server.chat_model(stream_usage=True)
        chunks = list(model.stream("x"))
        whole: Any = sum(chunks[1:], start=chunks[0])
        assert whole.text == "first line\nsecond line"
        assert whole.tool_calls[0]["args"] == {"query": "x"}
        assert whole.usage_metadata["output_tokens"] > 0
        assert sum(bool(chunk.text) for chunk in chunks) == 2
        assert "".join([chunk.text async for chunk in model.astream("x")]) == "first line\nsecond line"


@pytest.mark.parametrize("method", ["json_schema", "function_calling", "json_mode"])
def test_a_structured_answer_takes_the_form_that_is_asked_for(method: Any) -> None:
    with LoopbackServer(lambda _call: {"score": 3}) as server:
        model = server.chat_model().with_structured_output(Answer, method=method)
        assert model.invoke("rate as JSON") == Answer(score=3)


def test_keys_choose_by_tool_or_prompt() -> None:
    with LoopbackServer({"look": "by tool", "weather": "by prompt", "": "else"}) as server:
        model = server.chat_model()
        assert model.bind_tools([look]).invoke("hi").text == "by tool"
        assert [model.invoke("weather?").text, model.invoke("hi").text] == ["by prompt", "else"]
        assert server.calls[0].tools == ("look",)


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        (status(500), openai.InternalServerError),
        (status(429), openai.RateLimitError),
        (status(400), openai.BadRequestError),
        (Dropped(), openai.APIConnectionError),
        (Garbage(), ValueError),
        (RuntimeError("a bug in the script"), openai.InternalServerError),
        (Hang(20), openai.APITimeoutError),
    ],
)
def test_faults_reach_the_client(reply: Any, error: type[Exception]) -> None:
    with LoopbackServer([reply]) as server, pytest.raises(error):
        server.chat_model(max_retries=0, timeout=0.3).invoke("x")


def test_headers_are_sent() -> None:
    with LoopbackServer([status(429, retry_after=7)]) as server:
        answer = httpx.post(f"{server.url}/chat/completions", json={"messages": []})
        assert answer.headers["retry-after"] == "7"
        assert answer.json()["error"]["message"] == "scripted failure"


def test_endings_are_on_the_wire() -> None:
    broken = AIMessage("", invalid_tool_calls=[{"name": "look", "args": "{oops", "id": "c1", "error": None}])
    with LoopbackServer([truncated("half"), refused("no"), broken]) as server:
        model = server.chat_model()
        assert model.invoke("x").response_metadata["finish_reason"] == "length"
        assert model.invoke("x").additional_kwargs["refusal"] == "no"
        assert model.invoke("x").invalid_tool_calls[0]["args"] == "{oops"


def test_a_call_beyond_the_script_and_another_path_are_refused() -> None:
    with LoopbackServer([]) as server:
        with pytest.raises(openai.APIStatusError, match="no reply left"):
            server.chat_model(max_retries=0).invoke("x")
        assert httpx.post(f"{server.url}/embeddings", json={}).status_code == 404


def test_it_stops_at_once_in_the_middle_of_a_hang() -> None:
    began = time.monotonic()
    with LoopbackServer([Hang(30)]) as server, pytest.raises(openai.APITimeoutError):
        server.chat_model(max_retries=0, timeout=0.1).invoke("x")
    assert time.monotonic() - began < 5
    with pytest.raises(openai.APIConnectionError):
        server.chat_model(max_retries=0, timeout=1).invoke("x")
