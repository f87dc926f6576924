"""What is known of the turns of one space besides their words: one column a field, one row a turn, oldest first."""

from __future__ import annotations

import hashlib
from array import array
from typing import Any

import numpy as np
from numpy.typing import NDArray

from previously.state.ref import Ref
from previously.state.turn import Turn

_ASKS = "??؟;"
_EMBEDDED = 4_000
"""Characters of a turn that are embedded: what follows in a longer one is found by its words."""


def indexed_text(turn: Turn) -> str:
    """Return what is indexed of a turn: who says it, and what."""
    return f"{turn.speaker}: {turn.text}" if turn.speaker else turn.text


def vector_key(turn: Turn) -> str:
    """Return the name under which the vector of a turn is kept. It changes with the text that is embedded."""
    return f"{turn.seq}-{hashlib.sha256(embedded_text(turn).encode()).hexdigest()[:16]}"


def embedded_text(turn: Turn) -> str:
    """Return what is embedded of a turn."""
    return indexed_text(turn)[:_EMBEDDED]


class Corpus:
    """The columns. Not thread-safe."""

    def __init__(self) -> None:
        """Begin empty."""
        self.ids: list[str] = []
        self.refs: list[Ref] = []
        self.keys: list[str] = []
        """`vector_key` of each turn."""
        self.newest: Turn | None = None
        """The turn that was taken in last."""
        self.slice_names: dict[str, int] = {}
        self.speaker_names: dict[str, int] = {}
        """Names as they are compared, in the order of their first turns; `""` is nobody's name."""
        self._codes: dict[str, dict[str, int]] = {
            "slice": self.slice_names,
            "speaker": self.speaker_names,
            "thread": {},
            "role": {},
            "authority": {},
        }
        self._columns: dict[str, array[Any]] = {name: array("i") for name in (*self._codes, "previous", "following")}
        self._columns |= {"asks": array("f"), "time": array("d")}
        self._ends: dict[str, int] = {}

    def __len__(self) -> int:
        """Return how many turns there are."""
        return len(self.ids)

    def add(self, turn: Turn) -> None:
        """Take in the next turn."""
        row, columns = len(self.ids), self._columns
        self.ids.append(turn.id)
        self.refs.append(turn.ref)
        self.keys.append(vector_key(turn))
        self.newest = turn
        values = (turn.slice_id, folded_name(turn.speaker or ""), turn.thread, turn.role, turn.authority)
        for (name, codes), value in zip(self._codes.items(), values, strict=True):
            columns[name].append(codes.setdefault(value, len(codes)))
        before = self._ends.get(turn.slice_id, -1)
        if before >= 0:
            columns["following"][before] = row
        columns["previous"].append(before)
        columns["following"].append(-1)
        self._ends[turn.slice_id] = row
        columns["asks"].append(float(turn.text.rstrip()[-1:] in tuple(_ASKS)))
        columns["time"].append(turn.event_time.timestamp())

    def column(self, name: str) -> NDArray[Any]:
        """Return a column.

        Slice, speaker, thread, role and authority are codes, previous and following rows of the same slice (-1: none),
        asks is 1 or 0, time is seconds since 1970.
        """
        return np.array(self._columns[name])

    def where(self, name: str, value: str) -> NDArray[np.bool_]:
        """Return which turns have `value` in a coded column."""
        found: NDArray[np.bool_] = self.column(name) == self._codes[name].get(value, -1)
        return found


def folded_name(name: str) -> str:
    """Return a name as names are compared."""
    return " ".join(name.casefold().split())
