"""One model step: its answer or its failure, over every fault, sync and async, scripted and over the wire."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from itertools import pairwise
from typing import Any, Literal

import pytest
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from langgraph.errors import GraphInterrupt
from pydantic import BaseModel, PrivateAttr

from previously.nodes.ask import ask
from previously.nodes.breaker import Breaker
from previously.nodes.services import Services
from previously.state.errors import Failure
from previously.testing import Hang, LoopbackServer, ModelCall, ScriptedChatModel, status
from previously.tests.faults import Fault, faults

GOOD = {"mood": "calm", "score": 3}
FAULTS = list(faults(GOOD))
Run = Callable[[Runnable[Any, Any], dict[str, Any]], dict[str, Any]]
ServicesFor = Callable[..., Services]

pytestmark = pytest.mark.usefixtures("short_pauses")


class Answer(BaseModel):
    """How it went."""

    mood: Literal["calm", "tense"]
    score: int


def make_step(services: Services, **options: Any) -> Runnable[Any, Any]:
    return ask(
        services,
        "rate",
        prompt="repair",
        answer=Answer,
        prepare=lambda state: None if state.get("skip") else {"error": state.get("text", "rate this")},
        accept=lambda _state, answer: {"score": answer.score},
        failed=lambda _state, failure, detail: {"failure": failure, "detail": detail},
        **options,
    )


@pytest.fixture(params=["sync", "async"])
def run(request: pytest.FixtureRequest) -> Run:
    """Run a step by one of its two faces."""
    if request.param == "sync":
        return lambda step, state: step.invoke(state)
    return lambda step, state: asyncio.run(step.ainvoke(state))


def check(fault: Fault, update: dict[str, Any], requests: int) -> None:
    assert update.get("failure") == fault.failure
    assert requests == fault.requests == update["usage"][0]["calls"]
    if fault.failure is None:
        assert update["score"] == GOOD["score"]
    else:
        assert 0 < len(update["detail"]) <= 600


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_scripted_fault_ends_as_the_table_says(fault: Fault, run: Run, services_for: ServicesFor) -> None:
    model = ScriptedChatModel(lambda _call: fault.reply(len(model.calls) - 1))
    began = time.monotonic()
    update = run(make_step(services_for(model), timeout=0.4 if fault.failure is Failure.TIMEOUT else 20), {})
    check(fault, update, len(model.calls))
    assert time.monotonic() - began < 5


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_on_the_wire_ends_the_same(fault: Fault, run: Run, services_for: ServicesFor) -> None:
    script: Callable[[ModelCall], Any] = lambda _call: fault.reply(len(server.requests) - 1)  # noqa: E731
    with LoopbackServer(script) as server:
        step = make_step(services_for(server.chat_model()), timeout=0.4 if fault.failure is Failure.TIMEOUT else 20)
        check(fault, run(step, {}), len(server.requests))


def test_the_table_is_long_enough() -> None:
    assert len({fault.name for fault in FAULTS}) == len(FAULTS) >= 40
    silent = {Failure.DEADLINE, Failure.CIRCUIT_OPEN, Failure.UNFINISHED, Failure.CONFLICT, Failure.INTERNAL}
    assert {fault.failure for fault in FAULTS if fault.failure} == set(Failure) - silent


def test_nothing_to_ask_is_no_call_and_no_update(run: Run, services_for: ServicesFor) -> None:
    model = ScriptedChatModel([])
    assert run(make_step(services_for(model)), {"skip": True}) == {}
    assert model.calls == []


def test_the_repair_tells_the_model_what_it_said_and_what_was_wrong(run: Run, services_for: ServicesFor) -> None:
    model = ScriptedChatModel(['{"mood": "sunny", "score": 3}', GOOD])
    update = run(make_step(services_for(model)), {"text": "rate this day"})
    said, told = model.calls[1].messages[-2:]
    assert said.text == '{"mood": "sunny", "score": 3}'
    assert isinstance(told, HumanMessage)
    assert "mood" in told.text
    assert "calm" in told.text
    assert '"score"' in told.text
    assert update["usage"][0] | {"input_tokens": 0, "output_tokens": 0} == {
        "step": "rate",
        "calls": 2,
        "repairs": 1,
        "input_tokens": 0,
        "cached_tokens": 0,
        "output_tokens": 0,
    }
    assert update["usage"][0]["input_tokens"] > 0


def test_no_two_user_messages_follow_each_other_in_a_repair(run: Run, services_for: ServicesFor) -> None:
    model = ScriptedChatModel(["", GOOD])
    run(make_step(services_for(model)), {"text": "rate this day"})
    kinds = [message.type for message in model.calls[1].messages]
    assert all(first != second for first, second in pairwise(kinds))


def test_the_language_of_the_state_chooses_the_prompt(run: Run, services_for: ServicesFor) -> None:
    model = ScriptedChatModel(lambda _call: GOOD)
    step = make_step(services_for(model))
    run(step, {"language": "zh-Hans"})
    run(step, {})
    assert "回答" in model.calls[0].prompt
    assert "Answer again" in model.calls[1].prompt


@pytest.mark.parametrize("key", ["deadline_at", "stop_at"])
def test_time_that_is_used_up_asks_nobody(key: str, run: Run, services_for: ServicesFor) -> None:
    model = ScriptedChatModel([])
    update = run(make_step(services_for(model)), {key: time.time() - 1})
    assert update["failure"] is Failure.DEADLINE
    assert "usage" not in update
    assert model.calls == []


def test_the_deadline_of_the_run_cuts_a_step_short(run: Run, services_for: ServicesFor) -> None:
    services = services_for(ScriptedChatModel([Hang(20)]))
    began = time.monotonic()
    update = run(make_step(services), {"deadline_at": time.time() + 0.3})
    assert update["failure"] is Failure.DEADLINE
    assert time.monotonic() - began < 3


def test_a_provider_that_is_down_is_left_alone_for_a_while(run: Run, services_for: ServicesFor) -> None:
    model = ScriptedChatModel(lambda _call: status(503))
    step = make_step(services_for(model))
    first, second, third = run(step, {}), run(step, {}), run(step, {})
    assert [update["failure"] for update in (first, second, third)] == [
        Failure.SERVER,
        Failure.SERVER,
        Failure.CIRCUIT_OPEN,
    ]
    assert len(model.calls) == 5
    assert "usage" not in third


def test_the_breaker_is_shared_by_the_steps_of_one_memory_and_closes_again(
    run: Run, store: Any, services_for: ServicesFor
) -> None:
    now = 0.0
    model = ScriptedChatModel([*[status(503)] * 5, GOOD, GOOD])
    made = services_for(model)
    services = Services(
        store=store, model=model, index=made.index, breaker=Breaker(limit=5, seconds=30, clock=lambda: now)
    )
    one, other = make_step(services), make_step(services)
    run(one, {})
    run(one, {})
    assert run(other, {})["failure"] is Failure.CIRCUIT_OPEN
    now = 31.0
    assert run(other, {})["score"] == 3
    assert run(one, {})["score"] == 3


def test_a_bad_answer_says_nothing_about_the_provider(run: Run, services_for: ServicesFor) -> None:
    model = ScriptedChatModel(lambda _call: "no")
    step = make_step(services_for(model))
    assert {run(step, {})["failure"] for _ in range(5)} == {Failure.MALFORMED}


@pytest.mark.parametrize(
    "error", [RuntimeError("boom"), AssertionError("hm"), NotImplementedError(), MemoryError(), StopAsyncIteration()]
)
def test_whatever_a_model_raises_stays_inside(error: Exception, run: Run, services_for: ServicesFor) -> None:
    model = ScriptedChatModel(lambda _call: error)
    assert run(make_step(services_for(model)), {})["failure"] is Failure.INTERNAL


def test_a_script_that_ends_too_early_is_named(run: Run, services_for: ServicesFor) -> None:
    update = run(make_step(services_for(ScriptedChatModel([]))), {})
    assert update["failure"] is Failure.INTERNAL
    assert "ScriptExhausted" in update["detail"]
    assert "'rate'" in update["detail"]


def test_an_interrupt_passes_through(run: Run, services_for: ServicesFor) -> None:
    model = ScriptedChatModel(lambda _call: GraphInterrupt(()))
    with pytest.raises(GraphInterrupt):
        run(make_step(services_for(model)), {})


async def test_cancelling_is_not_a_failure(services_for: ServicesFor) -> None:
    model = ScriptedChatModel([Hang(20), GOOD])
    step = make_step(services_for(model))
    task = asyncio.create_task(step.ainvoke({}))
    while not model.calls:  # noqa: ASYNC110 - the model has no event to wait for
        await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (await step.ainvoke({}))["score"] == 3


def test_details_hold_no_prompt_and_no_key(run: Run, services_for: ServicesFor) -> None:
    secret = status(401, message="Incorrect API key provided: sk-proj-abcdef123456, prompt: rate this day")
    update = run(make_step(services_for(ScriptedChatModel([secret]))), {"text": "rate this day"})
    assert update["detail"] == "HTTPFault: HTTP 401"
    spoken = RuntimeError("cannot use sk-proj-abcdef123456 here")
    update = run(make_step(services_for(ScriptedChatModel([spoken]))), {})
    assert "abcdef" not in update["detail"]


def test_one_step_serves_many_threads(services_for: ServicesFor) -> None:
    model = ScriptedChatModel(lambda _call: Hang(0.05, GOOD))
    step = make_step(services_for(model))
    updates: list[dict[str, Any]] = []
    threads = [threading.Thread(target=lambda: updates.append(step.invoke({}))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [update["score"] for update in updates] == [3] * 8


class TextOnly(BaseChatModel):
    """A model with text and nothing else, as a fake or a small local one."""

    reply: str
    _seen: list[list[BaseMessage]] = PrivateAttr(default_factory=list)

    @property
    def _llm_type(self) -> str:
        return "text-only"

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        self._seen.append(messages)
        return ChatResult(generations=[ChatGeneration(message=AIMessage(self.reply))])


def test_a_model_without_tools_is_told_the_form_in_the_fixed_part(run: Run, services_for: ServicesFor) -> None:
    model = TextOnly(reply='{"mood": "calm", "score": 3}')
    assert run(make_step(services_for(model)), {})["score"] == 3
    system, asked = model._seen[0]
    assert isinstance(system, SystemMessage)
    assert '"score"' in system.text
    assert '"score"' not in asked.text
