"""Turns and commits for the tests of the store."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from previously.state.commit import Commit
from previously.state.slice import SlicePolicy
from previously.state.turn import NewTurn
from previously.stores.database import Store

START = datetime(2026, 8, 11, 12, 26, tzinfo=UTC)
POLICY = SlicePolicy()


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
