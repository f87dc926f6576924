"""Slice ids and refs: how a conclusion cites what was said.

A slice id is `YYYY-MM-DD-HHMM`, in the zone of its space. It is cited as `YYYY/MM/DD/HHMM`, and one turn of it as
`YYYY/MM/DD/HHMM#N` with N counting from 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import NamedTuple, Self
from zoneinfo import ZoneInfo

from previously.state.errors import InvalidInput

_REF = re.compile(r"(\d{4})[/-](\d{2})[/-](\d{2})[/-](\d{4})(?:#([1-9]\d{0,8}))?", re.ASCII)
_ID_FORMAT = "%Y-%m-%d-%H%M"
EXAMPLE = "2026/08/11/1426#3"
REFS_TAIL = " — refs: "


def valid_slice_id(text: str) -> bool:
    """Whether `text` is a slice id that names a real minute."""
    try:
        return datetime.strptime(text, _ID_FORMAT).strftime(_ID_FORMAT) == text  # noqa: DTZ007 - a name, no instant
    except ValueError:
        return False


def slice_id_at(start: datetime, zone: ZoneInfo) -> str:
    """Return the id of a slice that starts at the instant `start`, by the clock of `zone`."""
    return start.astimezone(zone).strftime(_ID_FORMAT)


def next_slice_id(slice_id: str) -> str:
    """Return the id one minute later, for a start whose minute is taken."""
    moment = datetime.strptime(slice_id, _ID_FORMAT) + timedelta(minutes=1)  # noqa: DTZ007
    return moment.strftime(_ID_FORMAT)


class Ref(NamedTuple):
    """A citation of a slice, or of one turn in it."""

    slice_id: str
    """`YYYY-MM-DD-HHMM`."""
    turn: int | None = None
    """Number of the turn in its slice, from 1; `None` cites the slice."""

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read `2026/08/11/1426#3`; dashes instead of slashes are accepted. Raises `InvalidInput`."""
        found = _REF.fullmatch(text.strip())
        slice_id = "-".join(found.group(1, 2, 3, 4)) if found else ""
        if not found or not valid_slice_id(slice_id):
            raise InvalidInput("refs", f"{text!r} is not a ref: write it as {EXAMPLE}")
        return cls(slice_id, int(found[5]) if found[5] else None)

    def __str__(self) -> str:
        """Return the canonical spelling, with slashes."""
        path = self.slice_id.replace("-", "/")
        return path if self.turn is None else f"{path}#{self.turn}"


def refs_tail(refs: Iterable[Ref]) -> str:
    """Return how a line of a document ends that cites something: ` — refs: [a], [b]`; `""` for none."""
    cited = ", ".join(f"[{ref}]" for ref in refs)
    return f"{REFS_TAIL}{cited}" if cited else ""


def parse_refs(text: str) -> tuple[Ref, ...]:
    """Read a list of refs, in brackets or without, each once. Raises `InvalidInput` for what is none."""
    return tuple(dict.fromkeys(Ref.parse(part) for part in re.split(r"[\[\],\s]+", text) if part))
