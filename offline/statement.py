"""What rules recognise in a user's words: statements that a card could hold, and judgements of a reply."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from previously.state.commit import Bucket


class Kind(StrEnum):
    """What a statement is about."""

    NAME = "name"
    ADDRESS = "address_as"
    ALIAS = "alias"
    PRONOUNS = "pronouns"
    RULE = "rule"
    """How the assistant is to behave from now on."""
    REVOKE = "revoke"
    """An earlier rule no longer holds."""
    FORGET = "forget"
    """Something is to leave the card."""
    REQUEST = "request"
    """A bare wish to remember, without saying what."""
    PLAN = "plan"
    """Something to come, with a date."""
    MOVED = "moved"
    """A plan has another date."""
    DONE = "done"
    """A plan or an activity is over, one way or the other."""
    NOW = "now"
    EVENT = "event"
    """Something of the user's life that happened in a named year."""
    FACT = "fact"


EXPLICIT = frozenset({Kind.ADDRESS, Kind.PRONOUNS, Kind.RULE, Kind.REVOKE, Kind.FORGET, Kind.REQUEST})
"""Kinds that ask for a change of the card by themselves; any other does when it was `asked` for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One clause of the user's that says something lasting."""

    kind: Kind
    quote: str
    """The user's words, exactly as they stand in the turn."""
    said: str
    """The same without what leads in and closes: what wording starts from."""
    value: str = ""
    """The name, or the words that tell which entry is meant."""
    by: date | None = None
    """The day of a plan, or the last day of a past event's year or month."""
    slot: str = ""
    """For a fact of which there is one at a time (where somebody lives): what it is about."""
    asked: bool = False
    """Whether the user asked to remember this."""

    @property
    def explicit(self) -> bool:
        """Whether the statement itself asks for the card to change."""
        return self.asked or self.kind in EXPLICIT


@dataclass(frozen=True, slots=True, kw_only=True)
class Reaction:
    """A judgement of the reply before."""

    delta: int
    """-2, -1 or 1."""
    bucket: Bucket
    quote: str
    """The user's words, exactly as they stand in the turn."""
