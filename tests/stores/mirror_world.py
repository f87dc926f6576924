"""A store with its mirror, and a conversation to feed them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pygit2

from previously.state.commit import Annotation, Commit, Put, SliceUpdate
from previously.state.paths import CARD_PATH
from previously.state.slice import SlicePolicy
from previously.state.turn import NewTurn
from previously.stores import repository
from previously.stores.database import Store
from previously.stores.mirror import Mirror

START = datetime(2026, 8, 11, 12, 26, tzinfo=UTC)
CORE = "memory/episodic/slices/2026/08/11/1426/core.md"


class World:
    """A store with its mirror, and a conversation to feed them."""

    def __init__(self, folder: Path) -> None:
        self.store = Store.open(folder / "memory.db")
        self.mirror = Mirror(folder / "mirror", self.store)
        self.folder = self.mirror.folder("alex")
        self.turns = 0

    def say(self, text: str, *, minutes: int = 1, card: str | None = None, sync: bool = True) -> None:
        """Record a user turn and commit it, with a card if given."""
        self.turns += 1
        at = START + timedelta(minutes=self.turns * minutes - minutes)
        turn = NewTurn(
            id=f"t{self.turns}",
            thread="t",
            role="user",
            speaker=None,
            authority="owner",
            trust="trusted",
            text=text,
            event_time=at,
        )
        self.store.record("alex", [turn], policy=SlicePolicy(), timezone="Europe/Berlin")
        closed = [job.subject for job in self.store.owed(space="alex", kind="slice")]
        self.store.commit(Commit(
            space="alex", key=f"turn:t{self.turns}", kind="turn", at=at,
            annotations=(Annotation(turn_id=turn.id, kind="analysis", data={}),),
            documents=(Put(path=CARD_PATH, text=card),) if card else (),
            slices=tuple(SliceUpdate(slice_id=name, focus="tea", summary="all about tea", tags=("tea",), card_revision=0) for name in closed),
            finish=tuple(job.key for job in self.store.owed(space="alex")),
        ))  # fmt: skip
        if sync:
            self.mirror.sync("alex")

    def read(self, path: str) -> str:
        return (self.folder / path).read_text()

    def log(self) -> list[str]:
        repo = pygit2.Repository(str(self.folder))
        return [commit.message.split("\n")[0] for commit in repo.walk(repo.references[repository.BRANCH].target)]
