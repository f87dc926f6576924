"""What memory shows to people: as text, and as HTML in notebooks, which holds no text unescaped."""

from previously.views.card import CardChange, CardView
from previously.views.evolution import DirectionView, EvolutionRun, EvolutionView, LedgerView
from previously.views.html import NOTHING_YET, Diff
from previously.views.timeline import TimelineView

__all__ = (
    "NOTHING_YET",
    "CardChange",
    "CardView",
    "Diff",
    "DirectionView",
    "EvolutionRun",
    "EvolutionView",
    "LedgerView",
    "TimelineView",
)
