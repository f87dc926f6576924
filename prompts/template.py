"""What a language module holds for each prompt."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class PromptText:
    """The two parts of a prompt: what never changes, then what changes."""

    version: int
    user: str
    """May hold slots such as `{turn}`."""
    system: str = ""
    """Holds none."""
