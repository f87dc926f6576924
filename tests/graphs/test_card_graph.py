"""The Previously Agent: how a run ends, what a person may say to it, what happens when somebody else was first."""

from __future__ import annotations

from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from previously.state.commit import Commit, Put
from previously.state.paths import CARD_PATH
from previously.testing import Hang, calls, status
from previously.tests.graphs.conftest import ANALYSIS

REQUEST = {**ANALYSIS, "memory_update": {"content": "likes tea", "section": "past", "quote": "I like tea"}}
TEA = ("add_past_anchor", {"text": "Likes tea", "refs": ["m1"]})
CAKE = ("add_past_anchor", {"text": "Bakes cake on Sundays", "refs": ["m1"]})
FINISH = ("finish", {"reasoning": "done", "summary": "Noted your tea."})


def evolution(talk: Any, *steps: Any, **options: Any) -> tuple[Any, dict[str, Any]]:
    conversation = talk({"analyze": REQUEST, "previously_agent": list(steps)}, **options)
    return conversation, conversation.say("Remember: I like tea.")["evolution"]


def results(conversation: Any) -> list[str]:
    """What the tools answered, as the newest call of the agent saw it."""
    return [message.text for message in conversation.asked("previously_agent")[-1].messages if message.type == "tool"]


def test_edits_and_finish_in_one_step(talk: Any) -> None:
    conversation, run = evolution(talk, calls(TEA, FINISH))
    assert (run["status"], run["summary"], run["partial"]) == ("changed", "Noted your tea.", False)
    (document,) = conversation.memory.services.store.revisions("alex", CARD_PATH)
    assert document.meta["edits"][0]["args"]["refs"] == ["2026/08/11/1427#1"]


def test_finish_waits_until_a_refusal_was_seen(talk: Any) -> None:
    bad = ("add_past_anchor", {"text": "Likes tea", "refs": []})
    conversation, run = evolution(talk, calls(bad, FINISH), calls(TEA, FINISH))
    assert run["status"] == "changed"
    refused = results(conversation)
    assert refused[0].startswith("REJECTED: refs are required")
    assert "settle that first" in refused[1]


def test_nothing_after_finish_is_applied(talk: Any) -> None:
    conversation, run = evolution(talk, calls(TEA, FINISH, CAKE))
    assert run["diff"] == ["+ Likes tea — refs: [2026/08/11/1427#1]"]
    assert "cake" not in conversation.memory.card("alex").text


def test_a_malformed_finish_is_told_and_may_be_mended(talk: Any) -> None:
    conversation, run = evolution(talk, calls(TEA, ("finish", {"summary": 3})), calls(FINISH))
    assert (run["status"], run["partial"]) == ("changed", False)
    assert any(answer.startswith("REJECTED: ") and "reasoning" in answer for answer in results(conversation))


def test_nothing_to_change_is_a_result(talk: Any) -> None:
    conversation, run = evolution(talk, calls(FINISH))
    assert (run["status"], run["diff"]) == ("no_change", [])
    assert conversation.memory.card("alex").revision == 0
    assert conversation.memory.backlog() == []


def test_the_step_cap_keeps_what_was_valid_marked_partial(talk: Any) -> None:
    conversation, run = evolution(talk, calls(TEA), calls(TEA), calls(TEA), settings={"card_steps": 3})
    assert (run["status"], run["partial"]) == ("changed", True)
    assert "Likes tea" in conversation.memory.card("alex").text
    assert conversation.memory.backlog() == []


def test_the_step_cap_without_an_edit_is_owed(talk: Any) -> None:
    conversation, run = evolution(talk, *[calls(("read_card", {"slice": "x"}))] * 3, settings={"card_steps": 3})
    assert (run["status"], run["failure"]) == ("failed", "unfinished")
    assert [job.kind for job in conversation.memory.backlog()] == ["card"]


def test_a_hang_after_an_edit_keeps_it_and_owes_the_rest(talk: Any) -> None:
    conversation, run = evolution(talk, calls(TEA), Hang(20.0), settings={"step_timeout": 0.5})
    assert (run["status"], run["partial"], run["failure"]) == ("changed", True, "timeout")
    assert "Likes tea" in conversation.memory.card("alex").text
    assert [job.kind for job in conversation.memory.backlog()] == ["card"]


def test_the_deadline_of_the_run_ends_it(talk: Any) -> None:
    conversation, run = evolution(talk, calls(TEA), Hang(20.0), settings={"card_timeout": 0.5})
    assert run["failure"] in {"timeout", "deadline"}
    assert "Likes tea" in conversation.memory.card("alex").text


def test_only_words_are_asked_once_more_and_then_end_the_run(talk: Any) -> None:
    conversation, run = evolution(talk, "I think all is fine.", "Really.")
    assert run["failure"] == "unfinished"
    assert len(conversation.asked("previously_agent")) == 2


def test_calls_written_as_text_are_carried_out(talk: Any) -> None:
    written = '```json\n{"name": "add_past_anchor", "arguments": {"text": "Likes tea", "refs": "m1"}}\n```'
    _, run = evolution(talk, written, calls(FINISH))
    assert run["diff"] == ["+ Likes tea — refs: [2026/08/11/1427#1]"]


@pytest.mark.parametrize("call", [("zap", {}), ("add_now", {"text": ["a"], "refs": 7}), ("add_horizon", {}), ("", {})])
def test_impossible_calls_are_answered(talk: Any, call: tuple[str, dict[str, Any]]) -> None:
    conversation, run = evolution(talk, calls(call), calls(FINISH))
    assert run["status"] == "no_change"
    assert results(conversation)[0].startswith("REJECTED: ")


def test_reading_tools(talk: Any) -> None:
    reads = calls(
        ("read_slice", {"slice": "2026/08/11/1427", "last": 1}),
        ("read_cognition_log", {"slice": "2026-08-11-1427"}),
        ("read_card", {"slice": "2026/08/11/1427"}),
        ("search", {"query": "tea"}),
        ("read_slice", {"slice": "1999/01/01/0000"}),
        ("read_slice", {"slice": "nonsense"}),
    )
    conversation, _ = evolution(talk, reads, calls(FINISH))
    last, log, card, found, missing, nonsense = results(conversation)
    assert "Noted." in last
    assert "Remember" not in last
    assert log == "<cognition>\n</cognition>"
    assert card == "<card>\n</card>"
    assert "Remember: I like tea." in found
    assert missing.startswith("REJECTED: slice")
    assert nonsense.startswith("REJECTED: refs")


def test_a_run_that_would_gut_the_card_is_rejected(talk: Any) -> None:
    texts = ["Plays the cello", "Owns a red bicycle", "Speaks Portuguese", "Grew up in Ghent"]
    fill = [("add_past_anchor", {"text": text, "refs": ["m1"]}) for text in texts]
    empty = [("remove_past_anchor", {"match": text}) for text in texts[:3]]
    conversation = talk({"analyze": REQUEST, "previously_agent": [calls(*fill, FINISH), calls(*empty, FINISH)]})
    conversation.say("Remember: I like tea.")
    run = conversation.say("Remember: I like tea.")["evolution"]
    assert run["status"] == "rejected"
    assert "3 of 4 lines" in run["reason"]
    assert conversation.memory.card("alex").revision == 1


def test_edits_are_applied_again_when_somebody_else_was_first(talk: Any) -> None:
    def meanwhile() -> None:
        card = "# Previously On\n\n_Active slice: 2026-08-11-1427 | Format: user card v2 | Updated: 2026-08-11T12:00:00Z_\n\n## Identity\n\n- Name: Al\n"
        put = Put(path=CARD_PATH, text=card)
        store.commit(Commit(space="alex", key="other", kind="adopt", at=conversation.clock.now, documents=(put,)))

    def finish(_call: Any) -> Any:
        meanwhile()
        return calls(TEA, FINISH)

    conversation = talk({"analyze": REQUEST, "previously_agent": finish})
    memory, store = conversation.memory, conversation.memory.services.store
    run = conversation.say("Remember: I like tea.")["evolution"]
    assert run["status"] == "changed"
    text = memory.card("alex").text
    assert "- Name: Al" in text
    assert "Likes tea" in text
    assert memory.card("alex").revision == 2


def test_a_card_of_an_older_format_is_migrated_at_the_next_boundary(talk: Any) -> None:
    old = "## Identity\n- Name: Alex\n\n## Profile\nAlex likes tea.\n"
    conversation = talk(
        {"analyze": {**ANALYSIS, "evolve_card": {"worth": False, "reason": "no"}}, "previously_agent": calls(FINISH)}
    )
    conversation.say("Hi.")
    conversation.memory.write_card("alex", old, reason="imported")
    run = conversation.say("Hi again.", minutes=60)["evolution"]
    assert run["status"] == "changed"
    assert "Format: user card v2" in conversation.memory.card("alex").text
    assert "Alex likes tea." in conversation.memory.card("alex").text
    assert conversation.memory.services.store.document("alex", CARD_PATH, 1).text == old


class TestReview:
    """With `review=True` a change of the card waits for a person."""

    def _paused(self, talk: Any, *steps: Any) -> tuple[Any, Any, dict[str, Any]]:
        conversation = talk({"analyze": REQUEST, "previously_agent": list(steps), "": "Noted."}, review=True)
        graph = conversation.memory.host_graph(conversation.model, checkpointer=InMemorySaver())
        config = {"configurable": {"thread_id": "t"}}
        state = {"messages": [("user", "Remember: I like tea.")]}
        graph.invoke(state, config, context=conversation.context)
        (task,) = graph.get_state(config).tasks
        (pause,) = task.interrupts
        assert pause.value["diff"] == ["+ Likes tea — refs: [2026/08/11/1426#1]"]
        assert conversation.memory.card("alex").revision == 0
        return conversation, (graph, config), pause.value

    def _resume(self, conversation: Any, paused: Any, answer: Any) -> dict[str, Any]:
        graph, config = paused
        return graph.invoke(Command(resume=answer), config, context=conversation.context)["memory"]["evolution"]

    def test_accept(self, talk: Any) -> None:
        conversation, paused, _ = self._paused(talk, calls(TEA, FINISH))
        assert self._resume(conversation, paused, {"action": "accept"})["status"] == "changed"
        assert "Likes tea" in conversation.memory.card("alex").text

    def test_reject(self, talk: Any) -> None:
        conversation, paused, _ = self._paused(talk, calls(TEA, FINISH))
        run = self._resume(conversation, paused, {"action": "reject", "reason": "private"})
        assert (run["status"], run["reason"]) == ("rejected", "private")
        assert conversation.memory.card("alex").revision == 0
        assert conversation.memory.backlog() == []

    def test_edit(self, talk: Any) -> None:
        conversation, paused, shown = self._paused(talk, calls(TEA, FINISH))
        mine = shown["card"].replace("Likes tea", "Likes green tea")
        assert self._resume(conversation, paused, {"action": "edit", "card": mine})["status"] == "changed"
        assert "Likes green tea" in conversation.memory.card("alex").text

    @pytest.mark.parametrize("wrong", [{"action": "maybe"}, "nonsense", 7, [1], {"action": "edit"}, {"action": "edit", "card": 7},
                                       {"action": "edit", "card": "junk"}, {"action": "edit", "direction": "x"}])  # fmt: skip
    def test_an_answer_that_cannot_be_used_is_asked_for_again(self, talk: Any, wrong: Any) -> None:
        conversation, (graph, config), shown = self._paused(talk, calls(TEA, FINISH))
        for _ in range(2):
            graph.invoke(Command(resume=wrong), config, context=conversation.context)
            (task,) = graph.get_state(config).tasks
            (pause,) = task.interrupts
            assert {**pause.value, "error": ""} == {**shown, "error": ""}
            assert pause.value["error"].startswith("resume")
        assert self._resume(conversation, (graph, config), "accept")["status"] == "changed"


def test_a_dead_provider_in_mid_run_is_owed(talk: Any) -> None:
    conversation, run = evolution(talk, status(401))
    assert (run["status"], run["failure"]) == ("failed", "authentication")
    assert conversation.of("evolution") == ["started", "failed"]
