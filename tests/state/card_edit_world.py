"""A small world for tests of card edits: who said what, and when."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Any

from previously.state.card import Card, Entry
from previously.state.card_edits import CARD_EDITS
from previously.state.context import DEFAULT_AGENT
from previously.state.edit import EditContext
from previously.state.ref import Ref
from previously.state.staging import Applied

TODAY = date(2026, 8, 18)
SLICE = "2026-08-11-1426"
USER, ASSISTANT, STRANGER = Ref(SLICE, 1), Ref(SLICE, 2), Ref("1999-01-01-0000")
CONTEXT = EditContext(
    today=TODAY,
    agent=DEFAULT_AGENT,
    handles={"m1": USER, "m2": ASSISTANT},
    known_ref=lambda ref: ref.slice_id == SLICE,
    said_by_user=lambda ref: ref.turn != 2,
    said_on=lambda ref: date(2026, 8, 11) if ref.turn == 1 else None,
)


def entry(text: str, **more: Any) -> Entry:
    return Entry(text=text, refs=(USER,), **more)


FULL = Card(
    identity=(("Name", "Alex"), ("Alias", "小艾")),
    profile="Alex is an engineer.",
    anchors=(entry("Graduated in 2021"), entry("Moved to Oslo")),
    now=(entry("Training for a 5K", since=date(2026, 8, 11)), entry("Reading Dune", since=date(2026, 8, 1))),
    horizon=(entry("Draft the speech", by=date(2026, 8, 21)), entry("Renew the passport", by=date(2026, 8, 25))),
    self_models={DEFAULT_AGENT: (entry("Stop using emojis"),)},
)


def call(
    card: Card, tool: str, *, context: EditContext = CONTEXT, brake: dict[str, int] | None = None, **args: Any
) -> Applied:
    return CARD_EDITS.apply(card, tool, args, context, {} if brake is None else brake)


def told(card: Card, tool: str, **args: Any) -> str:
    """Return the message of a call that must be refused and must not change the card."""
    applied = call(card, tool, **args)
    assert applied.document is card
    assert applied.op is None
    assert applied.message.startswith("REJECTED: ")
    return applied.message.removeprefix("REJECTED: ")


def done(card: Card, tool: str, **args: Any) -> Card:
    """Return the card after a call that must be applied."""
    applied = call(card, tool, **args)
    assert applied.message.startswith("OK — "), applied.message
    return applied.document


def with_context(**more: Any) -> EditContext:
    return replace(CONTEXT, **more)
