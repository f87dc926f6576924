"""The ledger over each database: generations, proofs, and facts that are judged once."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from sqlalchemy import text as sql

from previously.state.commit import Bucket, NewJob, Score, Settlement
from previously.state.errors import Failure
from previously.state.signal import SIGNAL_DETAIL, NewSignal, SignalKind
from previously.stores.database import Store
from previously.tests.stores.given import START, commit, say, turn

AGENT = "a"


def score(number: int, delta: int = -1, bucket: Bucket = "interaction", **more: Any) -> Score:
    given = {"agent": AGENT, "evidence": "too long", "turn_id": f"t{number}", "slice_id": "2026-08-11-1227"}
    return Score(**{**given, "bucket": bucket, "delta": delta, **more})


def scored(store: Store, *scores: Score, key: str = "scores", **more: Any) -> Any:
    return store.commit(commit(key, scores=scores, **more))


def fact(key: str, kind: SignalKind = "recall_rework", **more: Any) -> NewSignal:
    given = {"agent": AGENT, "thread": "t", "detail": f"detail of {key}", "at": START}
    return NewSignal(**{**given, "key": key, "kind": kind, **more})


@pytest.fixture
def said(store: Store) -> Store:
    say(store, *(turn(number, f"{number}: that is too long") for number in range(1, 9)))
    return store


@pytest.mark.parametrize(("deltas", "net"), [
    ([-1] * 5, -5), ([-2, -2, -1], -5), ([-2, -2], -4), ([-2, -2, -2, 1], -5), ([-2, -2, -2, 1, 1], -4),
    ([0, 0], 0), ([-3, 2, 7], 0),
])  # fmt: skip
def test_the_net_is_the_sum_of_what_holds(said: Store, deltas: list[int], net: int) -> None:
    scored(said, *(score(number, delta) for number, delta in enumerate(deltas, 1)))
    assert said.ledger.net("alex", AGENT) == {"interaction": net}


def test_agents_buckets_and_spaces_are_apart(said: Store) -> None:
    say(said, turn(1, "too long"), space="bo")
    scored(said, score(1), score(1, bucket="card"), score(2, agent="b"), score(3, agent="b"))
    said.commit(commit("other", space="bo", scores=(score(1, -2),)))
    assert said.ledger.net("alex", AGENT) == {"interaction": -1, "card": -1}
    assert said.ledger.net("alex", "b") == {"interaction": -2}
    assert said.ledger.net("bo", AGENT) == {"interaction": -2}
    assert said.ledger.net("nobody", AGENT) == {}


def test_a_turn_counts_once_in_a_bucket(said: Store) -> None:
    scored(said, score(1), score(1, -2), score(1, bucket="recall"))
    scored(said, score(1), key="again")
    assert said.ledger.net("alex", AGENT) == {"interaction": -1, "recall": -1}
    assert [row.delta for row in said.ledger.scores("alex", AGENT)] == [-1, 0, -1, 0]


@pytest.mark.parametrize(
    "who", [{"authority": "paired"}, {"authority": "unpaired", "trust": "pending"}, {"role": "assistant"}]
)
def test_only_the_owner_s_own_words_are_a_proof(store: Store, who: dict[str, str]) -> None:
    say(store, turn(1, "that is too long", **who))
    scored(store, score(1))
    assert store.ledger.net("alex", AGENT) == {"interaction": 0}


def test_settling_ends_a_generation_for_what_was_read(said: Store) -> None:
    scored(said, score(1), score(2, bucket="card"), score(3, 1, bucket="recall"), score(4, agent="b"))
    upto = said.ledger.scores("alex", AGENT)[-1].id
    scored(said, score(5), key="meanwhile")
    done = said.commit(commit("settle", settle=Settlement(agent=AGENT, upto=upto)))
    assert said.ledger.net("alex", AGENT) == {"interaction": -1}
    assert said.ledger.net("alex", "b") == {"interaction": -1}
    assert {row.settled for row in said.ledger.scores("alex", AGENT, settled=True)} == {done.seq}
    assert len(said.ledger.scores("alex", AGENT)) == 4
    assert said.commit(commit("settle", settle=Settlement(agent=AGENT, upto=99))).repeated
    assert said.ledger.net("alex", AGENT) == {"interaction": -1}


def test_a_fact_is_recorded_once_by_its_key(said: Store) -> None:
    threads = [threading.Thread(target=said.ledger.record, args=("alex", fact("one"))) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    said.ledger.record("alex", fact("two", detail="two\n lines " + "x" * 900))
    said.ledger.record("bo", fact("one"))
    one, two = said.ledger.signals("alex", agent=AGENT)
    assert (one.key, one.id, one.judged, one.data) == ("one", 1, None, {})
    assert two.detail.startswith("two lines xx")
    assert len(two.detail) == SIGNAL_DETAIL
    assert said.ledger.record("alex", fact("one", detail="other")) == one


def test_odd_characters_do_no_harm(said: Store) -> None:
    kept = said.ledger.record("alex", fact("k\x00", detail="a\x00\ud800b", agent="ag\x00ent", data={"slice": "\ud800"}))
    assert kept.detail == "a␀�b"
    assert said.ledger.signals("alex", agent="ag\x00ent") == [kept]


def test_facts_are_filtered(said: Store) -> None:
    for number, (kind, thread) in enumerate((("recall_verify", "t"), ("recall_rework", "t"), ("recall_rework", "u"))):
        said.ledger.record("alex", fact(f"k{number}", kind, thread=thread))
    found = said.ledger.signals("alex", agent=AGENT, thread="t", kinds=["recall_rework"], judged=False)
    assert [each.key for each in found] == ["k1"]
    assert [each.key for each in said.ledger.signals("alex", agent=AGENT, newest_first=True, limit=2)] == ["k2", "k1"]
    assert said.ledger.signals("alex", agent="b") == []


def test_a_fact_is_judged_once_and_may_bear_out_one_score(said: Store) -> None:
    first = said.ledger.record("alex", fact("one"))
    resting = score(1, bucket="recall", evidence=first.detail, signal=first.id)
    done = scored(said, resting, judged=(first.id,))
    assert said.ledger.net("alex", AGENT) == {"recall": -1}
    assert said.ledger.signals("alex", agent=AGENT, judged=False) == []
    assert said.ledger.signals("alex", agent=AGENT, judged=True)[0].judged == done.seq
    scored(said, score(2, bucket="recall", evidence=first.detail, signal=first.id), key="again", judged=(first.id,))
    assert said.ledger.net("alex", AGENT) == {"recall": -1}
    assert said.ledger.signals("alex", agent=AGENT)[0].judged == done.seq


@pytest.mark.parametrize("wrong", [
    {"delta": -2}, {"delta": 1}, {"bucket": "interaction"}, {"evidence": "something else"}, {"evidence": " "},
    {"agent": "b"}, {"signal": 99},
])  # fmt: skip
def test_a_fact_bears_out_nothing_else(said: Store, wrong: dict[str, Any]) -> None:
    kept = said.ledger.record("alex", fact("one"))
    given = {"bucket": "recall", "evidence": kept.detail, "signal": kept.id, **wrong}
    scored(said, score(1, given.pop("delta", -1), given.pop("bucket"), **given))
    assert set(said.ledger.net("alex", wrong.get("agent", AGENT)).values()) == {0}


@pytest.mark.parametrize("kind", ["recall_verify", "recall_answer"])
def test_a_neutral_fact_bears_out_nothing(said: Store, kind: SignalKind) -> None:
    kept = said.ledger.record("alex", fact("one", kind))
    scored(said, score(1, bucket="recall", evidence=kept.detail, signal=kept.id))
    assert said.ledger.net("alex", AGENT) == {"recall": 0}


def test_erasing_takes_all_of_it(said: Store) -> None:
    scored(said, score(1))
    said.ledger.record("alex", fact("one"))
    said.erase("alex")
    assert said.ledger.net("alex", AGENT) == {}
    assert said.ledger.signals("alex", agent=AGENT) == []


def test_a_job_is_owed_once_and_can_be_dropped(said: Store) -> None:
    job = NewJob(key="evolution:a", kind="evolution", thread="t", data={"upto": 3})
    said.owe("alex", job)
    said.defer("alex", job.key, failure=Failure.SERVER, detail="d", next_at=START, max_attempts=3)
    said.owe("alex", NewJob(key=job.key, kind="evolution", thread="t"))
    found = said.job("alex", job.key)
    assert found is not None
    assert (found.attempts, found.data, found.agent) == (1, {"upto": 3}, "a")
    said.drop("alex", job.key)
    assert said.job("alex", job.key) is None
    said.drop("alex", job.key)


def test_the_check_looks_at_the_current_generation_only(said: Store) -> None:
    with said._engine.begin() as connection:  # type: ignore[union-attr]
        if connection.dialect.name != "sqlite":
            pytest.skip("the plan is SQLite's")
        plan = connection.execute(sql(
            "EXPLAIN QUERY PLAN SELECT bucket, sum(delta) FROM fitness "
            "WHERE space = 'alex' AND agent = 'a' AND settled IS NULL GROUP BY bucket"
        )).all()  # fmt: skip
    assert "fitness_current" in str(plan)


@pytest.mark.parametrize(("said_words", "evidence", "counts"), [
    ("that is too long", "o", False), ("that is too long", "hat is too", False), ("that is too long", "too long.", True),
    ("that is too long", "…too long…", True), ("[image]", "image", False), ("look: [image] wrong", "wrong", True),
    ("这太长了", "太长", True), ("not good", "no", False), ("no, not good", "no", True), ("👎", "👎", True), ("bad", "...", False),
])  # fmt: skip
def test_a_quotation_is_made_of_whole_words_that_were_said(
    store: Store, said_words: str, evidence: str, counts: bool
) -> None:
    say(store, turn(1, said_words))
    scored(store, score(1, evidence=evidence))
    assert store.ledger.net("alex", AGENT) == {"interaction": -1 if counts else 0}
