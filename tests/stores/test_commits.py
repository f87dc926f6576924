"""The conformance suite, second part: commits, the backlog, erasing."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from previously.state.commit import Annotation, NewJob, Put, Score, SliceUpdate
from previously.state.errors import Conflict, Failure, NotFound
from previously.state.paths import CARD_PATH
from previously.stores.database import Store
from previously.tests.stores.given import START, commit, say, turn


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
        assert [note.data for note in store.annotations("alex", kind="analysis", slice_id="2026-08-11-1227")] == [
            {"a": 1}
        ]
        assert [(row.delta, row.bucket) for row in store.ledger.scores("alex", "a")] == [(-1, "card")]
        assert [(job.key, job.failure, job.attempts) for job in store.owed(space="alex")] == [
            ("card:t1", Failure.TIMEOUT, 1)
        ]

    def test_the_same_key_again_changes_nothing(self, store: Store) -> None:
        store.commit(commit(documents=(Put(path="a", text="one"),), result={"n": 1}))
        again = store.commit(commit(documents=(Put(path="a", text="two"),), base={"a": 7}, result={"n": 2}))
        assert (again.repeated, again.result, again.seq) == (True, {"n": 1}, 1)
        assert [document.text for document in store.revisions("alex", "a")] == ["one"]
        assert store.committed("alex", "k") == replace(again, repeated=False)

    def test_a_base_that_moved_is_a_conflict_and_writes_nothing(self, store: Store) -> None:
        store.commit(commit("1", documents=(Put(path="a", text="one"),)))
        with pytest.raises(Conflict) as caught:
            store.commit(
                commit(
                    "2",
                    base={"a": 0},
                    documents=(Put(path="b", text="x"),),
                    owe=(NewJob(key="j", kind="card", thread="t"),),
                )
            )
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
        ("really “Bad”", -2, -2), ('REALLY   "bad"', -1, -1), ("never said", -2, 0), ("", -1, 0), ("  ", 1, 0),
        ("bad", -3, 0), ("bad", 2, 0), ("bad", 1, 1), ("bad", 0, 0),
    ])  # fmt: skip
    def test_a_score_without_the_users_words_is_zero(
        self, store: Store, evidence: str, delta: int, stored: int
    ) -> None:
        say(store, turn(1, 'That was really "bad".'))
        score = Score(agent="a", bucket="recall", delta=delta, evidence=evidence, turn_id="t1", slice_id="s")
        store.commit(commit(scores=(score,)))
        assert [row.delta for row in store.ledger.scores("alex", "a")] == [stored]

    def test_an_assistants_words_are_no_evidence(self, store: Store) -> None:
        say(store, turn(1, "bad", role="assistant"))
        store.commit(
            commit(scores=(Score(agent="a", bucket="card", delta=-1, evidence="bad", turn_id="t1", slice_id="s"),))
        )
        assert store.ledger.scores("alex", "a")[0].delta == 0

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
        later: dict[str, Any] = {
            "failure": Failure.SERVER,
            "detail": "HTTP 500",
            "next_at": now + timedelta(hours=1),
            "max_attempts": 2,
        }
        job = store.defer("alex", "turn:t1", **later)
        assert (job.status, job.attempts, job.failure, job.detail, job.owner) == (
            "owed",
            1,
            Failure.SERVER,
            "HTTP 500",
            None,
        )
        assert store.owed(space="alex", due_at=now) == []
        assert store.defer("alex", "turn:t1", **later).status == "dead"
        assert store.owed(space="alex") == []
        assert len(store.owed(space="alex", include_dead=True)) == 1
        assert store.claim("alex", "turn:t1", owner="a", **self._lease(now)) is None
        store.retry("alex", "turn:t1")
        assert [(job.status, job.attempts) for job in store.owed(space="alex", due_at=datetime.now(UTC))] == [
            ("owed", 0)
        ]
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
        assert [job.key for job in store.owed(space="alex")] == [
            "turn:t1",
            "turn:t2",
            "slice:2026-08-11-1227",
            "turn:t3",
        ]
        assert [job.key for job in store.owed(space="alex", thread="t", kind="turn")] == ["turn:t1", "turn:t3"]
        assert [job.subject for job in store.owed(limit=1)] == ["t1"]


class TestErasing:
    def test_one_space_goes_the_others_stay(self, store: Store) -> None:
        for space in ("acme", "acme-corp"):
            say(store, turn(1, "bad"), space=space)
            store.commit(
                commit(
                    space=space,
                    documents=(Put(path="a", text="x"),),
                    slices=(SliceUpdate(slice_id="2026-08-11-1227", tags=("t",)),),
                )
            )
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
