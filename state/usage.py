"""What asking models cost: counted for each step, added up by a reducer."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

Json = dict[str, Any]
COUNTED = ("calls", "repairs", "input_tokens", "cached_tokens", "output_tokens")
"""Requests sent, rounds with the error told back, and tokens; cached tokens are part of the input tokens."""


def add_usage(before: list[Json] | None, new: list[Json] | None) -> list[Json]:
    """Return both lists as one; the reducer of the channel `usage`."""
    return [*(before or []), *(new or [])]


def total_usage(entries: Iterable[Json]) -> dict[str, int]:
    """Return the sums over all entries."""
    rows = list(entries)
    return {name: sum(int(row.get(name, 0)) for row in rows) for name in COUNTED}
