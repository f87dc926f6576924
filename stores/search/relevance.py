"""Whether anything that was said comes close to a question at all."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from previously.stores.search.lexical import Floats, rarity
from previously.stores.search.signals import Evidence, date

_FLOOR = 0.6
"""Closeness below which a turn has nothing to do with the question."""
_FLOOR_OF_WORDS = 0.2
"""The same for a turn without a vector, when nothing but shared words can speak for it."""
_BESIDES = 10
"""Turns about other things that every space is thought to have: in a small one no word would be rare without them."""
_STANDING, _CONTRAST = 1 / 12, 1 / 24
"""A turn of 6 deviations above the space, or 12 above unrelated texts, is as close as one with half of the words."""


def relevant(evidence: Evidence, allowed: NDArray[np.bool_], floor: float | None) -> bool:
    """Whether one of the allowed turns is worth returning. A time that was named, with turns in it, always is.

    `floor` is the closeness that the best of them must reach; `None` is the usual one.
    """
    if evidence.windows and date(evidence)[allowed].any():
        return True
    if floor is None:
        return bool((closeness(evidence) >= _usual_floor(evidence))[allowed].any())
    return float(closeness(evidence)[allowed].max()) >= floor


def _usual_floor(evidence: Evidence) -> Floats | float:
    if evidence.cosines is None:
        return _FLOOR_OF_WORDS
    return np.where(np.isnan(evidence.cosines), np.float32(_FLOOR_OF_WORDS), np.float32(_FLOOR))


def closeness(evidence: Evidence) -> Floats:
    """Return how close each turn comes to what is asked, from 0.

    The share of the question's words that stand in the turn or beside it (rare words weigh more, and words that were
    never said most of all); and how far the turn's meaning stands out, among the other turns and against other texts.
    """
    found = _covered(evidence)
    if evidence.cosines is not None and evidence.background is not None:
        mean, deviation = evidence.background
        contrast = (np.nan_to_num(evidence.cosines, nan=mean) - mean) / max(deviation, 1e-6)
        found = found + _STANDING * np.maximum(evidence.meanings, 0) + _CONTRAST * np.maximum(contrast, 0)
    return found


def _covered(evidence: Evidence) -> Floats:
    size, matches = len(evidence.lengths), evidence.matches
    weights = matches.telling * rarity(matches.counts[:, :-1], _BESIDES)
    unsaid = np.log1p((size + _BESIDES + 0.5) / 0.5)
    total = np.float32(weights.sum() + matches.unknown * unsaid)
    if not total:
        return np.zeros(size, np.float32)
    found: Floats = np.einsum("t,tn->n", weights / total, (evidence.counts_near > 0).astype(np.float32))
    return found
