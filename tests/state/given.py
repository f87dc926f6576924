"""Slices and turns for the tests of their files, and texts that try to break out of them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from hypothesis import strategies as st

from previously.state.slice import Slice
from previously.state.turn import Turn

START = datetime(2026, 8, 11, 12, 26, tzinfo=UTC)
words = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
nasty = st.sampled_from(["", "---", "x---", "a\n---\nb", "## Turn 3 {}", "\r\n", "a\r", "\u2028", "\x85", "> quoted", "\n", "a\n", "\x1b[0m", "🦊"])  # fmt: skip
texts = words | nasty


def a_slice(**fields: Any) -> Slice:
    values: dict[str, Any] = {
        "space": "alex",
        "slice_id": "2026-08-11-1426",
        "thread": "t",
        "status": "closed",
        "start": START,
        "end": START,
        "closed_by": "time_cap",
        "timezone": "Europe/Berlin",
        "turn_count": 2,
    }
    return Slice(**{**values, **fields})


def a_turn(number: int, text: str, **fields: Any) -> Turn:
    values: dict[str, Any] = {
        "space": "alex",
        "id": f"t{number}",
        "seq": number,
        "slice_id": "2026-08-11-1426",
        "number": number,
        "thread": "t",
        "role": "user",
        "speaker": None,
        "authority": "owner",
        "trust": "trusted",
        "text": text,
        "hash": "",
        "event_time": START,
        "ingested_at": START,
    }
    return Turn(**{**values, **fields})
