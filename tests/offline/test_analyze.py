from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from previously.offline.analyze import analyze
from previously.prompts import en, zh_hans
from previously.prompts.analyze import TurnAnalysis

from .prompting import Row, analysis_prompt, row

REPLY = row("m4", "Here is a list.", role="assistant")


def analysed(*turn: Row, **more: Any) -> dict[str, Any]:
    return analyze(analysis_prompt(turn, **more)[-1].text)


def test_small_talk_is_not_worth_remembering() -> None:
    answer = analysed(row("m1", "Hello, how are you?"))
    assert answer["intent"] == "chat"
    assert answer["memory_worthy"] is False
    assert answer["memory_update"] is None
    assert answer["fitness"] == answer["markings"] == []
    assert answer["evolve_card"] is None


@pytest.mark.parametrize(
    ("text", "section", "content"),
    [
        ("Please stop using emojis.", "self_model", "Stop using emojis"),
        ("Remember that I'm allergic to nuts.", "past", "The user is allergic to nuts"),
        ("Call me Al.", "identity", "Call me Al"),
        ("Remember that my exam is on September 5.", "horizon", "The user's exam is on September 5"),
        ("以后别用表情了。", "self_model", "以后别用表情了"),
        ("记住我对花生过敏。", "past", "用户对花生过敏"),
        ("Update your card.", None, "Update your card."),
    ],
)
def test_an_explicit_wish_is_passed_on_with_its_words(text: str, section: str | None, content: str) -> None:
    wish = analysed(row("m1", text))["memory_update"]
    assert wish["section"] == section
    assert wish["content"] == content
    assert wish["quote"] in text


def test_a_complaint_is_about_the_reply_before() -> None:
    complaint = row("m1", "That's wrong. I asked for dates.")
    scores = analysed(complaint, before=[row("m3", "When?"), REPLY])["fitness"]
    assert scores == [{"bucket": "interaction", "delta": -2, "evidence": "That's wrong.", "signal": None}]
    assert analysed(complaint)["fitness"] == []


def test_an_instruction_is_not_a_score() -> None:
    answer = analysed(row("m1", "That's wrong. Stop using lists."), before=[REPLY])
    assert answer["fitness"] == []
    assert answer["memory_update"]["section"] == "self_model"


def test_existing_strands_are_reused_across_languages() -> None:
    answer = analysed(row("m1", "I'm training for a marathon and learning guitar."), strands=["跑步", "Lao Zhou"])
    assert answer["tags"] == {"reuse": ["跑步"], "create": ["music"]}
    answer = analysed(row("m1", "最近在准备马拉松"), strands=["running"])
    assert answer["tags"] == {"reuse": ["running"], "create": []}
    assert answer["hint"]["strands"] == ["running"]


def test_slices_are_marked_from_the_user_s_own_words() -> None:
    rows = [
        row("m1", "Hi!"),
        row("m2", "I'm your assistant and my name is Bob.", role="assistant"),
        row("m3", "My flight to Oslo is on August 28. I can't wait!"),
    ]
    answer = analysed(
        row("m9", "ok"),
        slices=[{"id": "s1", "closing": True, "turns": rows}, {"id": "s2", "closing": False, "turns": []}],
    )
    first, second = answer["markings"]
    assert first["slice"] == "s1"
    assert first["focus"] == "My flight to Oslo is on August 28."
    assert first["summary"] == "My flight to Oslo is on August 28."
    assert first["tags"] == ["travel"]
    assert first["tone"] == "positive"
    assert second["slice"] == "s2"
    assert answer["evolve_card"]["worth"] is True


def test_a_slice_without_a_statement_is_not_worth_a_run() -> None:
    rows = [
        row("m1", "What is the capital of France?"),
        row("m2", "Paris. From now on, ask me more.", role="assistant"),
    ]
    answer = analysed(row("m9", "ok"), slices=[{"id": "s1", "closing": True, "turns": rows}])
    assert answer["evolve_card"]["worth"] is False


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("Why does my code raise this error?", "code_debug"),
        ("Write a function that sorts dates.", "code_write"),
        ("Please proofread my letter.", "review"),
        ("What do you mean?", "clarify"),
        ("Explain tides.", "explain"),
        ("代码报错了", "code_debug"),
        ("写个排序函数", "code_write"),
        ("什么意思？没看懂", "clarify"),
        ("今天好累", "chat"),
    ],
)
def test_the_intent(text: str, intent: str) -> None:
    assert analysed(row("m1", text))["intent"] == intent


@pytest.mark.parametrize(
    ("text", "intensity", "register"),
    [
        ("Ugh, I'm so annoyed!!", "strong", "frustrated"),
        ("I feel a bit lonely.", "light", "emotional"),
        ("I can't wait for the trip", "light", "excited"),
        ("haha nice", "light", "humorous"),
        ("好烦啊", "light", "frustrated"),
        ("The train leaves at nine.", "none", "neutral"),
    ],
)
def test_the_feeling(text: str, intensity: str, register: str) -> None:
    emotion = analysed(row("m1", text))["emotion"]
    assert (emotion["intensity"], emotion["register"]) == (intensity, register)
    assert emotion["note"] in text


def test_the_prompts_themselves_hold_nothing_that_could_be_remembered() -> None:
    for prompts in (en.PROMPTS, zh_hans.PROMPTS):
        text = f"{prompts['analyze'].system}\n{prompts['analyze'].user}\n{prompts['evolve_card'].system}"
        answer = analyze(text)
        assert answer["memory_worthy"] is False
        assert answer["memory_update"] is None


@given(st.text(max_size=80), st.text(max_size=80), st.text(max_size=30))
def test_any_turn_gets_a_valid_analysis_with_true_evidence(said: str, earlier: str, at: str) -> None:
    answer = analysed(
        row("m1", said, at=at),
        before=[row("m2", earlier), REPLY],
        slices=[{"id": "s1", "closing": True, "turns": [row("m1", said), row("m2", earlier)]}],
    )
    assert TurnAnalysis.model_validate(answer).model_dump(mode="json") == answer
    assert all(score["evidence"] in said for score in answer["fitness"])


@given(st.text())
def test_any_prompt_gets_a_valid_analysis(prompt: str) -> None:
    TurnAnalysis.model_validate(analyze(prompt))
