"""The conformance suite: what holds of the store on every database."""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from previously.state.commit import CARD_PATH, Annotation, Commit, NewJob, Put, Score, SliceUpdate
from previously.state.errors import Conflict, Failure, InvalidInput, NotFound, PreviouslyError, StoreClosed
from previously.state.ref import Ref
from previously.state.slice import SlicePolicy
from previously.state.turn import NewTurn
from previously.stores.database import Store

START = datetime(2026, 8, 11, 12, 26, tzinfo=UTC)
POLICY = SlicePolicy()
SPACES = ("acme", "acme-corp", "ACME", "john_doe", "john%doe", "a@b.c", "🦊", "é", "x" * 300, "../x")


def turn(number: int, text: str = "", *, role: str = "user", minutes: float | None = None, **fields: Any) -> NewTurn:
    values: dict[str, Any] = {
        "id": f"t{number}", "thread": "t", "role": role, "speaker": None, "authority": "owner", "trust": "trusted",
        "text": text or f"text {number}", "event_time": START + timedelta(minutes=number if minutes is None else minutes),
    }  # fmt: skip
    return NewTurn(**{**values, **fields})


def say(store: Store, *turns: NewTurn, space: str = "alex", **options: Any) -> Any:
    return store.record(space, turns, policy=POLICY, **options)


def commit(key: str = "k", space: str = "alex", **fields: Any) -> Commit:
    return Commit(space=space, key=key, kind="turn", at=START, **fields)


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

    @pytest.mark.parametrize("space", SPACES)
    def test_spaces_share_nothing(self, store: Store, space: str) -> None:
        for each in SPACES:
            say(store, turn(1, each), space=each)
        assert [found.text for found in store.turns(space)] == [space]
        assert len(store.owed(space=space)) == 1
        assert store.slice(space, "2026-08-11-1227") is not None

    def test_many_threads_at_once_lose_and_double_nothing(self, store: Store) -> None:
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda n: say(store, turn(n % 20, minutes=0)), range(80)))
        found = store.turns("alex")
        assert sorted(t.id for t in found) == sorted(f"t{n}" for n in range(20))
        assert [t.seq for t in found] == list(range(1, 21))
        assert sorted(t.number for t in found) == list(range(1, 21))

    def test_two_processes_at_once(self, database: str, store: Store) -> None:
        processes = multiprocessing.get_context("spawn")
        children = [processes.Process(target=_record_many, args=(database,)) for _ in range(2)]
        for child in children:
            child.start()
        for child in children:
            child.join(60)
            assert child.exitcode == 0
        assert [t.seq for t in store.turns("alex")] == list(range(1, 31))

    @settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(batches=st.lists(st.lists(st.tuples(st.integers(0, 12), st.integers(0, 200), st.booleans()), max_size=4), max_size=6))
    def test_whatever_is_recorded_numbers_have_no_gaps(self, store: Store, batches: list[list[tuple[int, int, bool]]]) -> None:
        space = f"s{id(batches)}{datetime.now(UTC).timestamp()}"
        ids: set[str] = set()
        for batch in batches:
            say(store, *(turn(n, role="user" if user else "assistant", minutes=m) for n, m, user in batch), space=space)
            ids |= {f"t{n}" for n, _, _ in batch}
        found = store.turns(space)
        assert {t.id for t in found} == ids
        assert [t.seq for t in found] == list(range(1, len(ids) + 1))
        for item in store.slices(space):
            inside = [t.number for t in found if t.slice_id == item.slice_id]
            assert inside == list(range(1, item.turn_count + 1))


def _record_many(database: str) -> None:
    with Store.open(database) as store:
        for number in range(30):
            say(store, turn(number, minutes=0))


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
        assert [item.slice_id for item in store.slices("alex")] == ["2026-08-11-1226", "2026-08-11-1227", "2026-08-11-1228"]

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


class TestCommits:
    def test_a_commit_installs_everything(self, store: Store) -> None:
        say(store, turn(1, "that was wrong"))
        done = store.commit(commit(
            base={CARD_PATH: 0},
            documents=(Put(path=CARD_PATH, text="card", meta={"summary": "new"}),),
            slices=(SliceUpdate(slice_id="2026-08-11-1227", focus="f", summary="s", tags=("tea", "cake"), tone="mixed", card_revision=0),),
            annotations=(Annotation(turn_id="t1", kind="analysis", data={"a": 1}),),
            scores=(Score(agent="a", bucket="card", delta=-1, evidence="WRONG", turn_id="t1", slice_id="s"),),
            finish=("turn:t1",), owe=(NewJob(key="card:t1", kind="card", thread="t", failure=Failure.TIMEOUT, attempts=1),),
            result={"ok": True},
        ))  # fmt: skip
        assert (done.seq, done.repeated, done.result) == (1, False, {"ok": True})
        assert done.paths == (CARD_PATH, "memory/episodic/slices/2026/08/11/1227/")
        head = store.head("alex", CARD_PATH)
        assert head is not None
        assert (head.revision, head.text, head.meta, head.at, head.commit) == (1, "card", {"summary": "new"}, START, 1)
        item = store.slice("alex", "2026-08-11-1227")
        assert item is not None
        assert (item.focus, item.tags, item.tone, item.card_revision) == ("f", ("tea", "cake"), "mixed", 1)
        assert dict(store.strands("alex")) == {"cake": ("2026-08-11-1227",), "tea": ("2026-08-11-1227",)}
        assert [note.data for note in store.annotations("alex", kind="analysis", slice_id="2026-08-11-1227")] == [{"a": 1}]
        assert [(row["delta"], row["bucket"]) for row in store.scores("alex", "a")] == [(-1, "card")]
        assert [(job.key, job.failure, job.attempts) for job in store.owed(space="alex")] == [("card:t1", Failure.TIMEOUT, 1)]

    def test_the_same_key_again_changes_nothing(self, store: Store) -> None:
        store.commit(commit(documents=(Put(path="a", text="one"),), result={"n": 1}))
        again = store.commit(commit(documents=(Put(path="a", text="two"),), base={"a": 7}, result={"n": 2}))
        assert (again.repeated, again.result, again.seq) == (True, {"n": 1}, 1)
        assert [document.text for document in store.revisions("alex", "a")] == ["one"]
        assert store.committed("alex", "k") == replace(again, repeated=False)

    def test_a_base_that_moved_is_a_conflict_and_writes_nothing(self, store: Store) -> None:
        store.commit(commit("1", documents=(Put(path="a", text="one"),)))
        with pytest.raises(Conflict) as caught:
            store.commit(commit("2", base={"a": 0}, documents=(Put(path="b", text="x"),), owe=(NewJob(key="j", kind="card", thread="t"),)))
        assert (caught.value.path, caught.value.expected, caught.value.actual) == ("a", 0, 1)
        assert store.paths("alex") == ["a"]
        assert store.owed(space="alex") == []
        assert len(store.commits("alex")) == 1

    def test_an_equal_text_is_no_revision(self, store: Store) -> None:
        for key in "12":
            store.commit(commit(key, documents=(Put(path="a", text="one"),)))
        assert len(store.revisions("alex", "a")) == 1
        assert [done.paths for done in store.commits("alex")] == [("a",), ()]
        assert [done.seq for done in store.commits("alex", after=1)] == [2]

    def test_revisions_stay(self, store: Store) -> None:
        for number in range(3):
            store.commit(commit(str(number), documents=(Put(path="a", text=f"{number}"),)))
        assert [d.text for d in store.revisions("alex", "a")] == ["0", "1", "2"]
        second = store.document("alex", "a", 2)
        assert second is not None
        assert second.text == "1"
        assert store.document("alex", "a", 9) is None

    def test_tags_replace_or_add(self, store: Store) -> None:
        say(store, turn(1))
        store.commit(commit("1", slices=(SliceUpdate(slice_id="2026-08-11-1227", add_tags=("a",)),)))
        store.commit(commit("2", slices=(SliceUpdate(slice_id="2026-08-11-1227", add_tags=("b", "a")),)))
        assert store.slices("alex")[0].tags == ("a", "b")
        store.commit(commit("3", slices=(SliceUpdate(slice_id="2026-08-11-1227", tags=("c",)),)))
        assert store.strands("alex") == [("c", ("2026-08-11-1227",))]

    @pytest.mark.parametrize(("evidence", "delta", "stored"), [
        ("really “Bad”", -2, -2), ("REALLY   \"bad\"", -1, -1), ("never said", -2, 0), ("", -1, 0), ("  ", 1, 0),
        ("bad", -3, 0), ("bad", 2, 0), ("bad", 1, 1), ("bad", 0, 0),
    ])  # fmt: skip
    def test_a_score_without_the_users_words_is_zero(self, store: Store, evidence: str, delta: int, stored: int) -> None:
        say(store, turn(1, 'That was really "bad".'))
        score = Score(agent="a", bucket="recall", delta=delta, evidence=evidence, turn_id="t1", slice_id="s")
        store.commit(commit(scores=(score,)))
        assert [row["delta"] for row in store.scores("alex", "a")] == [stored]

    def test_an_assistants_words_are_no_evidence(self, store: Store) -> None:
        say(store, turn(1, "bad", role="assistant"))
        store.commit(commit(scores=(Score(agent="a", bucket="card", delta=-1, evidence="bad", turn_id="t1", slice_id="s"),)))
        assert store.scores("alex", "a")[0]["delta"] == 0

    def test_two_commits_at_once_one_conflicts(self, store: Store) -> None:
        barrier, outcomes = threading.Barrier(2), list[str]()

        def write(name: str) -> None:
            barrier.wait()
            try:
                store.commit(commit(name, base={"a": 0}, documents=(Put(path="a", text=name),)))
                outcomes.append("installed")
            except Conflict:
                outcomes.append("conflict")

        threads = [threading.Thread(target=write, args=(name,)) for name in "12"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(outcomes) == ["conflict", "installed"]

    def test_what_is_not_there_is_named(self, store: Store) -> None:
        with pytest.raises(NotFound, match="2026-01-01-0000"):
            store.commit(commit(slices=(SliceUpdate(slice_id="2026-01-01-0000", focus="x"),)))
        with pytest.raises(NotFound, match="nobody"):
            store.commit(commit(annotations=(Annotation(turn_id="nobody", kind="analysis", data={}),)))


class TestBacklog:
    def _lease(self, now: datetime) -> dict[str, datetime]:
        return {"now": now, "until": now + timedelta(minutes=3)}

    def test_one_worker_gets_a_job_until_its_lease_ends(self, store: Store) -> None:
        say(store, turn(1))
        now = datetime.now(UTC)
        assert store.claim("alex", "turn:t1", owner="a", **self._lease(now)) is not None
        assert store.claim("alex", "turn:t1", owner="b", **self._lease(now)) is None
        assert store.claim("alex", "turn:t1", owner="a", **self._lease(now)) is not None
        assert store.owed(space="alex", due_at=now) == []
        assert len(store.owed(space="alex", due_at=now, owner="a")) == 1
        later = now + timedelta(minutes=4)
        assert store.claim("alex", "turn:t1", owner="b", **self._lease(later)) is not None
        store.release("alex", "turn:t1", "b")
        assert len(store.owed(space="alex", due_at=later)) == 1
        assert store.claim("alex", "nothing", owner="b", **self._lease(later)) is None

    def test_workers_at_once_get_each_job_once(self, store: Store) -> None:
        say(store, *(turn(n, minutes=0) for n in range(10)))
        lease = self._lease(datetime.now(UTC))
        with ThreadPoolExecutor(8) as pool:
            got = list(pool.map(lambda n: store.claim("alex", f"turn:t{n % 10}", owner=f"w{n}", **lease), range(40)))
        assert sorted(job.key for job in got if job) == sorted(f"turn:t{n}" for n in range(10))

    def test_failures_count_wait_and_die(self, store: Store) -> None:
        say(store, turn(1))
        now = datetime.now(UTC)
        later = {"failure": Failure.SERVER, "detail": "HTTP 500", "next_at": now + timedelta(hours=1), "max_attempts": 2}
        job = store.defer("alex", "turn:t1", **later)
        assert (job.status, job.attempts, job.failure, job.detail, job.owner) == ("owed", 1, Failure.SERVER, "HTTP 500", None)
        assert store.owed(space="alex", due_at=now) == []
        assert store.defer("alex", "turn:t1", **later).status == "dead"
        assert store.owed(space="alex") == []
        assert len(store.owed(space="alex", include_dead=True)) == 1
        assert store.claim("alex", "turn:t1", owner="a", **self._lease(now)) is None
        store.retry("alex", "turn:t1")
        assert [(job.status, job.attempts) for job in store.owed(space="alex", due_at=datetime.now(UTC))] == [("owed", 0)]
        with pytest.raises(NotFound):
            store.retry("alex", "nothing")

    def test_a_turn_waits_for_its_reply(self, store: Store) -> None:
        now = datetime.now(UTC)
        say(store, turn(1), answering=timedelta(minutes=3))
        assert store.owed(space="alex", due_at=now + timedelta(minutes=1)) == []
        assert len(store.owed(space="alex", due_at=now + timedelta(minutes=4))) == 1
        say(store, turn(2, role="assistant"))
        assert len(store.owed(space="alex", due_at=datetime.now(UTC))) == 1

    def test_oldest_first_and_filters(self, store: Store) -> None:
        say(store, turn(1), turn(2, thread="u"), turn(3, minutes=90))
        assert [job.key for job in store.owed(space="alex")] == ["turn:t1", "turn:t2", "slice:2026-08-11-1227", "turn:t3"]
        assert [job.key for job in store.owed(space="alex", thread="t", kind="turn")] == ["turn:t1", "turn:t3"]
        assert [job.subject for job in store.owed(limit=1)] == ["t1"]


class TestErasing:
    def test_one_space_goes_the_others_stay(self, store: Store) -> None:
        for space in ("acme", "acme-corp"):
            say(store, turn(1, "bad"), space=space)
            store.commit(commit(space=space, documents=(Put(path="a", text="x"),), slices=(SliceUpdate(slice_id="2026-08-11-1227", tags=("t",)),)))
        before = store.stats("acme-corp")
        assert store.erase("acme") == 7
        assert store.spaces() == ["acme-corp"]
        assert store.stats("acme-corp") == before
        assert sum(store.stats("acme").values()) == 0
        assert store.threads("acme-corp", only=True) == ["t"]

    def test_threads_of_others_are_told_apart(self, store: Store) -> None:
        say(store, turn(1), turn(2, thread="own"), space="a")
        say(store, turn(1), space="b")
        assert store.threads("a") == ["own", "t"] or set(store.threads("a")) == {"own", "t"}
        assert store.threads("a", only=True) == ["own"]


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


@pytest.mark.parametrize("bad", ["nonsense://x", "postgresql+nodriver://x"])
def test_an_unusable_address_is_named(bad: str) -> None:
    with pytest.raises(InvalidInput, match="database"):
        Store.open(bad)


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
        assert sorted(os.listdir(tmp_path)) == ["memory.db"]

    def test_what_is_erased_is_gone_from_the_disk(self, tmp_path: Any) -> None:
        with Store.open(tmp_path / "memory.db") as store:
            say(store, turn(1, "canary-4711"))
            store.commit(commit(documents=(Put(path="a", text="canary-4711"),)))
            say(store, turn(1, "other"), space="b")
            store.erase("alex")
            for file in tmp_path.iterdir():
                assert b"canary-4711" not in file.read_bytes()
