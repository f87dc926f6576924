"""The evolution loop on its graphs: when it runs, what a run installs, what it leaves alone."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from previously.state.direction import parse_direction
from previously.state.errors import Failure
from previously.state.paths import CARD_PATH, DIRECTION_PATH, account_path, playbook_path
from previously.testing import ScriptedChatModel, calls, status
from previously.tests.graphs.conftest import ANALYSIS
from previously.tests.graphs.evolving import MINUS_ONE, NOTHING, entry, guess, net, pressed, runs, scored, verdict

FINISH = calls(("finish", {"reasoning": "done", "summary": "Shorter answers."}))
LESSON = calls(("add_self_model", {"text": "Short answers go down better.", "refs": ["m1"]}))
HEADER = "# Previously On\n\n_Active slice: 2026-08-11-1427 | Format: user card v2 | Updated: 2026-08-11T12:27:00Z_\n"
MINUS_TWO = scored(("interaction", -2, "too long"))
PLUS_ONE = scored(("interaction", 1, "too long"))
WISH = {**ANALYSIS, "memory_update": {"content": "likes tea", "section": "past", "quote": "too long"}}


TRIGGERS = {
    "five weak signals": ([MINUS_ONE] * 5, True),
    "four weak signals": ([MINUS_ONE] * 4, False),
    "two complaints and a weak signal": ([MINUS_TWO, MINUS_TWO, MINUS_ONE], True),
    "two complaints": ([MINUS_TWO, MINUS_TWO], False),
    "three complaints and praise": ([MINUS_TWO, MINUS_TWO, PLUS_ONE, MINUS_TWO], True),
    "praise offsets": ([MINUS_TWO, PLUS_ONE] * 2 + [MINUS_TWO], False),
    "no evidence": ([scored(("interaction", -2, " "))] * 4, False),
    "words that nobody said": ([scored(("interaction", -2, "this was never said"))] * 4, False),
    "out of range": ([scored(("interaction", -5, "too long"))] * 2, False),
    "one turn counts once in a bucket": ([scored(*[("interaction", -1, "too long")] * 5)] * 1, False),
    "buckets are apart": ([scored(("card", -1, "too long"), ("recall", -1, "too long"))] * 4, False),
    "explicit requests don't count": ([{**WISH, "fitness": MINUS_TWO["fitness"]}] * 3, False),
}


@pytest.mark.parametrize(("analyses", "fires"), TRIGGERS.values(), ids=TRIGGERS)
def test_when_a_run_is_due(talk: Any, analyses: list[Any], fires: bool) -> None:
    conversation = talk({"analyze": [*analyses, ANALYSIS], "evaluate": NOTHING, "previously_agent": FINISH})
    for number in range(len(analyses)):
        conversation.say(f"{number}: too long")
        assert not conversation.asked("evaluate")
    conversation.say("What is the capital of Italy?")
    assert len(conversation.asked("evaluate")) == fires
    assert runs(conversation) == ["no_change"] * fires


def test_two_buckets_at_once_are_one_run(talk: Any) -> None:
    both = scored(("recall", -1, "too long"), ("interaction", -1, "too long"))
    conversation = talk({"analyze": [both] * 5 + [ANALYSIS] * 2, "evaluate": NOTHING})
    for number in range(7):
        conversation.say(f"{number}: too long")
    assert runs(conversation) == ["no_change"]
    due = conversation.memory.evolutions("alex").runs[0].account["due"]
    assert {row["bucket"]: row["net"] for row in due} == {"recall": -5, "interaction": -5}
    assert net(conversation) == {}


def test_no_change_asks_once_settles_and_says_so(talk: Any) -> None:
    conversation = pressed(talk)
    conversation.say("Hello.")
    assert conversation.of("evolution") == ["started", "no_change"]
    assert len(conversation.asked("evaluate")) == 1
    assert not conversation.asked("previously_agent")
    assert net(conversation) == {}
    assert conversation.memory.backlog("alex") == []
    conversation.say("And again.")
    assert conversation.of("evolution") == []


def test_a_run_changes_direction_card_and_playbook_in_one_commit(talk: Any) -> None:
    recall = scored(("recall", -1, "too long"))
    brief = {"reasoning": "r", "playbooks": [{"colleague": "recall", "content": "Look further back.", "refs": ["m1"]}]}
    answer = verdict(
        entry("Loses patience with long answers", "m1"), guess("Decides fast"), card=True, playbooks=["recall"]
    )
    conversation = talk({
        "analyze": [recall] * 5 + [ANALYSIS], "evaluate": answer, "playbooks": brief, "previously_agent": [LESSON, FINISH],
    })  # fmt: skip
    for number in range(6):
        conversation.say(f"{number}: too long")
    store = conversation.memory.services.store
    (run,) = store.commits("alex", kind="evolution")
    heads = [store.head("alex", path) for path in (
        DIRECTION_PATH, CARD_PATH, playbook_path("recall", "assistant"), account_path("assistant")
    )]  # fmt: skip
    assert [head.commit for head in heads] == [run.seq] * 4
    assert "Loses patience with long answers — refs: [2026/08/11/1427#1]" in heads[0].text
    assert "[proposed 2026-08-11-1427] Decides fast — falsify if:" in heads[0].text
    assert "Short answers go down better." in heads[1].text
    assert heads[2].text == "Look further back.\n\n— refs: [2026/08/11/1427#1]\n"
    assert "- [2026/08/11/1427#1] recall -1: too long" in heads[3].text
    assert conversation.of("evolution")[-1] == "changed"
    assert (conversation.of("direction"), conversation.of("playbook")) == (["proposed"], ["proposed"])
    assert conversation.memory.playbook("recall", conversation.context).count("Look further back.") == 1
    assert conversation.memory.playbook("search", conversation.context) == ""
    (card_prompt, _) = conversation.asked("previously_agent")
    assert "Loses patience with long answers" in card_prompt.prompt  # the card is edited under the new portrait


def test_only_playbooks_under_pressure_may_change(talk: Any) -> None:
    answer = verdict(entry("Loses patience with long answers", "m1"), playbooks=["search"])
    conversation = pressed(talk, evaluate=answer)
    conversation.say("Hello.")
    assert not conversation.asked("playbooks")
    assert runs(conversation) == ["changed"]


def test_a_playbook_that_breaks_a_rule_is_left_out_and_named(talk: Any) -> None:
    recall = scored(("recall", -1, "too long"))
    drafts = [{"colleague": "recall", "content": "x" * 2_001, "refs": ["m1"]}]
    conversation = talk({
        "analyze": [recall] * 5 + [ANALYSIS], "evaluate": verdict(playbooks=["recall"]),
        "playbooks": {"reasoning": "r", "playbooks": drafts},
    })  # fmt: skip
    for number in range(6):
        conversation.say(f"{number}: too long")
    (run,) = conversation.memory.evolutions("alex").runs
    assert (run.status, run.account["playbooks"][0]["status"]) == ("no_change", "rejected")
    assert "2001 characters, limit 2000" in run.reasons[0]
    assert conversation.memory.services.store.head("alex", playbook_path("recall", "assistant")) is None


def test_a_rejected_proposal_changes_nothing_and_waits_for_the_next_slice(talk: Any) -> None:
    bad = verdict(entry("Loses patience with long answers", "m1"), entry("Keep it short", "m1"), card=True)
    conversation = pressed(talk, evaluate=[bad, NOTHING])
    conversation.say("Hello.")
    assert conversation.of("evolution") == ["started", "rejected"]
    (told,) = [row for row in conversation.events if row["status"] == "rejected"]
    assert "'Keep it short' tells somebody what to do" in told["reason"]
    assert conversation.memory.direction("alex").revision == 0
    assert not conversation.asked("previously_agent")
    assert net(conversation) == {"interaction": -5}
    conversation.say("Hello again.")
    assert conversation.of("evolution") == ["skipped"]
    assert conversation.events[1]["reason"] == "a proposal was rejected in this slice: the next slice tries again"
    conversation.say("Next day.", minutes=600)
    assert runs(conversation) == ["rejected", "no_change"]
    assert net(conversation) == {}


def test_a_request_is_served_while_the_gate_is_backed_off(talk: Any) -> None:
    bad = verdict(entry("Keep it short", "m1"))
    anchor = calls(("add_past_anchor", {"text": "Likes tea", "refs": ["m1"]}))
    conversation = pressed(talk, ANALYSIS, WISH, evaluate=bad, previously_agent=[anchor, FINISH])
    conversation.say("Hello.")
    conversation.say("Remember that I like tea. And: too long")
    assert conversation.of("evolution") == ["skipped", "started", "changed"]
    assert "Likes tea" in str(conversation.memory.card("alex"))
    assert net(conversation) == {"interaction": -5}


def test_a_failure_keeps_the_pressure_and_backs_off(talk: Any) -> None:
    conversation = pressed(talk, evaluate=[status(400)] * 2 + [NOTHING], settings={"backoff": 90.0})
    conversation.say("Hello.")
    assert conversation.of("evolution") == ["started", "failed"]
    assert net(conversation) == {"interaction": -5}
    (job,) = conversation.memory.backlog("alex")
    assert (job.key, job.attempts, job.failure) == ("evolution:assistant", 1, Failure.REQUEST)
    conversation.say("Hello again.")
    assert conversation.of("evolution") == ["skipped"]
    assert len(conversation.asked("evaluate")) == 1
    conversation.say("Later.", minutes=2)
    conversation.say("Much later.", minutes=4)
    assert runs(conversation) == ["failed", "failed", "no_change"]
    assert conversation.memory.backlog("alex") == []


def test_a_run_that_fails_over_and_over_is_dead_until_there_is_new_evidence(talk: Any) -> None:
    settings = {"attempts": 2, "backoff": 30.0}
    answers = [status(400)] * 2 + [NOTHING]
    conversation = pressed(talk, ANALYSIS, ANALYSIS, MINUS_ONE, evaluate=answers, settings=settings)
    conversation.say("One.")
    conversation.say("Two.")
    assert [job.status for job in conversation.memory.backlog("alex")] == ["dead"]
    conversation.say("Three: too long")
    assert conversation.of("evolution") == ["skipped"]
    conversation.say("Four.")
    assert runs(conversation) == ["failed", "failed", "no_change"]


def test_a_card_run_that_fails_takes_the_whole_run_with_it(talk: Any) -> None:
    answer = verdict(entry("Loses patience with long answers", "m1"), card=True)
    conversation = pressed(talk, evaluate=answer, previously_agent=[LESSON, *[status(500)] * 3])
    conversation.say("Hello.")
    assert runs(conversation) == ["failed"]
    assert conversation.memory.direction("alex").revision == 0
    assert conversation.memory.card("alex").revision == 0
    assert net(conversation) == {"interaction": -5}


def test_a_direction_is_begun_where_a_slice_begins_with_the_lower_bar(talk: Any) -> None:
    answer = verdict(entry("Loses patience with long answers", "m1"))
    conversation = talk(
        {"analyze": [MINUS_ONE, *[ANALYSIS] * 9], "evaluate": [NOTHING, answer], "previously_agent": FINISH}
    )
    conversation.say("That is too long.")
    conversation.say("A new day.", minutes=600)
    assert not conversation.asked("evaluate")  # a score alone is no reason
    card = str(conversation.memory.card("alex"))
    for number, lesson in enumerate(["Short answers go down better.", "Numbers first."]):
        card = f"{card}\n## Self-model\n\n" if "## Self-model" not in card else card
        card = card if card.startswith("# Previously On") else f"{HEADER}{card.removeprefix('(nothing is known yet)')}"
        card += f"- {lesson} — refs: [2026/08/11/1427#1]\n"
        conversation.memory.write_card("alex", card, reason=f"lesson {number}")
        conversation.say("The same day.")
        conversation.say("A new day.", minutes=600)
        conversation.say("Another.", minutes=600)
    assert runs(conversation) == ["no_change", "changed"]
    assert "<mode>bootstrap</mode>" in conversation.asked("evaluate")[0].prompt
    assert net(conversation) == {"interaction": -1}  # nothing was under pressure, so nothing is settled


def test_an_older_format_is_migrated_with_its_lines_as_evidence(talk: Any) -> None:
    answer = verdict(entry("Loses patience with long answers", "m1"))
    conversation = talk({"analyze": ANALYSIS, "evaluate": answer, "previously_agent": FINISH})
    conversation.say("That is too long.")
    old = "# Direction\n\nBe brief.\n\n# Anti-goals\n\n- waffling\n\n# Log\n"
    conversation.memory.write("alex", DIRECTION_PATH, old, reason="of old")
    conversation.say("A new day.", minutes=600)
    prompt = conversation.asked("evaluate")[0].prompt
    assert "<mode>migrate</mode>" in prompt
    assert "waffling" in prompt
    assert parse_direction(str(conversation.memory.direction("alex"))).mode == "steady"


def test_the_prompt_of_the_host_has_portrait_and_guesses_and_keeps_its_bytes(talk: Any) -> None:
    answer = verdict(entry("Loses patience with long answers", "m1"), guess("Decides fast"))
    conversation = pressed(talk, evaluate=answer)
    host = ScriptedChatModel(lambda _call: "Fine.")
    graph = conversation.memory.host_graph(host, system_prompt="You are kind.")
    for number in range(3):
        conversation.messages.append(HumanMessage(f"more {number}", id=f"h{number}"))
        state = conversation.run(graph, {"messages": conversation.messages}, conversation.context)
        conversation.messages = state["messages"]
    systems = {call.messages[0].text for call in host.calls}
    assert len(systems) == 1
    (system,) = systems
    assert system.startswith("You are kind.")
    assert "- Loses patience with long answers — refs: [2026/08/11/1427#1]" in system
    unverified = system.split('<hypotheses status="unverified">')[1]
    assert "Decides fast — falsify if:" in unverified


def test_the_analysis_scores_against_the_portrait_and_sees_each_signal_once(talk: Any) -> None:
    answer = verdict(entry("Loses patience with long answers", "m1"))
    conversation = pressed(talk, evaluate=answer)
    conversation.say("Hello.")
    assert conversation.memory.signal("interaction_regenerate", conversation.context)
    assert conversation.memory.signal("interaction_regenerate", conversation.context)
    conversation.say("Hello again.")
    conversation.say("And again.")
    *_, first, second, third = [call.prompt for call in conversation.asked("analyze")]
    assert '"text": "Loses patience with long answers"' in second
    assert [prompt.count("interaction_regenerate") for prompt in (first, second, third)] == [0, 1, 0]
    assert net(conversation) == {}


def test_a_signal_bears_out_a_weak_score_of_its_own_bucket(talk: Any) -> None:
    detail = "the user had the answer made anew to 2026/08/11/1427#1"
    score = {"bucket": "interaction", "delta": -1, "evidence": detail, "signal": "e1"}
    conversation = talk({"analyze": [ANALYSIS, {**ANALYSIS, "fitness": [score]}, {**ANALYSIS, "fitness": [score]}]})
    conversation.say("Hello.")
    state = {"messages": conversation.messages, "signals": [{"kind": "interaction_regenerate"}]}
    conversation.run(conversation.memory.intake, state, conversation.context)
    conversation.say("So.")
    assert net(conversation) == {"interaction": -1}
    conversation.say("So?")
    assert net(conversation) == {"interaction": -1}


@pytest.mark.parametrize("signals", [[{"kind": "recall_rework"}], [{}], ["interaction_interrupt"], [{"kind": 7}]])
def test_a_signal_that_is_none_is_refused_by_name(talk: Any, signals: Any) -> None:
    conversation = talk({"analyze": ANALYSIS})
    conversation.say("Hello.")
    state = {"messages": conversation.messages, "signals": signals}
    with pytest.raises(ValueError, match=r"kind|signals"):
        conversation.run(conversation.memory.intake, state, conversation.context)


@pytest.mark.parametrize("action", ["accept", "reject", "edit"])
def test_a_person_may_review_a_run(talk: Any, action: str) -> None:
    answer = verdict(entry("Loses patience with long answers", "m1"), card=True)
    conversation = pressed(talk, evaluate=answer, previously_agent=[LESSON, FINISH], options={"review": True})
    graph = conversation.memory.host_graph(ScriptedChatModel(lambda _call: "Fine."), checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": "t"}}
    conversation.messages.append(HumanMessage("Hello.", id="h1"))
    conversation.run(graph, {"messages": conversation.messages}, conversation.context, config=config)
    (task,) = graph.get_state(config).tasks
    shown = task.interrupts[0].value
    assert "+ Loses patience with long answers" in "\n".join(shown["diff"])
    assert "Short answers go down better." in "\n".join(shown["card_diff"])
    for wrong in ({"action": "edit", "direction": "junk"}, {"action": "edit", "direction": 7}, "perhaps"):
        conversation.run(graph, Command(resume=wrong), conversation.context, config=config)
        (task,) = graph.get_state(config).tasks
        assert task.interrupts[0].value["error"].startswith("resume")
    edited = shown["direction"].replace("long answers", "long replies")
    given = {"action": action, **({"direction": edited} if action == "edit" else {})}
    conversation.run(graph, Command(resume=given), conversation.context, config=config)
    text = str(conversation.memory.direction("alex"))
    assert ("Loses patience" in text) == (action != "reject")
    assert ("long replies" in text) == (action == "edit")
    assert ("Short answers" in str(conversation.memory.card("alex"))) == (action != "reject")
    assert runs(conversation) == ["rejected" if action == "reject" else "changed"]
    assert net(conversation) == {}


def test_what_another_agent_did_is_not_held_against_this_one(talk: Any) -> None:
    conversation = pressed(talk)
    conversation.say("Hello.", agent="other")
    assert not conversation.asked("evaluate")
    conversation.say("Hello.")
    assert runs(conversation) == ["no_change"]
    assert conversation.memory.evolutions("alex", "other").runs == ()


def test_deferred_work_ends_with_the_run_that_it_made_due(talk: Any) -> None:
    conversation = pressed(talk, options={"housekeeping": "deferred"})
    assert net(conversation) == {}
    accounts = conversation.memory.work_now("alex")
    assert accounts[-1]["status"] == "no_change"
    assert runs(conversation) == ["no_change"]


def test_two_turns_under_pressure_at_once_make_one_run(talk: Any) -> None:
    both = threading.Event()

    def slow(_call: Any) -> Any:
        both.wait(5)
        return verdict(entry("Loses patience with long answers", "m1"))

    conversation = pressed(talk, evaluate=slow)
    graph = conversation.memory.intake
    told: list[str] = []

    def speak(thread: str) -> None:
        state = {"messages": [HumanMessage("Hello.", id=f"x{thread}"), AIMessage("Hi.", id=f"y{thread}")]}
        for chunk in graph.stream(state, context=conversation.context.at(thread=thread), stream_mode="custom"):
            row = chunk["previously"]
            told.append(row["status"]) if row["kind"] == "evolution" else None
            both.set() if row["status"] == "skipped" else None

    speakers = [threading.Thread(target=speak, args=(thread,)) for thread in ("t", "other")]
    for speaker in speakers:
        speaker.start()
    for speaker in speakers:
        speaker.join()
    assert sorted(told) == ["changed", "skipped", "started"] or sorted(told) == ["skipped"]
    assert len(conversation.asked("evaluate")) == 1
    assert runs(conversation) == ["changed"]
    assert len(conversation.memory.services.store.commits("alex", kind="evolution")) == 1
    assert net(conversation) == {}


def test_a_run_that_another_one_overtook_leaves_its_work(talk: Any) -> None:
    """Its lease has run out; the other has committed first: the account tells."""
    conversation = pressed(talk, evaluate=lambda _call: overtaken())
    store = conversation.memory.services.store
    nested = [True]

    def overtaken() -> Any:
        if nested.pop() if nested else False:
            store.drop("alex", "evolution:assistant", owner=store.job("alex", "evolution:assistant").owner)
            conversation.memory.record([HumanMessage("Hi.", id="z")], conversation.context.at(thread="other"))
            conversation.memory.evolve(conversation.context)
        return NOTHING

    conversation.say("Hello.")
    assert conversation.of("evolution")[-1] == "skipped"
    assert runs(conversation) == ["no_change"]
    assert net(conversation) == {}
    assert conversation.memory.backlog("alex") == []
