"""What the checks of an edit may look up: the one place where staged edits meet the store."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

from previously.nodes.services import Services
from previously.state.card import parse_card
from previously.state.context import MemoryContext
from previously.state.edit import EditContext
from previously.state.paths import CARD_PATH
from previously.state.ref import Ref
from previously.state.turn import Turn

_ALIASES = re.compile(r"[,，、;；/]|\(|\)|（|）")


def edit_context(services: Services, context: MemoryContext, handles: dict[str, str], today: date) -> EditContext:
    """Return what the checks of an edit may know: which refs exist, who said them and when, what today is."""
    store, zone = services.store, services.zone(context)

    def cited(ref: Ref) -> list[Turn]:
        if ref.turn is None:
            return store.turns(context.space, slice_id=ref.slice_id)
        turn = store.turn_at(context.space, ref)
        return [turn] if turn else []

    def known(ref: Ref) -> bool:
        return any(turn.trust == "trusted" for turn in cited(ref))

    def said_by_user(ref: Ref) -> bool:
        return any(turn.role == "user" and turn.authority == "owner" for turn in cited(ref))

    def text_of(ref: Ref) -> str:
        return "\n".join(turn.text for turn in cited(ref))

    def said_on(ref: Ref) -> date | None:
        turns = cited(ref)
        return turns[0].event_time.astimezone(zone).date() if turns else None

    return EditContext(
        today=today,
        agent=context.agent,
        handles={handle: Ref.parse(ref) for handle, ref in handles.items()},
        known_ref=known,
        said_by_user=said_by_user,
        said_on=said_on,
        text_of=text_of,
        horizon_cap=services.settings.horizon_cap,
    )


def known_names(services: Services, space: str) -> frozenset[str]:
    """Return the names of the user, as the card has them, and of whoever else the card's Identity names."""
    head = services.store.head(space, CARD_PATH)
    return frozenset(_names(parse_card(head.text if head else "").card.identity))


def _names(identity: tuple[tuple[str, str], ...]) -> Iterator[str]:
    for label, value in identity:
        if label != "Pronouns":
            yield from (part.strip() for part in _ALIASES.split(value) if part.strip())
