"""The user card and its text: the one place that others import it from."""

from __future__ import annotations

from dataclasses import dataclass

from previously.state.card_legacy import migrate
from previously.state.card_model import CARD_LIMIT, STAMP, Card, Entry, breaks_format, render_card
from previously.state.card_text import CardReader

__all__ = ["CARD_LIMIT", "STAMP", "Card", "Entry", "ParsedCard", "breaks_format", "parse_card", "render_card"]


@dataclass(frozen=True, kw_only=True, slots=True)
class ParsedCard:
    """A text read as a card, as far as that goes."""

    card: Card
    problems: tuple[str, ...] = ()
    """What a person should look at, one sentence each. Whether the card is valid, `Card.problems` tells."""
    legacy: bool = False
    """Whether the text is of an older format and was migrated."""
    leftover: tuple[str, ...] = ()
    """What an older format held and no section has a place for; the old text itself stays as a revision."""


def parse_card(text: str) -> ParsedCard:
    """Read a text as a card. Never raises: what is not understood is reported, and kept in `Card.unread`.

    A text without the stamp of this format is of an older one and is migrated mechanically; no text is an empty card.
    """
    if not text.strip():
        return ParsedCard(card=Card())
    if STAMP not in text:
        card, leftover = migrate(text)
        return ParsedCard(card=card, legacy=True, leftover=tuple(leftover))
    reader = CardReader()
    card = reader.read(text)
    return ParsedCard(card=card, problems=tuple(reader.problems))
