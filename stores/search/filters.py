"""Which turns a search may return at all."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from previously.stores.search.corpus import Corpus, folded_name


@dataclass(frozen=True, kw_only=True, slots=True)
class Filters:
    """Conditions that all have to hold; `None` asks nothing."""

    after: datetime | None = None
    """Said at this instant or later."""
    before: datetime | None = None
    """Said before this instant."""
    speaker: str | None = None
    """Name of who said it in any case, or a role, `user` or `assistant`."""
    slices: frozenset[str] | None = None
    """Ids of slices, one of which it was said in."""
    thread: str | None = None
    authority: str | None = None

    def mask(self, corpus: Corpus) -> NDArray[np.bool_]:
        """Return which turns fit."""
        fits = np.ones(len(corpus), np.bool_)
        time = corpus.column("time")
        if self.after is not None:
            fits &= time >= self.after.timestamp()
        if self.before is not None:
            fits &= time < self.before.timestamp()
        if self.speaker is not None:
            name = folded_name(self.speaker)
            fits &= corpus.where("speaker", name) | corpus.where("role", name)
        if self.slices is not None:
            codes = [code for name, code in corpus.slice_names.items() if name in self.slices]
            fits &= np.isin(corpus.column("slice"), codes)
        for name, value in (("thread", self.thread), ("authority", self.authority)):
            if value is not None:
                fits &= corpus.where(name, value)
        return fits
