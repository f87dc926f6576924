"""One step of a tool loop: what counts as calls, and how models without tools take part."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.runnables import Runnable
from pydantic import BaseModel, Field

from previously.nodes.ask import Call, ToolSpec, ToolStep, ask
from previously.nodes.services import Services
from previously.state.errors import Failure
from previously.testing import Garbage, LoopbackServer, Reply, ScriptedChatModel, calls, status, truncated

pytestmark = pytest.mark.usefixtures("short_pauses")
ServicesFor = Callable[..., Services]
Run = Callable[[Runnable[Any, Any], dict[str, Any]], dict[str, Any]]


class AddNow(BaseModel):
    """Note something that is going on."""

    text: str = Field(description="One line.")
    refs: list[str] = Field(default_factory=list)


class Finish(BaseModel):
    reasoning: str = ""


TOOLS = (
    ToolSpec(name="add_now", description="Note it.", arguments=AddNow),
    ToolSpec(name="finish", description="End.", arguments=Finish),
)
ADD = ("add_now", {"text": "learns Go", "refs": ["m1"]})
ADD_JSON = '{"name": "add_now", "arguments": {"text": "learns Go", "refs": ["m1"]}}'
HISTORY: list[BaseMessage] = [
    AIMessage("", tool_calls=[{"name": "add_now", "args": {"text": "x"}, "id": "c1", "type": "tool_call"}]),
    ToolMessage("REJECTED: refs: none given", tool_call_id="c1", name="add_now"),
]


@pytest.fixture(params=["sync", "async"])
def run(request: pytest.FixtureRequest) -> Run:
    if request.param == "sync":
        return lambda step, state: step.invoke(state)
    return lambda step, state: asyncio.run(step.ainvoke(state))


def make_step(services: Services, **options: Any) -> Runnable[Any, Any]:
    return ask(
        services,
        "edit",
        prompt="repair",
        tools=TOOLS,
        prepare=lambda _state: {"error": "keep the card"},
        history=lambda state: state.get("history", []),
        accept=lambda _state, step: {"step": step},
        failed=lambda _state, failure, detail: {"failure": failure, "detail": detail},
        **options,
    )


def made(step: ToolStep) -> list[tuple[str, dict[str, Any]]]:
    return [(call.name, call.args) for call in step.calls]


ONE_CALL: dict[str, Reply] = {
    "a call": calls(ADD),
    "fenced JSON": f"```json\n{ADD_JSON}\n```",
    "JSON in prose": f"I will note this: {ADD_JSON} and then stop.",
    "after thinking": f"<think>finish()? no.</think>{ADD_JSON}",
    "tagged": f"<tool_call>\n{ADD_JSON}\n</tool_call>",
    "OpenAI's own shape": json.dumps({"tool_calls": [{"function": {"name": ADD[0], "arguments": json.dumps(ADD[1])}}]}),
    "a list of calls": f"[{ADD_JSON}]",
    "under calls": json.dumps({"calls": [{"name": ADD[0], "args": ADD[1]}]}),
    "the name as the key": json.dumps({ADD[0]: ADD[1]}),
    "arguments beside the name": json.dumps({"tool": ADD[0], **ADD[1]}),
    "ReAct": f"Thought: note it\nAction: add_now\nAction Input: {json.dumps(ADD[1])}",
    "a line of code": 'Let me:\n`add_now(text="learns Go", refs=["m1"])`',
    "a list argument as text": calls((ADD[0], {**ADD[1], "refs": '["m1"]'})),
    "broken arguments": AIMessage(
        "",
        invalid_tool_calls=[{"name": ADD[0], "args": "{'text': 'learns Go', refs: ['m1'],}", "id": "c", "error": ""}],
    ),
}


@pytest.mark.parametrize("reply", ONE_CALL.values(), ids=ONE_CALL)
def test_a_call_is_read_in_whatever_shape_it_comes(reply: Reply, run: Run, services_for: ServicesFor) -> None:
    update = run(make_step(services_for(ScriptedChatModel([reply]))), {})
    assert made(update["step"]) == [ADD]
    assert update["step"].calls[0].id


@pytest.mark.parametrize("reply", ONE_CALL.values(), ids=ONE_CALL)
def test_a_call_is_read_over_the_wire_too(reply: Reply, services_for: ServicesFor) -> None:
    with LoopbackServer([reply]) as server:
        assert made(make_step(services_for(server.chat_model())).invoke({})["step"]) == [ADD]
        names = [tool["function"]["name"] for tool in server.requests[0].body["tools"]]
        assert names == ["add_now", "finish"]


SEVERAL: dict[str, Reply] = {
    "several calls": calls(ADD, ("finish", {"reasoning": "done"})),
    "several objects": f'{ADD_JSON}\n{{"name": "finish", "arguments": {{"reasoning": "done"}}}}',
    "code": 'add_now(text="learns Go", refs=["m1"])\nfinish(reasoning="done")',
}


@pytest.mark.parametrize("reply", SEVERAL.values(), ids=SEVERAL)
def test_several_calls_keep_their_order_and_differ_in_id(reply: Reply, run: Run, services_for: ServicesFor) -> None:
    step = run(make_step(services_for(ScriptedChatModel([reply]))), {})["step"]
    assert made(step) == [ADD, ("finish", {"reasoning": "done"})]
    assert len({call.id for call in step.calls}) == 2


def test_talk_alone_is_a_step_without_calls(run: Run, services_for: ServicesFor) -> None:
    step = run(make_step(services_for(ScriptedChatModel(["<think>hm</think>Nothing to add (see [1])."]))), {})["step"]
    assert step == ToolStep(calls=(), text="Nothing to add (see [1]).")


def test_unknown_tools_and_wrong_types_pass_to_whoever_carries_out(run: Run, services_for: ServicesFor) -> None:
    odd = calls(("launch_rocket", {"to": "moon"}), ("add_now", {"text": 7, "refs": "m1"}))
    step = run(make_step(services_for(ScriptedChatModel([odd]))), {})["step"]
    assert made(step) == [("launch_rocket", {"to": "moon"}), ("add_now", {"text": 7, "refs": "m1"})]


def test_text_that_looks_like_json_stays_text_where_text_is_wanted(services_for: ServicesFor) -> None:
    model = ScriptedChatModel([calls(("add_now", {"text": '["a"]'}))])
    assert made(make_step(services_for(model)).invoke({})["step"]) == [("add_now", {"text": '["a"]'})]


@pytest.mark.parametrize(
    ("replies", "failure"),
    [
        (["", ""], Failure.EMPTY),
        ([truncated("I think")], Failure.TRUNCATED),
        ([status(401)], Failure.AUTHENTICATION),
        ([Garbage(), Garbage()], Failure.MALFORMED),
    ],
)
def test_a_loop_step_fails_by_name(replies: list[Reply], failure: Failure, run: Run, services_for: ServicesFor) -> None:
    assert run(make_step(services_for(ScriptedChatModel(replies))), {})["failure"] is failure


def test_an_empty_step_in_the_middle_of_a_loop_is_told_so(run: Run, services_for: ServicesFor) -> None:
    model = ScriptedChatModel(["", calls(ADD)])
    assert made(run(make_step(services_for(model)), {"history": HISTORY})["step"]) == [ADD]
    *shown, told = model.calls[1].messages
    assert shown[-2:] == HISTORY
    assert isinstance(told, HumanMessage)


def test_a_model_without_tools_is_shown_them_in_words(run: Run, services_for: ServicesFor) -> None:
    model = ScriptedChatModel([json.dumps({"calls": [{"name": ADD[0], "args": ADD[1]}]})], calls_tools=False)
    assert made(run(make_step(services_for(model)), {"history": HISTORY})["step"]) == [ADD]
    call = model.calls[0]
    assert call.tools == ()
    assert '"add_now"' in call.messages[0].text
    assert "One line." in call.messages[0].text
    kinds = [message.type for message in call.messages]
    assert kinds == ["system", "human", "ai", "human"]
    assert json.loads(call.messages[2].text) == {"calls": [{"name": "add_now", "args": {"text": "x"}}]}
    assert "REJECTED: refs: none given" in call.messages[3].text


def test_a_provider_that_refuses_tools_is_asked_in_words_from_then_on(services_for: ServicesFor) -> None:
    def script(call: Any) -> Reply:
        return status(400, message="tool calling is not supported by this model") if call.tools else ADD_JSON

    with LoopbackServer(script) as server:
        step = make_step(services_for(server.chat_model()))
        assert made(step.invoke({})["step"]) == made(step.invoke({})["step"]) == [ADD]
        assert [bool(call.tools) for call in server.calls] == [True, False, False]


def test_calls_are_plain_values() -> None:
    call = Call(id="1", name="finish", args={})
    assert call == Call(id="1", name="finish", args={})
    assert ToolStep().calls == ()
