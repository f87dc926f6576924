"""The numbers that govern a run: limits, budgets and policies, with their defaults."""

from __future__ import annotations

from dataclasses import dataclass, field

from previously.state.slice import SlicePolicy


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Limits of the machinery. The caps of a document's format are not here: they belong to the format."""

    slices: SlicePolicy = field(default_factory=SlicePolicy)
    step_timeout: float = 30.0
    """Seconds for one answer of a model, retries and repair included."""
    deadline: float = 120.0
    """Seconds for the whole housekeeping of a turn; what is not done by then stays owed."""
    max_output_tokens: int = 4_000
    """Output cap of one model step."""
    requests: int = 3
    """Requests for one model step at the most, when the provider fails in a way that may pass."""
    card_steps: int = 30
    """Model steps of one run of the Previously Agent."""
    card_timeout: float = 90.0
    """Seconds of one run of the Previously Agent."""
    evolution_timeout: float = 150.0
    """Seconds of one evolution run, the editing of the card included."""
    pressure: int = -5
    """Net score of a bucket at or below which evolution is due (evolution spec)."""
    portrait_characters: int = 4_000
    """Characters of the portrait that the analysis of a turn is shown."""
    attempts: int = 3
    """Runs of one owed job before it is dead."""
    backoff: float = 300.0
    """Seconds before a failed job is tried again; doubled with each attempt."""
    lease: float = 180.0
    """Seconds for which a worker owns a job."""
    owed_per_turn: int = 1
    """Jobs left over from earlier turns that one inline housekeeping takes on besides its own."""
    dry_per_turn: int = 3
    """Unmarked closed slices that one turn's analysis is asked to mark."""
    horizon_cap: int = 20
    """Open loops on the card."""
    turn_characters: int = 6_000
    """A longer turn is cut in the middle, with a mark, where it is shown to a model."""
    slice_characters: int = 24_000
    """Characters of a closed slice that are shown to a model; its turns are cut evenly to fit."""
