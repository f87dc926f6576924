from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from previously.stores.search.lexical import Lexical
from previously.stores.search.segment import language_of, split, stem


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Anna's DOG, don't!", ["anna", "dog", "don"]),
        ("x_1 2026-03-02", ["x", "1", "2026", "03", "02"]),
        ("Ｆｕｌｌ　ｗｉｄｔｈ", ["full", "width"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("e\u0301t\u00e9", ["été"]),
    ],
)
def test_words(text: str, words: list[str]) -> None:
    assert split(text) == (words, [])


@pytest.mark.parametrize(
    ("text", "runs"),
    [
        ("我喜欢猫", {"我喜", "喜欢", "欢猫", "猫"}),
        ("東京タワー", {"東京", "京タ", "タワ", "ワー", "東"}),
        ("안녕하세요", {"안녕", "녕하", "하세", "세요"}),
        ("ฉันรัก", {"ฉัน", "ันร", "นรั", "รัก"}),
        ("猫", {"猫"}),
    ],
)
def test_scripts_without_spaces_become_overlapping_runs(text: str, runs: set[str]) -> None:
    words, found = split(text)
    assert not words
    assert runs <= set(found)


def test_mixed_scripts_are_told_apart() -> None:
    words, runs = split("我的iPhone坏了")
    assert words == ["iphone"]
    assert {"我的", "坏了"} <= set(runs)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("where is the key and what did you do with it", "english"),
        ("wo ist der schlüssel und was war das", "german"),
        ("dónde está la llave y cuando la dejé con el", "spanish"),
        ("où est la clé et qui est dans le jardin avec nous", "french"),
        ("onde está a chave que eu não tenho", "portuguese"),
        ("12345", None),
    ],
)
def test_the_language_shows_in_the_most_frequent_words(text: str, language: str | None) -> None:
    assert language_of(split(text)[0]) == language


@pytest.mark.parametrize(
    ("one", "other", "language"),
    [
        ("moving", "moved", "english"),
        ("häuser", "haus", "german"),
        ("canción", "canciones", "spanish"),
        ("собаки", "собака", "english"),
        ("أطفالكم", "أطفال", "english"),
    ],
)
def test_forms_of_a_word_share_a_stem(one: str, other: str, language: str) -> None:
    assert stem(one, language) == stem(other, language)


def test_scripts_without_a_stemmer_are_left_alone() -> None:
    assert stem("ბავშვები", "english") == "ბავშვები"


def test_a_question_finds_words_in_every_language_of_the_space() -> None:
    lexical = Lexical()
    for text in ("Die Häuser sind alt und der Garten ist groß", "The houses are old and the garden is big"):
        lexical.add(text)
    assert lexical.find("Haus").counts[0].tolist() == [1, 0, 0]
    assert lexical.find("house").counts[0].tolist() == [0, 1, 0]
    assert lexical.find("unheard").unknown == 1


@given(st.text(max_size=300))
@settings(max_examples=150)
def test_any_text_is_indexed_and_finds_itself(text: str) -> None:
    lexical = Lexical()
    lexical.add("something else")
    lexical.add(text)
    found = lexical.find(text)
    assert found.unknown == 0
    assert (found.counts[:, 1] > 0).all()
    assert lexical.lengths[1] == sum(map(len, split(text)))
