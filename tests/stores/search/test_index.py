from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from previously.state.commit import Commit, SliceUpdate
from previously.state.errors import InvalidInput
from previously.state.slice import SlicePolicy
from previously.stores.database import Store
from previously.stores.search import index as module
from previously.stores.search.index import SearchIndex
from previously.stores.search.ranking import NOTHING_FITS, NOTHING_RECORDED, NOTHING_RELEVANT

from .talk import SMALL_TALK, START, Say, Senses, ids, speaking


def test_a_turn_is_found_by_its_words_with_its_ref_and_the_reasons(
    lexical: SearchIndex, store: Store, say: Say
) -> None:
    say("a", *SMALL_TALK)
    best = lexical.search("a", "Which nuts am I allergic to?").hits[0]
    assert best.turn_id == "t6"
    assert store.turn_at("a", best.ref).text == SMALL_TALK[6]
    assert best.score == pytest.approx(sum(best.why.values()), abs=0.01)
    assert next(iter(best.why)).startswith("words")


def test_the_score_falls_and_k_limits(lexical: SearchIndex, say: Say) -> None:
    say("a", *(f"apples and pears, basket {number}" for number in range(20)))
    hits = lexical.search("a", "apples in basket 7", k=5).hits
    assert len(hits) == 5
    assert hits[0].turn_id == "t7"
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert not lexical.search("a", "apples", k=0).hits


@pytest.mark.parametrize("query", ["", "   ", "?!", "\x00", "\ud800", "🦊", "a" * 100_000, "(?P<x>", "speaker:"])
def test_odd_queries_are_answered(lexical: SearchIndex, say: Say, query: str) -> None:
    say("a", *SMALL_TALK)
    assert lexical.search("a", query).reason


@pytest.mark.parametrize("semantic", [False, True])
def test_odd_texts_are_indexed(store: Store, say: Say, semantic: bool) -> None:
    texts = [
        "",
        " ",
        "same words",
        "same words",
        "\x01\x02\x1b[0m",
        "word " * 20_000,
        "𒀀" * 50,
        "a\u2028b\rc",
        "x" * 100_000,
    ]
    say("a", *texts)
    index = SearchIndex(store, embeddings=Senses() if semantic else False)
    index.settle("a")
    assert set(ids(index.search("a", "same words"))) >= {"t2", "t3"}
    index.close()


def test_what_was_never_said_is_not_answered(lexical: SearchIndex, store: Store, say: Say) -> None:
    say("a", *SMALL_TALK)
    index = SearchIndex(store, embeddings=Senses())
    index.settle("a")
    for one in (lexical, index):
        result = one.search("a", "What is the boiling point of tungsten?")
        assert (result.hits, result.reason) == ((), NOTHING_RELEVANT)
    assert index.search("a", "What is the boiling point of tungsten?", floor=0).hits
    index.close()


def test_an_empty_space_says_so(lexical: SearchIndex) -> None:
    assert lexical.search("nobody", "anything").reason == NOTHING_RECORDED


def test_meaning_finds_what_words_do_not(store: Store, say: Say) -> None:
    say("a", *SMALL_TALK, "Our puppy ate a shoe", *SMALL_TALK)
    index = SearchIndex(store, embeddings=Senses())
    index.settle("a")
    best = index.search("a", "terrier shoe").hits[0]
    assert best.turn_id == "t8"
    assert best.why["meaning"] > 1
    index.close()


def test_a_new_turn_is_found_at_once_and_embedded_later(store: Store, say: Say) -> None:
    model = Senses()
    say("a", *SMALL_TALK)
    index = SearchIndex(store, embeddings=model)
    index.settle("a")
    made = model.documents
    say("a", "The dentist is called Doctor Brandt", at=START + timedelta(days=1))
    assert "t8" in ids(index.search("a", "What is the dentist called?"))
    index.settle("a")
    assert model.documents == made + 1
    index.close()


def test_recording_never_waits_for_an_embedding(store: Store, say: Say) -> None:
    gate = threading.Event()

    class Slow(Senses):
        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            gate.wait(10)
            return super().embed_documents(texts)

    index = SearchIndex(store, embeddings=Slow())
    say("a", *SMALL_TALK)
    assert index.catch_up("a") == 0
    found = index._space("a")
    gate.set()
    index.settle("a")
    gate.clear()
    say("a", "A new line about the ferry", at=START + timedelta(days=1))
    assert index.catch_up("a") in {0, 1}, "0 when the worker is at it"
    assert "t8" in ids(index.search("a", "ferry"))
    assert found.behind
    gate.set()
    index.close()


def test_the_background_brings_a_space_up_to_date(store: Store, say: Say) -> None:
    say("a", *SMALL_TALK)
    index = SearchIndex(store, embeddings=Senses())
    index.catch_up("a")
    worker = index._worker
    assert worker is not None
    worker.shutdown(wait=True)
    assert index._space("a").has_vectors
    index.close()


def test_an_embedding_that_fails_leaves_the_words(store: Store, say: Say, caplog: pytest.LogCaptureFixture) -> None:
    model = Senses()
    say("a", *SMALL_TALK)
    index = SearchIndex(store, embeddings=model)
    index.settle("a")
    model.broken = True
    assert ids(index.search("a", "Which nuts am I allergic to?"))[0] == "t6"
    assert "searching by words only" in caplog.text
    index.close()


def test_repeated_questions_are_embedded_once(store: Store, say: Say) -> None:
    model = Senses()
    say("a", *SMALL_TALK)
    index = SearchIndex(store, embeddings=model)
    index.settle("a")
    for _ in range(5):
        index.search("a", "peanuts?")
    assert model.queries == 1
    index.close()


def test_without_the_extra_it_says_once_that_words_decide(
    store: Store, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    caplog.set_level("INFO", "previously")
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    monkeypatch.setattr("previously.stores.search.embeddings._said", set())
    for _ in range(3):
        SearchIndex(store, chroma=tmp_path / "index").close()
    assert caplog.text.count("previously[embeddings]") == 1


def test_filters_hold_inside_the_search(lexical: SearchIndex, say: Say) -> None:
    say("a", "red kite one", ("Ben", "red kite two"), ("assistant", "red kite three"))
    say("a", "red kite four", at=START + timedelta(days=40), thread="work")
    say("a", ("Mallory", "red kite five"), at=START + timedelta(days=41), authority="unpaired")
    assert len(ids(lexical.search("a", "red kite"))) == 5
    later = START + timedelta(days=30)
    for wanted, filters in (
        ({"t3", "t4"}, {"after": later}),
        ({"t0", "t1", "t2"}, {"before": later}),
        ({"t3"}, {"after": later, "before": START + timedelta(days=41)}),
        ({"t3", "t4"}, {"after": "2026-04-01T00:00:00+14:00"}),
        ({"t1"}, {"speaker": "BEN"}),
        ({"t2"}, {"speaker": "assistant"}),
        ({"t3"}, {"thread": "work"}),
        ({"t4"}, {"authority": "unpaired"}),
        ({"t0", "t1", "t2"}, {"slice_id": "2026-03-02-0900"}),
    ):
        assert set(ids(lexical.search("a", "red kite", **filters))) == wanted, filters
    assert lexical.search("a", "red kite", speaker="nobody").reason == NOTHING_FITS
    assert lexical.search("a", "red kite", slice_id="2026-03-02-0900", tag="none").reason == NOTHING_FITS


def test_a_tag_limits_to_its_slices(lexical: SearchIndex, store: Store, say: Say) -> None:
    say("a", "red kite one")
    say("a", "red kite two", at=START + timedelta(days=1))
    change = SliceUpdate(slice_id="2026-03-03-0900", add_tags=("birds",))
    store.commit(Commit(space="a", key="tag", kind="turn", at=START, slices=(change,)))
    assert ids(lexical.search("a", "red kite", tag="birds")) == ["t1"]


def test_a_naive_instant_is_refused_by_name(lexical: SearchIndex) -> None:
    with pytest.raises(InvalidInput, match="after"):
        lexical.search("a", "x", after=datetime(2026, 1, 1))  # noqa: DTZ001
    with pytest.raises(InvalidInput, match="before"):
        lexical.search("a", "x", before="yesterday")


def test_times_in_the_question_are_read_by_the_clock_of_the_space(lexical: SearchIndex, store: Store, say: Say) -> None:
    say("a", "we went hiking near the lake", at=datetime(2025, 3, 10, 8, tzinfo=UTC))
    say("a", "we went hiking near the lake", at=datetime(2026, 2, 28, 9, tzinfo=UTC))
    store.record("a", [], policy=SlicePolicy(), timezone="Pacific/Kiritimati")
    say("a", "we went hiking near the lake", at=datetime(2026, 2, 28, 23, tzinfo=UTC))
    now = datetime(2026, 5, 1, tzinfo=UTC)
    best = lexical.search("a", "Where did we go hiking last March?", now=now).hits[0]
    assert (best.turn_id, best.why["date"]) == ("t2", 4)
    assert lexical.search("a", "What happened in March 2025?").hits[0].turn_id == "t0"


def test_a_named_speaker_comes_first(lexical: SearchIndex, say: Say) -> None:
    said = "I am learning to play the cello"
    say("a", ("Ines", said), ("Ravi", said), ("Ines", said), ("Ravi", said))
    hits = lexical.search("a", "Which instrument is Ravi's? The cello?").hits
    assert {hit.turn_id for hit in hits[:2]} == {"t1", "t3"}
    assert hits[0].why["speaker"] == 4
    assert "speaker" not in lexical.search("a", "the ravine and the cello").hits[0].why


def test_what_another_process_records_is_found(tmp_path: Path, say: Say, lexical: SearchIndex) -> None:
    say("a", *SMALL_TALK)
    assert lexical.search("a", "peanuts").hits
    with Store.open(tmp_path / "memory.db") as other:
        speaking(other)("a", "The spare key is under the blue flowerpot", at=START + timedelta(days=1))
    assert ids(lexical.search("a", "Where is the spare key?"))[0] == "t8"


def test_a_space_that_was_erased_elsewhere_is_forgotten(lexical: SearchIndex, store: Store, say: Say) -> None:
    say("a", *SMALL_TALK)
    assert lexical.search("a", "peanuts").hits
    store.erase("a")
    assert lexical.search("a", "peanuts").reason == NOTHING_RECORDED
    say("a", "Only umbrellas now")
    assert lexical.search("a", "peanuts").reason == NOTHING_RELEVANT
    assert ids(lexical.search("a", "umbrellas")) == ["t0"]


def test_spaces_never_see_each_other(store: Store, say: Say) -> None:
    spaces = [*(f"user-{number}" for number in range(25)), "acme", "acme-corp", "ACME", "john_doe", "john-doe"]
    for number, space in enumerate(spaces):
        say(space, *(f"my locker code is {number}{line}" for line in range(8)))
    index = SearchIndex(store, embeddings=Senses())
    for space in spaces:
        known = {turn.text: turn.id for turn in store.turns(space)}
        for number in range(0, len(spaces), 5):
            for hit in index.search(space, f"what is locker code {number}3", k=50, floor=0).hits:
                found = store.turn(space, hit.turn_id)
                assert found is not None
                assert known[found.text] == hit.turn_id
                assert found.ref == hit.ref
    index.close()


def test_many_threads_search_and_record_at_once(store: Store, say: Say) -> None:
    index = SearchIndex(store, embeddings=Senses())
    say("a", *SMALL_TALK)
    failures: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for step in range(8):
                say(f"s{number % 3}", f"note {number} {step}", id=f"{number}-{step}")
                index.catch_up(f"s{number % 3}")
                assert ids(index.search("a", "peanuts"))[0] == "t6"
        except BaseException as error:  # noqa: BLE001 - handed to the test
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    for number in range(3):
        index.settle(f"s{number}")
        assert len(ids(index.search(f"s{number}", "note", k=50, floor=0))) == 16
    index.close()


def test_only_so_many_spaces_stay_open(store: Store, say: Say, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_OPEN_SPACES", 3)
    index = SearchIndex(store, embeddings=Senses())
    for number in range(8):
        say(f"s{number}", *SMALL_TALK)
        assert ids(index.search(f"s{number}", "peanuts"))[0] == "t6"
    assert list(index._spaces) == ["s5", "s6", "s7"]
    assert ids(index.search("s0", "peanuts"))[0] == "t6"
    index.close()
