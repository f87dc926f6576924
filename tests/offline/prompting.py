"""Prompts as the graphs make them, for the tests of the offline model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.messages import BaseMessage

from previously.prompts.frame import frame
from previously.prompts.registry import get_prompt
from previously.state.card_edits import CARD_EDITS

EDITS = [*CARD_EDITS, "read_slice", "finish"]
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
    turn: Sequence[Row],
    before: Sequence[Row] = (),
    slices: Sequence[Row] = (),
    strands: Sequence[str] = (),
    *,
    portrait: Sequence[str] = (),
    signals: Sequence[Row] = (),
) -> list[BaseMessage]:
    return get_prompt("analyze", "en").messages(
        portrait=frame("portrait", [{"dimension": "Communication preferences", "text": text} for text in portrait]),
        signals=frame("signals", signals),
        strands=frame("strands", [{"name": name} for name in strands]),
        before=frame("before", before),
        turn=frame("turn", turn),
        slices=frame("slices", slices),
    )


def card_prompt(
    turns: Sequence[Row],
    card: str = "",
    flagged: Sequence[Row] = (),
    today: str = "2026-08-11",
    triggers: Sequence[Row] = (),
) -> list[BaseMessage]:
    return get_prompt("evolve_card", "en").messages(
        direction=frame("direction", []),
        card=frame("card", [{"line": line} for line in card.split("\n")]),
        today=today,
        flagged=frame("flagged", flagged),
        triggers=frame("triggers", triggers),
        turns=frame("turns", turns),
        legacy=frame("legacy", []),
    )


def evolution_prompt(
    name: str,
    turns: Sequence[Row],
    ledger: Sequence[Row],
    *,
    mode: str = "steady",
    direction: str = "",
    card: str = "",
    playbooks: Sequence[Row] = (),
) -> list[BaseMessage]:
    slots = {
        "mode": mode,
        "direction": frame("direction", [{"line": line} for line in direction.split("\n") if line]),
        "legacy": frame("legacy", []),
        "card": frame("card", [{"line": line} for line in card.split("\n")]),
        "playbooks": frame("playbooks", playbooks),
        "slices": frame("slices", []),
        "turns": frame("turns", turns),
        "ledger": frame("ledger", ledger),
        "triggers": frame("triggers", [{"kind": "pressure", "bucket": "interaction", "net": -5}]),
    }
    prompt = get_prompt(name, "en")
    return prompt.messages(**{slot: slots[slot] for slot in prompt.slots})
