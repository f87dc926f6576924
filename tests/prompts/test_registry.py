from __future__ import annotations

import re

import pytest
from langchain_core.messages import HumanMessage, SystemMessage

from previously.prompts import en, zh_hans
from previously.prompts.registry import LANGUAGES, get_prompt, language_of
from previously.state.errors import InvalidInput

NAMES = sorted(en.PROMPTS)


@pytest.mark.parametrize("name", NAMES)
def test_both_languages_have_the_same_slots_and_version(name: str) -> None:
    english, chinese = get_prompt(name, "en"), get_prompt(name, "zh-Hans")
    assert english.slots == chinese.slots
    assert english.version == chinese.version
    assert bool(english.system) == bool(chinese.system)


def test_both_languages_have_the_same_prompts() -> None:
    assert en.PROMPTS.keys() == zh_hans.PROMPTS.keys()


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", NAMES)
def test_the_fixed_part_has_no_slot_and_no_clock(name: str, language: str) -> None:
    system = get_prompt(name, language).system
    assert not re.search(r"\{\w+\}", system)
    assert not re.search(r"\d{4}-\d\d", system)


@pytest.mark.parametrize("name", NAMES)
def test_a_chinese_prompt_is_written_in_chinese(name: str) -> None:
    prompt = get_prompt(name, "zh-Hans")
    assert language_of(f"{prompt.system}\n{prompt.user}") == "zh-Hans"


@pytest.mark.parametrize("name", ["analyze", "evolve_card"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_today_stands_after_the_evidence(name: str, language: str) -> None:
    user = get_prompt(name, language).user
    if "{today}" in user:
        assert user.index("{today}") > user.index("{turns}")


def test_messages_are_system_then_user_with_values_put_in_verbatim() -> None:
    prompt = get_prompt("analyze", "en")
    variables = dict.fromkeys(prompt.slots, "") | {"turn": "{before} {unknown} \\1 {{}}"}
    system, user = prompt.messages(**variables)
    assert isinstance(system, SystemMessage)
    assert system.text == prompt.system
    assert isinstance(user, HumanMessage)
    assert "{before} {unknown} \\1 {{}}" in user.text


def test_a_prompt_without_fixed_part_is_one_message() -> None:
    assert [message.type for message in get_prompt("repair", "en").messages(error="x")] == ["human"]


def test_a_missing_or_unknown_slot_is_named() -> None:
    with pytest.raises(InvalidInput, match="error: is missing"):
        get_prompt("repair", "en").messages()
    with pytest.raises(InvalidInput, match="colour: is not a slot"):
        get_prompt("repair", "en").text(error="x", colour="red")


@pytest.mark.parametrize("code", ["zh", "zh-CN", "zh_cn", "ZH-hans", " zh-Hans ", "zh-TW"])
def test_spellings_of_chinese(code: str) -> None:
    assert get_prompt("repair", code).language == "zh-Hans"


@pytest.mark.parametrize("code", ["en", "EN", "en-US", "en_gb"])
def test_spellings_of_english(code: str) -> None:
    assert get_prompt("repair", code).language == "en"


@pytest.mark.parametrize("code", ["fr", "", "english", "zhong"])
def test_an_unknown_language_names_the_known_ones(code: str) -> None:
    with pytest.raises(InvalidInput, match="en, zh-Hans"):
        get_prompt("repair", code)


def test_an_unknown_prompt_names_the_known_ones() -> None:
    with pytest.raises(InvalidInput, match="analyze"):
        get_prompt("summarise", "en")


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Hello there", "en"),
        ("你好", "zh-Hans"),
        ("帮我 debug 这个 Python function", "zh-Hans"),
        ("What does 你好 mean?", "en"),
        ("看看这段\n```python\nfor item in many_items: print(item)\n```", "zh-Hans"),
        ("```\n只有代码", "en"),
        ("こんにちは、元気ですか", "en"),
        ("", "en"),
        ("12345", "en"),
    ],
)
def test_language_of_a_text(text: str, language: str) -> None:
    assert language_of(text) == language


def test_the_card_block_has_the_same_bytes_every_time() -> None:
    prompt = get_prompt("memory_block", "en")
    first = prompt.text(card="# Previously On", as_of="2026-08-11")
    assert first == prompt.text(card="# Previously On", as_of="2026-08-11")
    assert first.count("2026") == 1
    assert "<card>\n# Previously On\n</card>" in first
