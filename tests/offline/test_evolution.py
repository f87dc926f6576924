"""The evolution loop by rules: weak complaints, what they come to, and the two examples."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import HumanMessage

from previously import MemoryContext, Previously
from previously.offline import OfflineChatModel
from previously.offline.complaints import TOPICS
from previously.offline.reading import reactions
from previously.prompts.analyze import TurnAnalysis
from previously.prompts.evolution import Evolution, Playbooks
from previously.replay import replay
from previously.state.direction_rules import check_line, check_portrait
from previously.transcripts import load_transcripts

from .prompting import TOOLS, Row, analysis_prompt, card_prompt, evolution_prompt, row

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
LENGTH = TOPICS["length"]

COMPLAINTS = {
    "interaction": [
        "That's too long.", "Phew, that is a wall of text.", "Again so much, I only asked for the time.",
        "I didn't need all of that.", "Too long, I stopped reading.", "Your answer is way too long.",
        "ugh, another essay. What time does it open?", "I just wanted one line.", "tl;dr", "Hm, so much text again.",
        "You lost me halfway.", "It's a bit too technical for me.", "That doesn't answer my question.",
        "Too many bullet points.", "You ask too many questions.", "Well, that was a lecture.",
        "That's a lot to read for a yes or no.", "Okay, but that's far too much detail.", "太长了。",
        "你这回答太长了，看不下去", "又是一大段。", "说了这么多，我只想问几点", "没必要说这么多", "字太多了", "太笼统了",
        "还是没回答我的问题", "你问题太多了", "唉，又写了这么长", "一大堆字，眼睛都花了",
    ],
    "recall": ["I mentioned that before.", "Don't you remember?", "As I said before, it is Tuesday.", "上次就提过", "你不记得了吗"],
}  # fmt: skip
ORDINARY = [
    "The movie was too long.", "The queue was far too long", "This essay of mine is too long, can you shorten it?",
    "I saw a film. The ending was too long.", "My day was too long.", "I need a short summary of the book.",
    "I only asked for a raise because my boss promised.", "I just wanted a quick chat about my day", "So much to do today!",
    "We talked about the trip at length.", "电影太长了", "今天的会开得太长了", "我的论文太长了，帮我删一下", "这部小说太长",
    "我只想问一下你今天怎么样",
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "bucket"), [(text, bucket) for bucket, texts in COMPLAINTS.items() for text in texts], ids=str
)
def test_a_weak_complaint_is_heard(text: str, bucket: str) -> None:
    (reaction,) = reactions(text)
    assert reaction.delta < 0
    assert reaction.bucket == bucket
    assert reaction.quote in text


@pytest.mark.parametrize("text", ORDINARY)
def test_what_is_about_something_else_is_no_complaint(text: str) -> None:
    assert [reaction for reaction in reactions(text) if reaction.delta < 0] == []


@pytest.mark.parametrize("name", TOPICS)
def test_what_a_topic_comes_to_passes_the_rules_of_the_documents(name: str) -> None:
    for chinese in (False, True):
        words = TOPICS[name].wording(chinese=chinese)
        assert check_portrait(words.portrait, [], []) == words.portrait
        for line in (words.guess, words.falsify):
            assert check_line(line, "the guess") == line


def ask(form: type[Any], prompt: Sequence[Any]) -> dict[str, Any]:
    found = OfflineChatModel().with_structured_output(form).invoke(list(prompt))
    return dict(found.model_dump(mode="json"))


def scored(*texts: str, slices: int = 1) -> tuple[list[Row], list[Row]]:
    turns = [
        {**row(f"m{number}", text), "ref": f"2026/08/{11 + number % slices}/1426#{number}"}
        for number, text in enumerate(texts, 1)
    ]
    ledger = [{"turn": turn["id"], "bucket": "interaction", "delta": -1, "evidence": turn["text"]} for turn in turns]
    return turns, ledger


LONG = ("That's too long.", "Too long again.", "I didn't need all of that.")


def test_repeated_complaints_become_a_line_of_the_portrait() -> None:
    answer = ask(Evolution, evolution_prompt("evolve_direction", *scored(*LONG, slices=2)))
    (operation,) = answer["operations"]
    assert operation["op"] == "add_portrait_entry"
    assert operation["text"] == LENGTH.english.portrait
    assert operation["refs"] == ["m1", "m2", "m3"]
    assert answer["card"]
    assert answer["summary"]


def test_in_steady_mode_one_slice_gives_a_guess_which_the_next_one_confirms() -> None:
    prompt = evolution_prompt("evolve_direction", *scored(*LONG))
    assert [each["op"] for each in ask(Evolution, prompt)["operations"]] == ["add_hypothesis"]
    first = evolution_prompt("evolve_direction", *scored(*LONG), mode="bootstrap")
    assert [each["op"] for each in ask(Evolution, first)["operations"]] == ["add_portrait_entry"]
    known = f"# Hypotheses\n- [proposed 2026-08-01-0900] {LENGTH.english.guess} — falsify if: x"
    later = evolution_prompt("evolve_direction", *scored(*LONG, slices=2), direction=known)
    (operation,) = ask(Evolution, later)["operations"]
    assert (operation["op"], operation["match"]) == ("promote_hypothesis", LENGTH.english.guess)


@pytest.mark.parametrize("texts", [("That's too long.",), ("That's wrong.", "No.", "Hm."), ()])
def test_what_is_no_pattern_changes_nothing(texts: tuple[str, ...]) -> None:
    answer = ask(Evolution, evolution_prompt("evolve_direction", *scored(*texts)))
    assert (answer["operations"], answer["card"], answer["playbooks"]) == ([], False, [])


def test_what_is_known_is_not_said_again() -> None:
    direction = f"# Portrait\n## Communication preferences\n- {LENGTH.chinese.portrait} — refs: [2026/08/01/0900]"
    card = f"## Self-model\n- {LENGTH.english.lesson} — refs: [2026/08/01/0900#1]"
    answer = ask(
        Evolution, evolution_prompt("evolve_direction", *scored(*LONG, slices=2), direction=direction, card=card)
    )
    assert (answer["operations"], answer["card"]) == ([], False)


def test_playbooks_get_a_sentence_with_its_turns() -> None:
    briefs = [{"colleague": "recall", "text": "Look twice."}, {"colleague": "search", "text": LENGTH.english.playbook}]
    answer = ask(Playbooks, evolution_prompt("evolve_playbooks", *scored(*LONG), playbooks=briefs))
    (draft,) = answer["playbooks"]
    assert draft["content"] == f"Look twice.\n{LENGTH.english.playbook}"
    assert draft["refs"] == ["m1", "m2", "m3"]
    verdict = ask(Evolution, evolution_prompt("evolve_direction", *scored(*LONG), playbooks=briefs))
    assert verdict["playbooks"] == ["recall"]


def test_the_card_gets_the_lesson_and_nothing_else() -> None:
    triggers = [{"kind": "pressure", "turn": "m1", "bucket": "interaction", "reason": f"interaction -1: {LONG[0]}"}]
    turns = [row("m1", LONG[0]), row("m2", "I moved to Porto in 2024.")]
    prompt = card_prompt(turns, triggers=triggers)
    (call,) = OfflineChatModel().bind_tools(TOOLS).invoke(prompt).tool_calls
    assert (call["name"], call["args"]) == ("add_self_model", {"text": LENGTH.english.lesson, "refs": ["m1"]})


@pytest.mark.parametrize(("text", "portrait", "deltas"), [
    ("Hm, that's a lot. What about Rome?", [LENGTH.english.portrait], [-1]),
    ("能短点吗？罗马呢？", [LENGTH.chinese.portrait], [-1]),
    ("Hm, that's a lot. What about Rome?", [], []),
    ("Hm, that's a lot. What about Rome?", ["Likes to plan ahead"], []),
])  # fmt: skip
def test_a_mild_sign_counts_against_a_known_portrait_only(text: str, portrait: list[str], deltas: list[int]) -> None:
    before = [row("m2", "Where is Rome?"), row("m3", "In Italy. " * 30, role="assistant")]
    answer = ask(TurnAnalysis, analysis_prompt([row("m1", text)], before, portrait=portrait))
    assert [each["delta"] for each in answer["fitness"]] == deltas


@pytest.mark.parametrize(("kind", "text", "bucket"), [
    ("recall_rework", "What about Rome?", "recall"), ("recall_repeat", "What about Rome?", "recall"),
    ("interaction_regenerate", "What about Rome?", None), ("interaction_regenerate", "Too long again.", "interaction"),
    ("interaction_interrupt", "Ugh, I'm so annoyed.", "interaction"), ("recall_rework", "Remember that I like tea.", None),
])  # fmt: skip
def test_a_recorded_fact_is_judged(kind: str, text: str, bucket: str | None) -> None:
    signals = [{"id": "e1", "kind": kind, "detail": "what happened", "at": "2026-08-11 14:26 (Tue)"}]
    answer = ask(TurnAnalysis, analysis_prompt([row("m1", text)], signals=signals))
    found = [each for each in answer["fitness"] if each["signal"]]
    wanted = {"bucket": bucket, "delta": -1, "evidence": "what happened", "signal": "e1"}
    assert found == ([wanted] if bucket else [])


@pytest.mark.parametrize(("file", "topic"), [("long_answers.jsonl", "english"), ("long_answers_zh.jsonl", "chinese")])
def test_the_example_ends_with_a_changed_self_model(file: str, topic: str, tmp_path: Path) -> None:
    (transcript,) = load_transcripts(EXAMPLES / file)
    said = [message.text for message in transcript.messages if isinstance(message, HumanMessage)]
    deltas = [reaction.delta for text in said for reaction in reactions(text)]
    assert deltas == [-1] * 5 + [1]
    with Previously(tmp_path, embeddings=False) as memory:
        steps = list(replay(memory, transcript, MemoryContext(space="user", timezone="Europe/Berlin"), close=True))
        (run,) = memory.evolutions("user").runs
        assert run.status == "changed"
        assert len(run.evidence) == 5
        words = getattr(LENGTH, topic)
        assert words.lesson in str(memory.card("user"))
        assert words.portrait in str(memory.direction("user"))
        assert memory.ledger("user").net == {"interaction": 1}
        events = [row for step in steps for row in step.events if row["kind"] == "evolution" and row.get("due")]
        assert [row["status"] for row in events] == ["started", "changed"]
