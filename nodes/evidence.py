"""How recorded turns are shown to a model: rows with short handles, long texts cut in the middle."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from previously.nodes.services import Services
from previously.prompts.frame import cut_middle
from previously.state.turn import Turn

Rows = list[dict[str, Any]]
_AROUND = 12
"""Turns looked at on either side of a user turn to find its exchange."""


def turn_rows(turns: Sequence[Turn], zone: ZoneInfo, limit: int, *, first: int = 1) -> Rows:
    """Return one row a turn with the handles `m<first>`, `m<first+1>` …; `limit` is in characters of one turn."""
    return [_row(turn, f"m{number}", zone, limit) for number, turn in enumerate(turns, first)]


def slice_rows(turns: Sequence[Turn], zone: ZoneInfo, limit: int) -> Rows:
    """Return a whole slice as rows; `limit` is in characters of all its turns, which are cut evenly to fit."""
    each = limit // max(1, len(turns))
    short = sum(len(turn.text) for turn in turns if len(turn.text) <= each)
    long = sum(1 for turn in turns if len(turn.text) > each)
    return turn_rows(turns, zone, max(200, (limit - short) // long) if long else limit)


def local_time(moment: datetime, zone: ZoneInfo) -> str:
    """Return an instant as models see it: `2026-08-11 14:26 (Tue)` on the user's clock."""
    return moment.astimezone(zone).strftime("%Y-%m-%d %H:%M (%a)")


def exchange(services: Services, turn: Turn) -> list[Turn]:
    """Return a user turn and the replies to it in its slice."""
    later = services.store.turns(turn.space, thread=turn.thread, after_seq=turn.seq, limit=_AROUND)
    replies: list[Turn] = []
    for reply in later:
        if reply.role == "user" or reply.slice_id != turn.slice_id:
            break
        replies.append(reply)
    return [turn, *replies]


def exchange_before(services: Services, turn: Turn) -> list[Turn]:
    """Return the exchange that a user turn reacts to: the user turn before it and the replies in between."""
    earlier = services.store.turns(
        turn.space, thread=turn.thread, before_seq=turn.seq, newest_first=True, limit=_AROUND
    )
    found: list[Turn] = []
    for past in earlier:
        found.append(past)
        if past.role == "user":
            break
    return found[::-1]


def _row(turn: Turn, handle: str, zone: ZoneInfo, limit: int) -> dict[str, Any]:
    row = {"id": handle, "ref": str(turn.ref), "role": turn.role}
    if turn.speaker:
        row["speaker"] = turn.speaker
    return {**row, "at": local_time(turn.event_time, zone), "text": cut_middle(turn.text, limit)}
