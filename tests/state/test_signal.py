"""What it means that an agent reads a slice itself after recall has answered."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from previously.state.signal import Signal, SignalKind, classify_read

A, B, C, OWN = "2026-08-01-0900", "2026-08-02-0900", "2026-08-03-0900", "2026-08-11-1426"


def fact(number: int, kind: SignalKind, **data: Any) -> Signal:
    at = datetime(2026, 8, 11, tzinfo=UTC)
    return Signal(
        space="s",
        id=number,
        key=str(number),
        agent="a",
        thread="t",
        kind=kind,
        detail="",
        at=at,
        data=data,
        judged=None,
    )


def answer(references: list[str], searched: list[str] | None = None) -> Signal:
    return fact(1, "recall_answer", references=references, searched=searched or [])


@pytest.mark.parametrize(("target", "signals", "kind"), [
    (A, [], None),
    (OWN, [answer([A])], None),
    (A, [answer([A])], "recall_verify"),
    (A, [answer(["2026/08/01/0900#3"])], "recall_verify"),
    (A, [answer(["2026/08/01/0900"])], "recall_verify"),
    (B, [answer([A], ["window 2026-08", f"slice {B}"])], "recall_verify"),
    (B, [answer([A], ["read 2026/08/02/0900"])], "recall_verify"),
    (C, [answer([A], [f"slice {B}"])], "recall_rework"),
    (C, [answer([])], "recall_rework"),
    (C, [answer([A]), fact(2, "recall_rework", slice=C)], "recall_repeat"),
    (A, [answer([A]), fact(2, "recall_verify", slice=A)], "recall_repeat"),
    (B, [answer([A]), fact(2, "recall_verify", slice=A)], "recall_rework"),
])  # fmt: skip
def test_what_a_reading_means(target: str, signals: list[Signal], kind: SignalKind | None) -> None:
    assert classify_read(target, own=OWN, since_recall=signals) == kind
