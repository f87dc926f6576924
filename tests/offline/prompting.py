"""Prompts as the graphs make them, for the tests of the offline model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.messages import BaseMessage

from previously.prompts.frame import frame
from previously.prompts.registry import get_prompt

EDITS = (
    "set_identity update_past_profile add_past_anchor remove_past_anchor add_now remove_now promote_now_to_past add_horizon "
    "resolve_horizon reschedule_horizon add_self_model remove_self_model read_slice finish"
).split()
TOOLS = [
    {
        "type": "function",
        "function": {"name": name, "description": "", "parameters": {"type": "object", "properties": {}}},
    }
    for name in EDITS
]
Row = dict[str, Any]


def row(handle: str, text: str, role: str = "user", at: str = "2026-08-11 14:26 (Tue)", **more: str) -> Row:
    return {"id": handle, "ref": f"2026/08/11/1426#{handle[1:]}", "role": role, "at": at, "text": text, **more}


def analysis_prompt(
    turn: Sequence[Row], before: Sequence[Row] = (), slices: Sequence[Row] = (), strands: Sequence[str] = ()
) -> list[BaseMessage]:
    return get_prompt("analyze", "en").messages(
        strands=frame("strands", [{"name": name} for name in strands]),
        before=frame("before", before),
        turn=frame("turn", turn),
        slices=frame("slices", slices),
    )


def card_prompt(
    turns: Sequence[Row], card: str = "", flagged: Sequence[Row] = (), today: str = "2026-08-11"
) -> list[BaseMessage]:
    return get_prompt("evolve_card", "en").messages(
        card=frame("card", [{"line": line} for line in card.split("\n")]),
        today=today,
        flagged=frame("flagged", flagged),
        triggers=frame("triggers", []),
        turns=frame("turns", turns),
        legacy=frame("legacy", []),
    )
