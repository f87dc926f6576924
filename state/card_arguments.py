"""What a model must give for each edit of the card. The docstrings are what it is told."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from previously.state.staging import Arguments, Refs

_REFS = Field(description="where the user said it: handles such as m1, or refs such as 2026/08/11/1426#3")


class SetIdentity(Arguments):
    """Set how the user is called or addressed; replaces what the field held."""

    field: Literal["name", "address_as", "pronouns", "alias"]
    value: str = Field(description="the new value, one line, at most 300 characters")
    refs: Refs = _REFS


class UpdatePastProfile(Arguments):
    """Replace the profile: who the user is, in one paragraph of the third person, at most 2,400 characters."""

    text: str = Field(description="the whole new paragraph; keep what is still true of the old one")
    refs: Refs = _REFS


class AddPastAnchor(Arguments):
    """Add a lasting fact to Past: a date, a decision, a limit."""

    text: str = Field(description="the fact, one line, at most 300 characters")
    refs: Refs = _REFS


class Match(Arguments):
    """Names a line by a part of it."""

    match: str = Field(description="a part of the line that no other line of the section contains")


class RemovePastAnchor(Match):
    """Remove a fact from Past that is wrong or no longer matters."""


class AddNow(Arguments):
    """Add what is going on in the user's life at present."""

    text: str = Field(description="one thing, one line, at most 300 characters")
    refs: Refs = _REFS
    since: str | None = Field(None, description="from which day, YYYY-MM-DD; left out: the day it was said")


class RemoveNow(Match):
    """Remove from Now what is over."""


class PromoteNowToPast(Match):
    """Move a line of Now to Past, with its refs, because it has become lasting."""


class AddHorizon(Arguments):
    """Add a plan, a commitment or a deadline."""

    text: str = Field(description="what is to happen, one line, at most 200 characters")
    by: str = Field(description="the day it is due, YYYY-MM-DD")
    refs: Refs = _REFS


class ResolveHorizon(Match):
    """Take a loop off Horizon that is done or off: the only way out."""

    note: str = Field("", description="how it ended, for the log")
    refs: Refs = _REFS


class RescheduleHorizon(Match):
    """Give a loop on Horizon another day."""

    by: str = Field(description="the new day, YYYY-MM-DD")
    refs: Refs = _REFS


class AddSelfModel(Arguments):
    """Add a lesson on how to work with this user, from the user's own correction or wish."""

    text: str = Field(description="the lesson, one line, at most 300 characters")
    refs: Refs = _REFS
    overrides: Refs | None = Field(None, description="refs where the user set a standing rule aside, if one is")


class RemoveSelfModel(Match):
    """Remove a lesson that no longer holds."""
