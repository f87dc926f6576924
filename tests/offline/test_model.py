from __future__ import annotations

import json

import pytest
from langchain_core.messages import AIMessageChunk, HumanMessage, SystemMessage, ToolMessage
from langchain_core.tools import tool

from previously.offline import MODEL_NAME, OfflineChatModel
from previously.prompts.analyze import TurnAnalysis
from previously.prompts.frame import frame
from previously.prompts.registry import get_prompt

from .prompting import TOOLS, analysis_prompt, card_prompt, row

TURN = analysis_prompt([row("m1", "Please stop using emojis.")])


@tool
def weather(city: str) -> str:
    """Tell the weather."""
    return f"sunny in {city}"


def test_it_is_labelled_as_rule_based_and_counts_tokens() -> None:
    answer = OfflineChatModel().invoke("hello")
    assert OfflineChatModel()._llm_type == "previously-offline"
    assert answer.response_metadata["model_name"] == MODEL_NAME
    assert answer.usage_metadata is not None
    assert answer.usage_metadata["input_tokens"] == 2
    assert answer.usage_metadata["total_tokens"] == 2 + answer.usage_metadata["output_tokens"]


@pytest.mark.parametrize("method", ["json_schema", "function_calling", "json_mode"])
def test_every_way_of_structured_output_gives_an_analysis(method: str) -> None:
    model = OfflineChatModel().with_structured_output(TurnAnalysis, method=method)
    answer = model.invoke(TURN)
    assert isinstance(answer, TurnAnalysis)
    assert answer.memory_update is not None


def test_a_schema_as_a_dict_and_the_raw_message() -> None:
    model = OfflineChatModel().with_structured_output(TurnAnalysis.model_json_schema(), include_raw=True)
    answer = model.invoke(TURN)
    assert answer["parsed"]["memory_update"]["section"] == "self_model"
    assert answer["raw"].usage_metadata["output_tokens"] > 0


def test_a_schema_in_words_gives_json_text() -> None:
    asked = get_prompt("json_answer", "en").text(schema=json.dumps(TurnAnalysis.model_json_schema()))
    answer = OfflineChatModel().invoke([*TURN, HumanMessage(asked)])
    assert TurnAnalysis.model_validate_json(answer.text).memory_update is not None
    assert not answer.tool_calls


async def test_sync_async_and_streams_agree() -> None:
    model = OfflineChatModel().bind_tools(TOOLS)
    prompt = card_prompt([row("m1", "My name is Alex. 我住在杭州。")])
    said = model.invoke(prompt)
    for chunks in (list(model.stream(prompt)), [chunk async for chunk in model.astream(prompt)]):
        whole = chunks[0]
        for chunk in chunks[1:]:
            whole += chunk
        assert isinstance(whole, AIMessageChunk)
        assert whole.tool_calls == said.tool_calls
        assert whole.usage_metadata == said.usage_metadata
    assert (await model.ainvoke(prompt)).tool_calls == said.tool_calls


def test_a_reply_streams_in_words() -> None:
    pieces = [chunk.text for chunk in OfflineChatModel().stream("hello there")]
    assert len(pieces) > 2
    assert "".join(pieces) == OfflineChatModel().invoke("hello there").text


def test_a_host_s_tools_are_not_called() -> None:
    answer = OfflineChatModel().bind_tools([weather]).invoke("What is the weather in Rome?")
    assert not answer.tool_calls
    assert answer.text


def test_a_tool_result_is_handed_on() -> None:
    answer = OfflineChatModel().invoke([HumanMessage("weather?"), ToolMessage("sunny in Rome", tool_call_id="1")])
    assert answer.text == "sunny in Rome"


CARD = """\
# Previously On

## Identity

- Name: Alex

- Address them as: Al

## Past

Alex loves tea.

## Horizon

- Alex has an exam — by: 2026-08-14 (in 3 days) — refs: [2026/08/10/2030]
"""


@pytest.mark.parametrize(
    ("said", "part"),
    [
        ("What's my name?", "Alex"),
        ("我叫什么？", "Alex"),
        ("What do you know about me?", "Alex loves tea"),
        ("你知道我什么？", "Alex loves tea"),
        ("What are my plans?", "Alex has an exam (2026-08-14)"),
        ("Hello!", "Al!"),
        ("Thanks!", "welcome"),
        ("That's wrong.", "Sorry"),
        ("Stop using emojis.", "stick to that"),
        ("以后别用表情", "以后就这么办"),
        ("I have an exam tomorrow.", "date"),
        ("What is the capital of France?", "offline model"),
        ("法国的首都是哪里？", "离线模型"),
    ],
)
def test_replies(said: str, part: str) -> None:
    block = get_prompt("memory_block", "en").text(card=CARD, as_of="2026-08-11")
    assert part in OfflineChatModel().invoke([SystemMessage(f"You are kind.\n\n{block}"), HumanMessage(said)]).text


def test_without_a_card_it_claims_to_know_nothing() -> None:
    assert "Nothing yet" in OfflineChatModel().invoke("What do you know about me?").text


def test_an_overdue_plan_in_the_note_is_asked_about() -> None:
    items = frame("items", [{"section": "horizon", "text": "Alex has an exam", "by": "2026-08-09"}])
    note = get_prompt("turn_brief", "en").text(items=items, today="2026-08-11")
    answer = OfflineChatModel().invoke([HumanMessage("Hello"), HumanMessage(note, name="memory")])
    assert answer.text.startswith("Hello")
    assert "Alex has an exam" in answer.text
