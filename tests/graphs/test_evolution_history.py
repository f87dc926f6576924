"""Twelve slices: a portrait grows from guesses that were borne out, and only from what was said."""

from __future__ import annotations

from typing import Any

import pytest

from previously.state.direction import HYPOTHESIS_CAP, parse_direction
from previously.state.paths import DIRECTION_PATH
from previously.testing import calls
from previously.tests.graphs.conftest import ANALYSIS
from previously.tests.graphs.evolving import NOTHING, entry, guess, scored, verdict

FINISH = calls(("finish", {"reasoning": "done", "summary": ""}))
COMPLAINT = scored(("interaction", -2, "too long"))
CONFIRMED, REFUTED, EXPIRED = "Decides faster after talking it over", "Likes long walks", "Avoids phone calls"

NEW = ("Sleeps badly before trips", "Trusts numbers more than words", "Reads the last page first", "Dislikes being rushed",
       "Gets chatty late in the evening", "Plans meals ahead", "Works in bursts", "Forgives mistakes quickly",
       "Collects maps")  # fmt: skip


class History:
    """A conversation of slices, each with an evolution run when three complaints came before it."""

    def __init__(self, talk: Any, runs: dict[int, dict[str, Any]]) -> None:
        self.slice = 0
        self.runs = runs
        self.seen: list[str] = []
        self.conversation = talk({"analyze": self._analysis, "evaluate": self._verdict, "previously_agent": FINISH})

    def _analysis(self, call: Any) -> Any:
        return COMPLAINT if "too long" in call.prompt.split("<turn>\n")[-1].split("</turn>")[0] else ANALYSIS

    def _verdict(self, call: Any) -> Any:
        self.seen.append(call.prompt)
        return self.runs.get(self.slice, NOTHING)

    def play(self, number: int) -> None:
        """Talk for one slice: a greeting, and where a run is wanted, complaints and what follows on them."""
        self.slice = number
        self.conversation.say(f"Day {number}.", minutes=600)
        if number in self.runs:
            for count in range(3):
                self.conversation.say(f"{number}.{count}: too long")
            self.conversation.say(f"Go on, {number}.")

    def direction(self) -> Any:
        head = self.conversation.memory.services.store.head("alex", DIRECTION_PATH)
        return parse_direction(head.text if head else "").direction

    def guesses(self) -> list[str]:
        return [each.text for each in self.direction().hypotheses]


def promote(refs: list[str]) -> dict[str, Any]:
    return {
        "op": "promote_hypothesis",
        "match": CONFIRMED,
        "dimension": "Patterns & loops",
        "text": CONFIRMED,
        "refs": refs,
    }


@pytest.fixture
def history(talk: Any) -> History:
    return History(talk, {})


def test_twelve_slices(history: History) -> None:
    store = history.conversation.memory.services.store
    history.runs[1] = verdict(
        entry("Loses patience with long answers", "m1"), guess(CONFIRMED), guess(REFUTED), guess(EXPIRED)
    )
    for number in (1, 2):
        history.play(number)
    assert history.guesses() == [CONFIRMED, REFUTED, EXPIRED]
    history.runs[3] = verdict({"op": "remove_hypothesis", "match": REFUTED})
    history.play(3)
    assert history.guesses() == [CONFIRMED, EXPIRED]
    history.play(4)
    slices = [item.slice_id for item in store.slices("alex")]
    refs = [slice_id.replace("-", "/") + "#1" for slice_id in slices[1:3]]
    history.runs[5] = verdict(promote(refs), *map(guess, NEW))
    history.play(5)
    patterns = history.direction().portrait["Patterns & loops"]
    assert [(line.text, len({ref.slice_id for ref in line.refs})) for line in patterns] == [(CONFIRMED, 2)]
    assert len(history.guesses()) == HYPOTHESIS_CAP
    history.play(6)  # its first turn ends slice 5, the fourth since the guess was made in slice 1
    assert EXPIRED not in history.guesses()
    assert len(history.guesses()) == HYPOTHESIS_CAP - 1
    expired = [document for document in store.revisions("alex", DIRECTION_PATH) if document.meta["retired"]]
    assert [document.meta["retired"] for document in expired] == [[EXPIRED]]
    for number in range(7, 10):
        history.play(number)
        assert len(history.guesses()) == HYPOTHESIS_CAP - 1
    history.play(10)  # nothing ran since slice 5: the close of the fourth slice after it is enough
    assert history.guesses() == []
    history.runs[11] = verdict(guess(EXPIRED))
    history.play(11)
    assert history.guesses() == [EXPIRED]  # on new evidence it may be proposed again, with a new clock
    assert history.direction().hypotheses[0].proposed == store.slices("alex")[-1].slice_id
    history.play(12)
    assert history.guesses() == [EXPIRED]
    for _, line in history.direction().entries():
        assert line.refs
        assert all(store.resolves("alex", ref) for ref in line.refs)


def test_one_slice_is_not_enough_in_steady_mode(history: History) -> None:
    history.runs[1] = verdict(guess(CONFIRMED))
    history.runs[2] = verdict(promote(["m1", "m3"]))
    for number in (1, 2):
        history.play(number)
    runs = history.conversation.memory.evolutions("alex").runs
    assert [run.status for run in runs] == ["changed", "rejected"]
    assert "2 different ones are needed" in runs[-1].reasons[0]
    assert history.guesses() == [CONFIRMED]


def test_the_user_s_own_word_is_enough(history: History) -> None:
    history.runs[1] = verdict(guess(CONFIRMED))
    history.runs[2] = verdict({**promote(["m1"]), "said": "m1", "quote": "Day 2"})
    for number in (1, 2):
        history.play(number)
    assert [run.status for run in history.conversation.memory.evolutions("alex").runs] == ["changed", "changed"]
    assert history.guesses() == []
