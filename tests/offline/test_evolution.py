"""The evolution loop by rules: weak complaints, what they come to, and the two examples."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import HumanMessage

from previously import MemoryContext, Previously
from previously.offline import OfflineChatModel
from previously.offline.complaints import TOPICS, topic_of
from previously.offline.direction_view import read_direction
from previously.offline.reading import reactions, statements
from previously.prompts.analyze import TurnAnalysis
from previously.prompts.evolution import Evolution, Playbooks
from previously.prompts.registry import get_prompt
from previously.replay import replay
from previously.state.direction_rules import check_line, check_portrait
from previously.transcripts import load_transcripts

from .prompting import TOOLS, Row, analysis_prompt, card_prompt, evolution_prompt, row

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
LENGTH = TOPICS["length"]

COMPLAINTS = {
    "length": [
        "That's too long.", "Phew, that is a wall of text.", "Again so much, I only asked for the time.",
        "I didn't need all of that.", "Too long, I stopped reading.", "Your answer is way too long.", "Way too long.", "Too wordy.",
        "ugh, another essay. What time does it open?", "I just wanted one line.", "tl;dr", "Hm, so much text again.",
        "You lost me halfway.", "Well, that was a lecture.", "Could have been one sentence.", "Bit long-winded.",
        "That's a lot to read for a yes or no.", "Okay, but that's far too much detail.", "A yes or no would have been enough.",
        "All that for a train time?", "Again with the long answers...", "That's way more than I asked for.", "Why so long?",
        "Nice, but too long.", "I asked for a number, not an essay.", "My eyes glazed over.", "I can't read all this right now.",
        "太长了。", "你这回答太长了，看不下去", "又是一大段。", "说了这么多，我只想问几点", "没必要说这么多", "字太多了", "唉，又写了这么长",
        "一大堆字，眼睛都花了", "没必要这么多", "你好啰嗦", "说了一大堆，也没说到点上", "怎么这么长", "一句话就够了", "废话有点多", "太长不看",
    ],
    "vague": [
        "That doesn't answer my question.", "Too vague.", "That's pretty vague.", "That's not very specific.",
        "You still haven't answered my question.", "太笼统了", "还是没回答我的问题", "说得太笼统了", "说了等于没说",
    ],
    "jargon": [
        "It's a bit too technical for me.", "Way too technical.", "That went over my head.", "So much jargon.", "太专业了，看不懂", "术语太多",
    ],
    "lists": [
        "Too many bullet points.", "Again with the bullet points.", "Bullet points again, hm.", "Another list.", "又是列表", "怎么又是一堆要点",
    ],
    "questions": ["You ask too many questions.", "So many questions...", "Why all the questions?", "你问题太多了", "怎么又问我", "老是反问我"],
    "memory": [
        "I mentioned that before.", "Don't you remember?", "As I said before, it is Tuesday.", "I've told you this before.",
        "We've been over this.", "Did you forget?", "上次就提过", "你不记得了吗", "不是说过了吗", "怎么又忘了",
    ],
    "sources": [
        "That source is outdated.", "The link is dead.", "You could have looked that up.", "Still no source.", "又没有出处", "查都没查", "链接又打不开",
    ],
    "reasoning": [
        "Your reasoning doesn't add up.", "You didn't think that through.", "You skipped a step.", "That's a bit superficial.",
        "逻辑不通", "想得太浅了", "前后矛盾",
    ],
}  # fmt: skip
ORDINARY = [
    "The movie was too long.", "The queue was far too long", "This essay of mine is too long, can you shorten it?",
    "I saw a film. The ending was too long.", "I saw a film with my sister. It was too long.", "My day was too long.",
    "I need a short summary of the book.", "It's too long since we spoke.", "It's too long a drive for one day.", "So long!",
    "I only asked for a raise because my boss promised.", "I just wanted a quick chat about my day", "So much to do today!",
    "We talked about the trip at length.", "That is so much fun!", "That's so much better.", "Too much coffee today.",
    "It's very long, about 300 metres.", "That's very detailed, thanks!", "Too many questions in the exam today.",
    "Too many bullet points in my slides, can you fix them?", "Another list please.", "I didn't need all that luggage.",
    "I don't want a whole pizza.", "I stopped reading at midnight.", "It's too complicated with my family.", "A novel about tides",
    "Another essay due tomorrow.", "It was a lecture by my professor.", "We covered that last year at school.", "The report was too vague.",
    "How many times do I have to water it?", "My reasoning is that we go early.", "The source of the river is dry.",
    "Too long, my commute.", "A word would have been nice from him.", "I told you so many nice things",
    "电影太长了", "今天的会开得太长了", "我的论文太长了，帮我删一下", "这部小说太长", "我只想问一下你今天怎么样", "太长了，我的头发", "好长时间没见了",
    "这么长的路我走不动", "一大堆作业没写", "没必要这么多人去", "不用写这么多作业了", "看不下去这部剧", "公司的问题太多", "我妈一直问我什么时候结婚",
    "之前提过的那家店在哪", "我之前讲过课", "说了这么多遍他还不听", "我忘了带钥匙", "昨晚去看了个新上的电影。太长了。",
]  # fmt: skip
MILD = {
    "length": ["Hm, that's a lot.", "In short?", "能短点吗", "一句话说呢"],
    "vague": ["Such as?", "比如呢"],
    "jargon": ["In plain words?", "说人话"],
    "memory": ["We had that, I think.", "还记得吗"],
    "sources": ["Says who?", "来源呢"],
    "reasoning": ["How does that follow?", "怎么得出来的"],
}


def cases(table: dict[str, list[str]]) -> list[tuple[str, str]]:
    return [(text, topic) for topic, texts in table.items() for text in texts]


@pytest.mark.parametrize(("text", "topic"), cases(COMPLAINTS), ids=str)
def test_a_weak_complaint_is_heard(text: str, topic: str) -> None:
    (reaction,) = reactions(text)
    assert (reaction.delta, reaction.bucket) == (-1, TOPICS[topic].bucket)
    assert reaction.quote in text
    assert topic_of(reaction.quote) is TOPICS[topic]


@pytest.mark.parametrize("text", ["You didn't answer my question.", "你没回答我的问题"])
def test_an_open_complaint_stays_one_and_has_a_topic(text: str) -> None:
    assert [reaction.delta for reaction in reactions(text)] == [-2]
    assert topic_of(text) is TOPICS["vague"]


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


@pytest.mark.parametrize("texts", [("That's wrong.", "No.", "Hm."), ()])
def test_what_is_no_pattern_changes_nothing(texts: tuple[str, ...]) -> None:
    answer = ask(Evolution, evolution_prompt("evolve_direction", *scored(*texts)))
    assert (answer["operations"], answer["card"], answer["playbooks"]) == ([], False, [])
    assert answer["summary"] == ""


def test_a_single_complaint_is_a_guess_and_no_lesson() -> None:
    briefs = [{"colleague": "recall", "text": ""}]
    prompt = evolution_prompt("evolve_direction", *scored("That's too long."), playbooks=briefs)
    answer = ask(Evolution, prompt)
    (operation,) = answer["operations"]
    assert (operation["op"], operation["text"]) == ("add_hypothesis", LENGTH.english.guess)
    assert operation["falsify"] == LENGTH.english.falsify
    assert (answer["card"], answer["playbooks"]) == (False, [])
    known = f"# Hypotheses\n- [proposed 2026-08-01-0900] {LENGTH.chinese.guess} — falsify if: x"
    again = evolution_prompt("evolve_direction", *scored("That's too long."), direction=known)
    assert ask(Evolution, again)["operations"] == []


def test_a_full_list_of_guesses_gets_no_more() -> None:
    full = "\n".join(["# Hypotheses", *(f"- [proposed 2026-08-01-0900] Guess {n} — falsify if: x" for n in range(10))])
    prompt = evolution_prompt("evolve_direction", *scored(*LONG), direction=full)
    assert ask(Evolution, prompt)["operations"] == []


@pytest.mark.parametrize("line", [
    "Skims long replies and asks again", "Wants brief answers", "看到长篇的回答会跳过", "更喜欢简短的回答",
])  # fmt: skip
def test_a_portrait_in_other_words_is_recognised(line: str) -> None:
    direction = f"# Portrait\n## Communication preferences\n- {line} — refs: [2026/08/01/0900#1]"
    prompt = evolution_prompt("evolve_direction", *scored(*LONG, slices=2), direction=direction)
    assert ask(Evolution, prompt)["operations"] == []


def test_a_guess_about_long_answers_is_no_portrait() -> None:
    guess = "# Hypotheses\n- [proposed 2026-08-01-0900] Wants brief answers — falsify if: x"
    prompt = evolution_prompt("evolve_direction", *scored(*LONG, slices=2), direction=guess)
    assert [each["op"] for each in ask(Evolution, prompt)["operations"]] == ["add_portrait_entry"]


def test_lines_of_a_direction_are_read_tolerantly() -> None:
    view = read_direction(
        [
            "#Portrait\n## Values & boundaries",
            " * Keeps promises  —  refs: [x]",
            "",
            "Loose text",
            "# 假设",
            "-  A guess",
        ]
    )
    assert (view.portrait, view.hypotheses) == (["Keeps promises"], ["A guess"])
    assert read_direction(["- [proposed x] G — falsify if: y"]).hypotheses == ["[proposed x] G — falsify if: y"]


def test_a_score_without_a_quotation_is_about_what_its_turn_says() -> None:
    turns, ledger = scored(*LONG, slices=2)
    odd = [{"turn": None, "delta": -1}, {"turn": "m1", "delta": "x", "evidence": 3}, {"delta": -1}]
    prompt = evolution_prompt(
        "evolve_direction", turns, [{**each, "evidence": "stopped after 2 s"} for each in ledger] + odd
    )
    (operation,) = ask(Evolution, prompt)["operations"]
    assert operation["refs"] == ["m1", "m2", "m3"]


def test_a_turn_named_by_its_ref_counts_once() -> None:
    turns, ledger = scored(*LONG[:2])
    prompt = evolution_prompt("evolve_direction", turns, [*ledger, {**ledger[0], "turn": turns[0]["ref"]}])
    assert not ask(Evolution, prompt)["card"]


def test_the_schema_in_words_gives_json_text() -> None:
    for form, name in ((Evolution, "evolve_direction"), (Playbooks, "evolve_playbooks")):
        asked = get_prompt("json_answer", "en").text(schema=json.dumps(form.model_json_schema()))
        prompt = evolution_prompt(name, *scored(*LONG, slices=2), playbooks=[{"colleague": "search", "text": ""}])
        answer = OfflineChatModel().invoke([*prompt, HumanMessage(asked)])
        assert form.model_validate_json(answer.text).playbooks
        assert not answer.tool_calls


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


def test_a_sentence_goes_to_the_colleague_it_is_meant_for_and_only_where_it_fits() -> None:
    texts = ("I mentioned that before.", "上次就提过", "I told you already.")
    briefs = [{"colleague": "recall", "text": "x" * 1_990}, {"colleague": "search", "text": ""}]
    evidence = scored(*texts, slices=2)
    assert ask(Evolution, evolution_prompt("evolve_direction", *evidence, playbooks=briefs))["playbooks"] == ["recall"]
    assert ask(Playbooks, evolution_prompt("evolve_playbooks", *evidence, playbooks=briefs))["playbooks"] == []


def lessons(*complaints: str, card: str = "", refs: bool = False) -> list[tuple[str, dict[str, Any]]]:
    turns = [row(f"m{number}", text) for number, text in enumerate(complaints, 1)]
    triggers = [
        {
            "kind": "pressure",
            "turn": turn["ref" if refs else "id"],
            "bucket": "interaction",
            "reason": f"-1: {turn['text']}",
        }
        for turn in turns
    ]
    prompt = card_prompt([*turns, row("m9", "I moved to Porto in 2024.")], card, triggers=triggers)
    return [(call["name"], call["args"]) for call in OfflineChatModel().bind_tools(TOOLS).invoke(prompt).tool_calls]


@pytest.mark.parametrize("refs", [False, True])
def test_the_card_gets_the_lesson_and_nothing_else(refs: bool) -> None:
    lesson = ("add_self_model", {"text": LENGTH.english.lesson, "refs": ["m1"]})
    assert lessons(LONG[0], refs=refs) == [lesson]
    assert lessons("说了这么多", "太长了")[0][1] == {"text": LENGTH.chinese.lesson, "refs": ["m1", "m2"]}
    (made,) = lessons(*LONG, "Too vague.")
    assert made == ("add_self_model", {"text": LENGTH.english.lesson, "refs": ["m1", "m2", "m3"]})


def test_a_lesson_on_the_card_is_not_learned_again() -> None:
    card = f"## Self-model\n- {LENGTH.chinese.lesson} — refs: [2026/08/01/0900#1]"
    assert [name for name, _ in lessons(*LONG, card=card)] == ["finish"]
    assert [name for name, _ in lessons("Ratatouille is French.")] == ["finish"]


@pytest.mark.parametrize(("text", "topic"), cases(MILD), ids=str)
def test_a_mild_sign_belongs_to_a_topic(text: str, topic: str) -> None:
    before = [row("m2", "Where is Rome?"), row("m3", "In Italy.", role="assistant")]
    for portrait, bucket in (([TOPICS[topic].english.portrait], [TOPICS[topic].bucket]), ([], [])):
        answer = ask(TurnAnalysis, analysis_prompt([row("m1", text)], before, portrait=portrait))
        assert [each["bucket"] for each in answer["fitness"]] == bucket


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


@pytest.mark.parametrize("file", ["long_answers.jsonl", "long_answers_zh.jsonl"])
def test_the_example_complains_five_times_of_one_thing(file: str) -> None:
    (transcript,) = load_transcripts(EXAMPLES / file)
    texts = [message.text for message in transcript.messages]
    heard = [
        (number, reaction)
        for number, message in enumerate(transcript.messages)
        if isinstance(message, HumanMessage)
        for reaction in reactions(message.text)
    ]
    assert [reaction.delta for _, reaction in heard] == [-1] * 5 + [1]
    places = [number for number, reaction in heard if reaction.delta < 0]
    assert {topic_of(reaction.quote) for _, reaction in heard[:5]} == {LENGTH}
    assert all(not any(each.explicit for each in statements(texts[number], date(2026, 9, 7))) for number in places)
    assert all(len(re.findall(r"[a-z']+|[\u4e00-\u9fff]", texts[number - 1], re.IGNORECASE)) > 60 for number in places)
    assert len(texts) - places[-1] > 3


@pytest.mark.parametrize("text", ["That's not what I asked for.", "这不是我要的。", "That's wrong."])
def test_a_correction_is_about_no_topic(text: str) -> None:
    assert [reaction.delta for reaction in reactions(text)] == [-2]
    assert topic_of(text) is None


@pytest.mark.parametrize(("file", "topic"), [("long_answers.jsonl", "english"), ("long_answers_zh.jsonl", "chinese")])
def test_the_example_ends_with_a_changed_self_model(file: str, topic: str, tmp_path: Path) -> None:
    (transcript,) = load_transcripts(EXAMPLES / file)
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
