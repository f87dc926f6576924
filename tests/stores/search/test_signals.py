from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from previously.state.turn import Turn, content_hash
from previously.stores.search import signals
from previously.stores.search.corpus import Corpus, indexed_text
from previously.stores.search.lexical import Lexical
from previously.stores.search.signals import SIGNALS, Evidence, contributions, standard

START = datetime(2026, 3, 2, 9, tzinfo=UTC)
TALK = (
    ("one", "Ann", "Did you find the kayak paddle?"),
    ("one", "Ben", "Yes, it stood in the garage behind the skis."),
    ("one", "Ann", "Great, then nothing stops us."),
    ("two", "Ben", "The paddle tennis court is closed."),
    ("two", "Ann", "Ok."),
)


def evidence(query: str, cosines: list[float] | None = None, **changes: object) -> Evidence:
    corpus, lexical = Corpus(), Lexical()
    numbers: dict[str, int] = {}
    for index, (name, speaker, text) in enumerate(TALK):
        numbers[name] = numbers.get(name, 0) + 1
        turn = Turn(
            space="a",
            id=f"t{index}",
            seq=index + 1,
            slice_id=name,
            number=numbers[name],
            thread="main",
            role="user",
            speaker=speaker,
            authority="owner",
            trust="trusted",
            text=text,
            hash=content_hash(text),
            event_time=START + timedelta(days=index),
            ingested_at=START,
        )
        corpus.add(turn)
        lexical.add(indexed_text(turn))
    values: dict[str, object] = {
        "corpus": corpus,
        "matches": lexical.find(query),
        "lengths": np.array(lexical.lengths),
        "cosines": None if cosines is None else np.array(cosines, np.float32),
        "background": (0.0, 0.1),
        "named": frozenset(),
        "windows": (),
        **changes,
    }
    return Evidence(**values)  # type: ignore[arg-type]


def order(values: np.ndarray) -> list[int]:
    return np.argsort(-values, kind="stable").tolist()


def test_words_count_in_the_turn() -> None:
    assert set(order(signals.words(evidence("paddle")))[:2]) == {0, 3}


def test_words_near_reach_the_neighbours_but_not_the_next_slice() -> None:
    found = signals.words_near(evidence("kayak"))
    assert order(found)[:2] == [0, 1]
    assert found[2] == found[3] == found[4]


def test_words_of_a_slice_count_for_all_its_turns() -> None:
    found = signals.words_slice(evidence("skis"))
    assert found[0] == found[1] == found[2] > found[3] == found[4]


def test_meaning_is_the_cosine_and_words_speak_for_a_turn_without_a_vector() -> None:
    some = evidence("great kayak", [0.9, 0.1, float("nan"), 0.1, 0.1])
    found = signals.meaning(some)
    assert found[0] > 0 > found[1]
    assert found[2] == signals.words(some)[2] > 0


def test_meaning_near_is_a_mean_with_the_neighbours() -> None:
    found = signals.meaning_near(evidence("x", [0.9, 0.2, 0.9, 0.3, 0.3]))
    assert found[1] > found[3]


def test_meaning_of_a_slice_is_its_best() -> None:
    found = signals.meaning_slice(evidence("x", [0.1, 0.9, 0.1, 0.5, 0.5]))
    assert found[0] == found[1] == found[2] > found[3] == found[4]


def test_the_named_speaker_is_marked() -> None:
    assert signals.speaker(evidence("x", named=frozenset({1}))).tolist() == [0, 1, 0, 1, 0]
    assert signals.speaker(evidence("x")).tolist() == [0] * 5


def test_a_named_time_is_marked_and_the_week_behind_it_by_half() -> None:
    window = ((START + timedelta(hours=12)).timestamp(), (START + timedelta(days=1, hours=12)).timestamp())
    assert signals.date(evidence("x", windows=(window,))).tolist() == [0, 1, 0.5, 0.5, 0.5]


def test_long_turns_and_statements_are_better_evidence() -> None:
    assert order(signals.length(evidence("x")))[-1] == 4
    assert signals.question(evidence("x")).tolist() == [1, 0, 0, 0, 0]


def test_an_answer_takes_over_from_its_question() -> None:
    found = signals.answer(evidence("kayak paddle"))
    assert order(found)[0] == 1
    assert found[[0, 2, 3, 4]].tolist() == [0, 0, 0, 0]


def test_semantic_signals_are_left_out_without_an_embedding() -> None:
    assert set(contributions(evidence("paddle"))) == {signal.name for signal in SIGNALS if not signal.semantic}
    assert set(contributions(evidence("paddle", [0.1] * 5))) == {signal.name for signal in SIGNALS}


def test_weights_are_round() -> None:
    assert all(abs(signal.weight) in (0.5, 1, 4) for signal in SIGNALS)
    assert all(signal.of.__doc__ for signal in SIGNALS)


@pytest.mark.parametrize("values", [[], [1.0], [2.0, 2.0], [float("nan")] * 3])
def test_standardising_what_is_all_the_same_gives_nothing(values: list[float]) -> None:
    assert standard(np.array(values, np.float32)).tolist() == [0] * len(values)


def test_standardised_values_have_mean_0_and_deviation_1() -> None:
    found = standard(np.array([1, 2, 3, 10], np.float32))
    assert found.mean() == pytest.approx(0, abs=1e-6)
    assert found.std() == pytest.approx(1, abs=1e-6)
