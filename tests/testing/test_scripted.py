from __future__ import annotations

import asyncio
import json
import threading
import time
from typing import Any

import pytest
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage
from langchain_core.tools import tool
from pydantic import BaseModel

from previously.testing import (
    Dropped,
    Hang,
    ModelCall,
    ScriptedChatModel,
    ScriptExhausted,
    calls,
    refused,
    status,
    truncated,
)


class Answer(BaseModel):
    """An answer."""

    score: int


@tool
def look(query: str) -> str:
    """Look something up."""
    return query


def test_replies_come_one_after_the_other_and_every_call_is_recorded() -> None:
    model = ScriptedChatModel(["one", AIMessage("two")])
    assert [model.invoke("a").text, model.invoke([HumanMessage("b")]).text] == ["one", "two"]
    assert [call.prompt for call in model.calls] == ["a", "b"]
    assert model.calls[0].step == ""


async def test_it_answers_async_and_streams() -> None:
    model = ScriptedChatModel(lambda _call: calls(("look", {"query": "x"}), text="a few words here"))
    assert (await model.ainvoke("hi")).text == "a few words here"
    pieces = list(model.stream("hi"))
    assert len(pieces) == 5
    whole: Any = sum(pieces[1:], start=pieces[0])
    assert isinstance(whole, AIMessageChunk)
    assert whole.text == "a few words here"
    assert whole.tool_calls[0]["args"] == {"query": "x"}
    assert whole.usage_metadata["output_tokens"] > 0
    assert "".join([piece.text async for piece in model.astream("hi")]) == "a few words here"


def test_a_structured_answer_takes_the_form_that_is_asked_for() -> None:
    model = ScriptedChatModel(lambda _call: {"score": 3})
    assert model.with_structured_output(Answer).invoke("rate") == Answer(score=3)
    assert json.loads(model.invoke("rate").text) == {"score": 3}
    by_model = ScriptedChatModel([Answer(score=4)])
    assert by_model.with_structured_output(Answer, method="json_schema").invoke("rate") == Answer(score=4)


def test_tools_are_bound_and_called_with_ids_of_their_own() -> None:
    model = ScriptedChatModel(lambda _call: calls(("look", {"query": "a"}), ("look", {"query": "b"})))
    bound = model.bind_tools([look])
    ids = [call["id"] for _ in range(2) for call in bound.invoke("go").tool_calls]
    assert len(set(ids)) == 4
    assert model.calls[0].tools == ("look",)


def test_a_model_that_calls_no_tools_binds_none() -> None:
    with pytest.raises(NotImplementedError):
        ScriptedChatModel(["x"], calls_tools=False).bind_tools([look])


def test_keys_choose_by_step_then_tool_then_prompt_then_the_rest() -> None:
    model = ScriptedChatModel({"rate": "by step", "look": "by tool", "weather": ["first", "second"], "": "else"})
    step = {"metadata": {"previously_step": "rate"}}
    assert model.invoke("weather", step).text == "by step"
    assert model.bind_tools([look]).invoke("weather").text == "by tool"
    assert [model.invoke("the weather?").text, model.invoke("weather").text] == ["first", "second"]
    assert model.invoke("hello").text == "else"
    assert model.calls[0].step == "rate"
    with pytest.raises(ScriptExhausted, match="'weather'"):
        model.invoke("weather again")


def test_a_function_sees_the_call() -> None:
    def script(call: ModelCall) -> str:
        return call.prompt.upper()

    assert ScriptedChatModel(script).invoke("hi").text == "HI"


@pytest.mark.parametrize("script", [[], {"x": "y"}])
def test_a_call_beyond_the_script_is_named(script: Any) -> None:
    model = ScriptedChatModel(script)
    with pytest.raises(ScriptExhausted, match="rate"):
        model.invoke("hello", {"metadata": {"previously_step": "rate"}})
    assert len(model.calls) == 1


@pytest.mark.parametrize("error", [ValueError("no"), Dropped(), status(429, retry_after=2)])
async def test_errors_are_raised(error: Exception) -> None:
    model = ScriptedChatModel(lambda _call: error)
    with pytest.raises(type(error)):
        model.invoke("x")
    with pytest.raises(type(error)):
        await model.ainvoke("x")
    with pytest.raises(type(error)):
        list(model.stream("x"))


def test_endings_are_reported_as_providers_do() -> None:
    model = ScriptedChatModel([truncated("half"), refused(), "all"])
    endings = [model.invoke("x") for _ in range(3)]
    assert [message.response_metadata["finish_reason"] for message in endings] == ["length", "stop", "stop"]
    assert endings[1].additional_kwargs["refusal"]


async def test_a_hang_waits_then_answers_and_can_be_cancelled() -> None:
    model = ScriptedChatModel(lambda _call: Hang(0.05, "late"))
    began = time.monotonic()
    assert model.invoke("x").text == (await model.ainvoke("x")).text == "late"
    assert time.monotonic() - began >= 0.1
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await ScriptedChatModel([Hang(30)]).ainvoke("x")


def test_many_threads_share_one_script() -> None:
    model = ScriptedChatModel([str(number) for number in range(40)])
    seen: list[str] = []
    threads = [threading.Thread(target=lambda: seen.extend(model.invoke("x").text for _ in range(5))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(map(int, seen)) == list(range(40))
    assert len(model.calls) == 40


def test_a_reply_that_is_used_again_is_not_changed() -> None:
    reply = calls(("look", {"query": "x"}))
    model = ScriptedChatModel(lambda _call: reply)
    assert model.invoke("x").tool_calls[0]["id"] != model.invoke("x").tool_calls[0]["id"]
    assert reply.tool_calls[0]["id"] is None
