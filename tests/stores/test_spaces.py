"""Whose rows are they: every method of the store sees one space, whatever the ids look like."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from previously.state.commit import Annotation, NewJob, Put, Score, SliceUpdate
from previously.state.errors import Failure, InvalidInput
from previously.state.paths import label
from previously.state.ref import Ref
from previously.stores.database import Store
from previously.tests.stores.given import commit, say, turn

SPACES = (
    "acme",
    "acme-corp",
    "ACME",
    "Acme",
    "john_doe",
    "john-doe",
    "johnxdoe",
    "%",
    "_",
    "a@b.c",
    "🦊",
    "é",
    "x" * 300,
    "../x",
    "'--",
)
SLICE = "2026-08-11-1227"


def fill(store: Store, space: str) -> None:
    """Give a space one row of each kind that says whose it is; ids and paths are the same in every space."""
    say(store, turn(1, space), turn(2, space, role="assistant"), space=space, timezone="UTC")
    store.commit(
        commit(
            space=space,
            documents=(Put(path="a", text=space, meta={"of": space}),),
            slices=(SliceUpdate(slice_id=SLICE, focus=space, summary=space, tags=(space,)),),
            annotations=(Annotation(turn_id="t1", kind="analysis", data={"of": space}),),
            scores=(Score(agent="a", bucket="card", delta=1, evidence=space, turn_id="t1", slice_id=SLICE),),
            owe=(NewJob(key="card:t1", kind="card", thread="t", data={"of": space}),),
            result={"of": space},
        )
    )


def everything(store: Store, space: str) -> dict[str, Any]:
    """Return what each reading method says of a space."""
    return {
        "turns": store.turns(space),
        "turn": [store.turn(space, "t1"), *store.turns(space, thread="t"), *store.turns(space, slice_id=SLICE)],
        "turn_at": [store.turn_at(space, Ref(SLICE, 1)), store.resolves(space, Ref(SLICE))],
        "slice": [store.slice(space, SLICE), store.active_slice(space, "t"), *store.slices(space, dry=False)],
        "strands": [store.strands(space), store.strands(space, limit=5), store.strand_names(space)],
        "annotations": [
            *store.annotations(space, kind="analysis"),
            *store.annotations(space, kind="analysis", slice_id=SLICE),
            *store.annotations(space, kind="analysis", turn_ids=["t1"]),
        ],
        "documents": [store.head(space, "a"), store.document(space, "a", 1), *store.revisions(space, "a")],
        "paths": store.paths(space),
        "commits": [*store.commits(space), store.committed(space, "k")],
        "scores": store.ledger.scores(space, "a"),
        "backlog": [*store.owed(space=space), *store.owed(space=space, thread="t", due_at=datetime.now(UTC))],
        "timezone": store.timezone(space),
        "stats": store.stats(space),
    }


@pytest.fixture
def filled(store: Store) -> Store:
    for space in SPACES:
        fill(store, space)
    return store


def test_every_method_answers_for_one_space(filled: Store) -> None:
    assert filled.spaces() == sorted(SPACES)
    for space in SPACES:
        said = everything(filled, space)
        assert {t.text for t in said["turns"]} == {space}
        assert {t.text for t in said["turn"]} == {space}
        assert said["turn_at"][0].text == space
        assert {item.focus for item in said["slice"]} == {space}
        assert said["strands"] == [[(space, (SLICE,))], [(space, (SLICE,))], [space]]
        assert [note.data for note in said["annotations"]] == [{"of": space}] * 3
        assert {document.text for document in said["documents"]} == {space}
        assert {done.result["of"] for done in said["commits"]} == {space}
        assert [(row.evidence, row.delta) for row in said["scores"]] == [(space, 1)]
        assert {job.space for job in said["backlog"]} == {space}
        assert {job.key for job in said["backlog"]} == {"turn:t1", "card:t1"}


def test_what_one_space_does_leaves_the_others_as_they_were(filled: Store) -> None:
    before = {space: everything(filled, space) for space in SPACES[1:]}
    say(filled, turn(3, minutes=90), space="acme", timezone="Asia/Tokyo")
    filled.close_slice("acme", "2026-08-11-2256", "user_explicit")
    now = datetime.now(UTC)
    filled.claim("acme", "turn:t1", owner="w", now=now, until=now + timedelta(minutes=1))
    filled.defer("acme", "card:t1", failure=Failure.TIMEOUT, detail="", next_at=now, max_attempts=1)
    filled.commit(commit("2", space="acme", documents=(Put(path="a", text="b"),), finish=("turn:t1",)))
    filled.erase("acme")
    assert everything(filled, "acme")["stats"] == dict.fromkeys(before["acme-corp"]["stats"], 0)
    assert {space: everything(filled, space) for space in SPACES[1:]} == before


def test_asking_for_a_space_does_not_make_it(store: Store) -> None:
    everything(store, "nobody")
    assert not store.close_slice("nobody", SLICE, "user_explicit")
    store.release("nobody", "turn:t1", "w")
    assert store.erase("nobody") == 0
    assert store.spaces() == []


def test_a_failed_transaction_makes_no_space(store: Store) -> None:
    with pytest.raises(InvalidInput, match="timezone"):
        say(store, turn(1), timezone="Mars/Olympus")
    with pytest.raises(InvalidInput, match="event_time"):
        say(store, turn(1, event_time=datetime(2026, 1, 1)))  # noqa: DTZ001 - what is refused
    assert store.spaces() == []


def test_erasing_while_others_record_leaves_no_half_of_a_space(open_store: Callable[..., Store]) -> None:
    store = open_store()
    stop = threading.Event()

    def talk(worker: int) -> None:
        number = 0
        while not stop.is_set():
            number += 1
            say(store, turn(1000 * worker + number, minutes=0))

    with ThreadPoolExecutor(3) as pool:
        talking = [pool.submit(talk, worker) for worker in range(2)]
        for _ in range(15):
            store.erase("alex")
        stop.set()
        for done in talking:
            done.result()
    said = store.turns("alex")
    assert [t.seq for t in said] == [t.number for t in said] == list(range(1, len(said) + 1))
    assert len(store.owed(space="alex")) == len(said)
    say(store, turn(9999))
    assert store.turns("alex")[-1].id == "t9999"


@given(st.text(min_size=1, max_size=60))
def test_a_label_is_a_name_for_every_file_system(space: str) -> None:
    name = label(space)
    slug, _, digest = name.rpartition("-")
    assert 1 <= len(slug) <= 24
    assert len(digest) == 16
    assert set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")
    assert name[0] != "-"
    assert "--" not in name


def test_spaces_of_one_slug_have_labels_of_their_own() -> None:
    assert len({label(space) for space in SPACES}) == len(SPACES)
