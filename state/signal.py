"""Mechanical facts about how an answer was used: recorded by code, judged once by the analysis, never a score alone."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, get_args

SignalKind = Literal[
    "interaction_regenerate",
    "interaction_interrupt",
    "recall_answer",
    "recall_verify",
    "recall_rework",
    "recall_repeat",
]
SIGNAL_KINDS: tuple[SignalKind, ...] = get_args(SignalKind)
DEMERITS: tuple[SignalKind, ...] = (
    "interaction_regenerate",
    "interaction_interrupt",
    "recall_rework",
    "recall_repeat",
)
"""What may stand for discontent; the rest is recorded only."""
SIGNAL_DETAIL = 500
"""Characters of a signal's detail."""


@dataclass(frozen=True, kw_only=True, slots=True)
class NewSignal:
    """A fact that is to be recorded."""

    key: str
    """Unique in its space: the same fact twice is one."""
    agent: str
    thread: str
    kind: SignalKind
    detail: str
    """One line for people and for the analysis, at most 500 characters."""
    at: datetime
    data: dict[str, Any] = field(default_factory=dict)
    """For `recall_answer` its `references` and `searched`; for a reading of a slice its `slice`."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Signal:
    """A recorded fact."""

    space: str
    id: int
    """Order of recording in the space, from 1."""
    key: str
    agent: str
    thread: str
    kind: SignalKind
    detail: str
    at: datetime
    data: dict[str, Any]
    judged: int | None
    """Number of the commit whose analysis saw it; `None` while none has."""

    @property
    def bucket(self) -> Literal["recall", "interaction"]:
        """Return the bucket in which it may count."""
        return "recall" if self.kind.startswith("recall") else "interaction"


def classify_read(slice_id: str, *, own: str, since_recall: Iterable[Signal]) -> SignalKind | None:
    """Return what it means that the agent reads a slice itself, after its recall colleague has answered.

    `own` is the slice of the conversation; `since_recall` are the signals of the thread from its latest `recall_answer`
    on, oldest first. Without an answer, or for the own slice, it means nothing. Read once more: repeat. Among what the
    answer referred to or searched: verify. Else the answer had missed it: rework (evolution spec: re-read classes).
    """
    signals = list(since_recall)
    if not signals or signals[0].kind != "recall_answer" or slice_id == own:
        return None
    if any(signal.data.get("slice") == slice_id for signal in signals[1:]):
        return "recall_repeat"
    answer = signals[0].data
    searched = " ".join(map(str, answer.get("searched") or ()))
    cited = [str(ref).replace("/", "-") for ref in answer.get("references") or ()]
    named = slice_id in searched or slice_id.replace("-", "/") in searched
    return "recall_verify" if named or any(ref.startswith(slice_id) for ref in cited) else "recall_rework"
