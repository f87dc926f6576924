"""After the reply: what is analysed, when the card is due, what stays owed."""

from __future__ import annotations

from typing import Any

import pytest

from previously.state.errors import Failure
from previously.testing import calls, status
from previously.tests.faults import Fault, faults
from previously.tests.graphs.conftest import ANALYSIS

FAULTS = list(faults(ANALYSIS))
REQUEST = {**ANALYSIS, "memory_update": {"content": "likes tea", "section": "past", "quote": "I like tea"}}
FINISH = calls(("finish", {"reasoning": "done", "summary": ""}))


def anchor(text: str, ref: str = "m1") -> Any:
    return calls(("add_past_anchor", {"text": text, "refs": [ref]}))


def marked(worth: bool, **more: Any) -> dict[str, Any]:
    """An analysis that marks the closing slice and says whether it is worth an evolution."""
    mark = {"slice": "s1", "focus": "tea", "summary": "about tea", "tags": ["Tea"], "tone": "positive"}
    return {**ANALYSIS, "markings": [mark], "evolve_card": {"worth": worth, "reason": "because"}, **more}


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_no_fault_of_the_model_reaches_the_host(talk: Any, fault: Fault) -> None:
    conversation = talk({"analyze": list(fault.replies) + [fault.replies[-1]] * 3}, settings={"step_timeout": 1.0})
    account = conversation.say("I like tea.", "Good choice.")
    store = conversation.memory.services.store
    assert [turn.text for turn in store.turns("alex")] == ["I like tea.", "Good choice."]
    owed = store.owed(space="alex")
    if fault.failure is None:
        assert account["status"] == "done"
        assert owed == []
        assert len(store.annotations("alex", kind="analysis")) == 1
    else:
        assert account["status"] == "failed"
        assert [(job.key, job.failure, job.attempts) for job in owed] == [("turn:u0", fault.failure, 1)]
        assert conversation.of("analysis") == ["failed"]
    assert len(conversation.model.calls) == fault.requests


def test_an_ordinary_turn_costs_one_call(talk: Any) -> None:
    conversation = talk({"analyze": ANALYSIS})
    account = conversation.say("I like tea.")
    assert account["usage"]["calls"] == 1
    assert account["evolution"] is None
    assert conversation.of("evolution") == []
    assert account["commit"] == 1


def test_the_whole_turn_and_the_exchange_before_are_shown(talk: Any) -> None:
    conversation = talk({"analyze": ANALYSIS})
    conversation.say("Where is Rome?", "In Spain.")
    conversation.say("x" * 20_000 + " that was wrong " + "y" * 20_000, "Sorry.")
    prompt = conversation.asked("analyze")[-1].prompt
    assert "In Spain." in prompt
    assert "characters left out" in prompt
    assert "Sorry." in prompt


def test_a_request_edits_the_card_at_once_with_the_turn_as_evidence(talk: Any) -> None:
    conversation = talk({"analyze": REQUEST, "previously_agent": [anchor("Likes tea"), FINISH]})
    account = conversation.say("Remember: I like tea.")
    assert account["evolution"]["status"] == "changed"
    assert account["evolution"]["diff"] == ["+ Likes tea — refs: [2026/08/11/1427#1]"]
    assert conversation.of("evolution") == ["started", "changed"]
    assert "Likes tea" in conversation.memory.card("alex").text
    assert account["usage"]["calls"] == 3


def test_only_the_owner_may_ask_for_a_change(talk: Any) -> None:
    conversation = talk({"analyze": REQUEST})
    assert conversation.say("Remember: I like tea.", authority="unpaired")["evolution"] is None
    assert conversation.asked("previously_agent") == []


def test_a_closing_slice_that_is_worth_it_is_reviewed_whole(talk: Any) -> None:
    conversation = talk(
        {"analyze": [ANALYSIS, ANALYSIS, marked(True)], "previously_agent": [anchor("Likes tea"), FINISH]}
    )
    conversation.say("I like tea.")
    conversation.say("And cake.")
    account = conversation.say("Good morning!", minutes=60)
    assert account["evolution"]["status"] == "changed"
    evidence = conversation.asked("previously_agent")[0].prompt
    assert "I like tea." in evidence
    assert "And cake." in evidence
    closed = conversation.memory.slice("alex", "2026-08-11-1427")
    assert (closed.closed_by, closed.focus, closed.summary, closed.tone) == ("time_cap", "tea", "about tea", "positive")
    assert closed.tags == ("tea",)
    assert closed.card_revision == 1
    assert conversation.memory.services.store.strands("alex") == [("tea", ("2026-08-11-1427",))]


def test_a_closing_slice_without_worth_is_skipped_with_the_reason(talk: Any) -> None:
    conversation = talk({"analyze": [ANALYSIS, marked(False)]})
    conversation.say("Hi.")
    conversation.say("Hello again.", minutes=60)
    assert conversation.of("evolution") == ["skipped"]
    assert conversation.events[-1]["reason"] == "because"


def test_a_request_is_served_at_a_boundary_that_is_not_worth_it(talk: Any) -> None:
    analysis = marked(False, memory_update=REQUEST["memory_update"])
    conversation = talk({"analyze": [ANALYSIS, analysis], "previously_agent": [anchor("Likes tea"), FINISH]})
    conversation.say("Hi.")
    account = conversation.say("Remember: I like tea.", minutes=60)
    assert account["evolution"]["diff"] == ["+ Likes tea — refs: [2026/08/11/1427#1]"]


def test_a_failed_analysis_at_a_boundary_runs_the_card_and_leaves_the_slice_dry(talk: Any) -> None:
    conversation = talk({"analyze": [ANALYSIS, "no", "no", marked(False)], "previously_agent": [FINISH, FINISH]})
    conversation.say("I like tea.")
    account = conversation.say("Hello again.", minutes=60)
    assert account["status"] == "failed"
    assert account["evolution"]["status"] == "no_change"
    store = conversation.memory.services.store
    assert [job.key for job in store.owed(space="alex")] == ["turn:u2"]
    assert [item.slice_id for item in store.slices("alex", dry=True)] == ["2026-08-11-1427"]


def test_dry_slices_are_marked_at_a_later_boundary(talk: Any) -> None:
    second = {"slice": "s2", "focus": "tea", "summary": "liked tea", "tags": []}
    both = marked(False)
    both["markings"] = [both["markings"][0], second]
    conversation = talk({"analyze": [ANALYSIS, "no", "no", both, ANALYSIS], "previously_agent": FINISH})
    conversation.say("I like tea.")
    conversation.say("Hello again.", minutes=60)
    conversation.say("And again.", minutes=60)
    assert conversation.memory.services.store.slices("alex", dry=True) == []
    assert conversation.memory.slice("alex", "2026-08-11-1427").summary == "liked tea"


def test_a_slice_that_the_model_left_unmarked_is_marked_by_rule(talk: Any) -> None:
    conversation = talk({"analyze": ANALYSIS, "previously_agent": FINISH})
    conversation.say("I like tea.")
    conversation.say("Hello again.", minutes=60)
    marked_by_rule = conversation.memory.slice("alex", "2026-08-11-1427")
    assert (marked_by_rule.focus, marked_by_rule.summary) == ("I like tea.", "2 turns")


def test_a_failed_card_run_stays_owed_backs_off_and_is_done_later(talk: Any) -> None:
    script = {
        "analyze": [REQUEST, ANALYSIS, ANALYSIS],
        "previously_agent": [status(400), anchor("Likes tea"), FINISH],
    }
    conversation = talk(script, settings={"backoff": 600.0})
    account = conversation.say("Remember: I like tea.")
    assert account["evolution"]["status"] == "failed"
    store = conversation.memory.services.store
    (job,) = store.owed(space="alex")
    assert (job.kind, job.failure, job.attempts) == ("card", Failure.REQUEST, 1)
    assert conversation.say("What time is it?")["evolution"] is None, "it must not run again at every turn"
    account = conversation.say("And now?", minutes=15)
    assert account["evolution"]["diff"] == ["+ Likes tea — refs: [2026/08/11/1427#1]"]
    assert store.owed(space="alex") == []


def test_attempts_are_capped_and_a_dead_job_can_be_retried(talk: Any) -> None:
    conversation = talk({"analyze": status(400)}, settings={"attempts": 2, "backoff": 0.0})
    conversation.say("Hi.")
    conversation.memory.work_now()
    (job,) = conversation.memory.backlog("alex")
    assert (job.status, job.attempts) == ("dead", 2)
    assert conversation.memory.work_now() == []
    conversation.memory.retry("alex", job.key)
    assert conversation.memory.backlog("alex")[0].status == "owed"


def test_an_owed_turn_is_done_with_a_later_one(talk: Any) -> None:
    conversation = talk({"analyze": ["no", "no", ANALYSIS, ANALYSIS]}, settings={"backoff": 0.0})
    conversation.say("I like tea.")
    account = conversation.say("And cake.")
    assert account["turn"] == "u2"
    assert conversation.memory.backlog("alex") == []
    assert len(conversation.memory.services.store.annotations("alex", kind="analysis")) == 2


def test_deferred_housekeeping_leaves_everything_to_a_worker(talk: Any) -> None:
    conversation = talk(
        {"analyze": REQUEST, "previously_agent": [anchor("Likes tea"), FINISH]}, housekeeping="deferred"
    )
    assert conversation.say("Remember: I like tea.")["status"] == "deferred"
    assert conversation.model.calls == []
    assert conversation.of("turn") == ["recorded", "deferred"]
    (account,) = conversation.memory.work_now()
    assert account["evolution"]["status"] == "changed"
    assert conversation.memory.backlog() == []


def test_the_same_turn_twice_is_one_turn_one_analysis(talk: Any) -> None:
    conversation = talk({"analyze": ANALYSIS})
    conversation.say("I like tea.")
    conversation.run(conversation.memory.intake, {"messages": conversation.messages}, conversation.context)
    assert len(conversation.asked("analyze")) == 1
    assert len(conversation.memory.services.store.turns("alex")) == 2
    assert len(conversation.memory.services.store.commits("alex")) == 1


def test_scores_need_the_users_own_words(talk: Any) -> None:
    fitness = [
        {"bucket": "interaction", "delta": -2, "evidence": "that was “wrong”"},
        {"bucket": "recall", "delta": -1, "evidence": "never said"},
        {"bucket": "search", "delta": -7, "evidence": "wrong"},
    ]
    conversation = talk({"analyze": {**ANALYSIS, "fitness": fitness}})
    conversation.say('Well, that was "wrong".')
    rows = conversation.memory.services.store.ledger.scores("alex", "assistant")
    assert [(row.bucket, row.delta) for row in rows] == [("interaction", -2), ("recall", 0), ("search", 0)]


def test_an_explicit_request_enters_no_demerit(talk: Any) -> None:
    fitness = [{"bucket": "interaction", "delta": -2, "evidence": "stop"}]
    conversation = talk({"analyze": {**REQUEST, "fitness": fitness}, "previously_agent": FINISH})
    conversation.say("stop the emojis")
    assert conversation.memory.services.store.ledger.scores("alex", "assistant") == []


def test_a_slice_is_closed_on_request(talk: Any) -> None:
    conversation = talk({"analyze": [ANALYSIS, marked(True)], "previously_agent": [anchor("Likes tea"), FINISH]})
    conversation.say("I like tea.")
    account = conversation.memory.close_slice(conversation.context)
    assert account["evolution"]["status"] == "changed"
    assert conversation.memory.slice("alex", "2026-08-11-1427").closed_by == "user_explicit"
    assert conversation.memory.close_slice(conversation.context) is None
