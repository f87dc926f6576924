"""The conformance suite: what holds of the store on every database."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from previously.state.errors import PreviouslyError, StoreClosed
from previously.state.ref import Ref
from previously.stores.database import Store
from previously.tests.stores.given import START, say, turn

NUMBERS = itertools.count(1)
SAID = st.tuples(
    st.integers(0, 15),
    st.sampled_from(("user", "assistant")),
    st.sampled_from("tu"),
    st.integers(0, 200),
    st.booleans(),
)


class TestTurns:
    def test_a_turn_comes_back_as_it_was(self, store: Store) -> None:
        given = turn(1, "Hällo 🦊\n\u2028 %_'\"", speaker="Ann", authority="paired", trust="pending")
        recorded = say(store, given, timezone="Europe/Berlin")
        assert (recorded.new, recorded.known, recorded.opened) == (("t1",), (), ("2026-08-11-1427",))
        (found,) = store.turns("alex")
        for field in ("id", "thread", "role", "speaker", "authority", "trust", "text", "event_time"):
            assert getattr(found, field) == getattr(given, field)
        assert (found.seq, found.number, found.slice_id) == (1, 1, "2026-08-11-1427")
        assert found.event_time.tzinfo is not None
        assert store.timezone("alex") == "Europe/Berlin"
        assert store.turn_at("alex", Ref("2026-08-11-1427", 1)) == found

    def test_the_same_turn_again_is_known(self, store: Store) -> None:
        say(store, turn(1))
        again = say(store, turn(1, "other text"), turn(2))
        assert (again.new, again.known) == (("t2",), ("t1",))
        assert [found.text for found in store.turns("alex")] == ["text 1", "text 2"]

    def test_filters_and_order(self, store: Store) -> None:
        say(store, *(turn(n, thread="ab"[n % 2]) for n in range(6)))
        assert [t.id for t in store.turns("alex", thread="a")] == ["t0", "t2", "t4"]
        assert [t.id for t in store.turns("alex", newest_first=True, limit=2)] == ["t5", "t4"]
        assert [t.id for t in store.turns("alex", after_seq=2, before_seq=5)] == ["t2", "t3"]
        assert [t.id for t in store.turns("alex", ids=["t5", "t0", "no"])] == ["t0", "t5"]
        assert store.turns("alex", ids=[]) == []

    def test_many_threads_at_once_lose_and_double_nothing(self, store: Store) -> None:
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda n: say(store, turn(n % 20, minutes=0)), range(80)))
        found = store.turns("alex")
        assert sorted(t.id for t in found) == sorted(f"t{n}" for n in range(20))
        assert [t.seq for t in found] == list(range(1, 21))
        assert sorted(t.number for t in found) == list(range(1, 21))

    @settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(batches=st.lists(st.lists(SAID, max_size=5), max_size=6))
    def test_whatever_is_recorded_is_there_once_and_without_gaps(self, store: Store, batches: list[list[Any]]) -> None:
        space, first = f"s{next(NUMBERS)}", dict[str, str]()
        for at, batch in enumerate(batches):
            given = [
                turn(n, f"{at}", role=role, thread=thread, minutes=minute, continues=continues)
                for n, role, thread, minute, continues in batch
            ]
            recorded = say(store, *given, space=space)
            assert set(recorded.new) == {t.id for t in given} - set(first)
            first = {t.id: t.text for t in given} | first
        found, slices = store.turns(space), store.slices(space)
        assert {t.id: t.text for t in found} == first
        assert [t.seq for t in found] == list(range(1, len(first) + 1))
        for item in slices:
            inside = [t for t in found if t.slice_id == item.slice_id]
            assert [t.number for t in inside] == list(range(1, item.turn_count + 1))
            assert {t.thread for t in inside} == {item.thread}
            assert (item.start, item.end) == (inside[0].event_time, max(t.event_time for t in inside))
        active = [item.thread for item in slices if item.status == "active"]
        assert sorted(active) == sorted({t.thread for t in found})
        owed = [f"turn:{t.id}" for t in found if t.role == "user"]
        owed += [f"slice:{item.slice_id}" for item in slices if item.status == "closed"]
        assert sorted(job.key for job in store.owed(space=space)) == sorted(owed)


class TestSlices:
    def _closed_by(self, store: Store) -> list[str | None]:
        return [item.closed_by for item in store.slices("alex")]

    def test_thirty_minutes_after_its_start_the_next_turn_opens_another(self, store: Store) -> None:
        say(store, turn(1), turn(29, minutes=30.9))
        recorded = say(store, turn(31))
        assert (recorded.closed, recorded.opened) == (("2026-08-11-1227",), ("2026-08-11-1257",))
        first, second = store.slices("alex")
        assert (first.status, first.closed_by, first.turn_count) == ("closed", "time_cap", 2)
        assert first.end == START + timedelta(minutes=30.9)
        assert second.status == "active"

    def test_fifty_turns_fill_a_slice(self, store: Store) -> None:
        say(store, *(turn(n, minutes=n / 10) for n in range(51)))
        assert [(item.turn_count, item.closed_by) for item in store.slices("alex")] == [(50, "capacity"), (1, None)]

    def test_a_reply_stays_with_its_turn(self, store: Store) -> None:
        say(store, turn(1), turn(2, role="assistant", minutes=29))
        assert store.slices("alex")[0].turn_count == 2
        say(store, turn(3, role="assistant", minutes=70))
        assert self._closed_by(store) == ["time_cap", None]

    def test_a_history_that_does_not_continue(self, store: Store) -> None:
        say(store, turn(1))
        say(store, turn(2, continues=False))
        assert self._closed_by(store) == ["context_lost", None]

    def test_a_taken_minute_gives_the_next_free_one(self, store: Store) -> None:
        say(store, *(turn(n, thread=str(n), minutes=0) for n in range(3)))
        assert [item.slice_id for item in store.slices("alex")] == [
            "2026-08-11-1226",
            "2026-08-11-1227",
            "2026-08-11-1228",
        ]

    def test_ids_follow_the_zone_of_the_space(self, store: Store) -> None:
        say(store, turn(1), timezone="Pacific/Kiritimati")
        assert store.slices("alex")[0].slice_id == "2026-08-12-0227"

    def test_closing_on_request_owes_a_review_once(self, store: Store) -> None:
        say(store, turn(1, role="assistant"))
        assert store.close_slice("alex", "2026-08-11-1227", "user_explicit")
        assert not store.close_slice("alex", "2026-08-11-1227", "user_explicit")
        assert not store.close_slice("alex", "1999-01-01-0000", "user_explicit")
        assert [job.key for job in store.owed(space="alex")] == ["slice:2026-08-11-1227"]
        assert store.active_slice("alex", "t") is None

    def test_times_that_go_back_are_taken(self, store: Store) -> None:
        say(store, turn(1, minutes=20), turn(2, minutes=0))
        (item,) = store.slices("alex")
        assert item.end == START + timedelta(minutes=20)


class TestOpening:
    def test_closed_means_closed(self, open_store: Callable[..., Store]) -> None:
        store = open_store()
        store.close()
        store.close()
        with pytest.raises(StoreClosed):
            store.spaces()

    def test_many_open_a_new_database_at_once(self, open_store: Callable[..., Store]) -> None:
        with ThreadPoolExecutor(6) as pool:
            stores = list(pool.map(lambda _: open_store(), range(6)))
        say(stores[0], turn(1))
        assert stores[5].spaces() == ["alex"]

    def test_a_newer_schema_is_refused(self, open_store: Callable[..., Store]) -> None:
        from sqlalchemy import update

        from previously.stores.schema import meta

        store = open_store()
        with store._open().begin() as connection:
            connection.execute(update(meta).values(value="99"))
        with pytest.raises(PreviouslyError, match="upgrade"):
            open_store()

    def test_the_clock_is_the_callers(self, open_store: Callable[..., Store]) -> None:
        store = open_store(clock=lambda: START)
        say(store, turn(1))
        assert store.turns("alex")[0].ingested_at == START


def test_a_folder_that_cannot_be_written_is_an_error_of_ours() -> None:
    with pytest.raises((PreviouslyError, OSError)):
        Store.open("/proc/none/memory.db")


class TestSqlite:
    def test_opening_and_closing_leaves_the_file_as_it_is(self, tmp_path: Any) -> None:
        file = tmp_path / "memory.db"
        with Store.open(file) as store:
            say(store, turn(1))
        before = file.read_bytes()
        with Store.open(file) as store:
            store.turns("alex")
            store.owed()
        assert file.read_bytes() == before
        assert [entry.name for entry in tmp_path.iterdir()] == ["memory.db"]
