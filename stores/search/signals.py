"""Why a turn may be what was asked for: each signal one small function over all turns of a space, with a weight.

A hit's score is the weighted sum. Signals that compare texts are standardised over the space (mean 0, deviation 1), so
that words and meanings add up whatever their scales; the others are plain marks. The weights are round numbers set by
what a signal is, not fitted to any data: what the texts say counts 1 each, what the question names outright counts 4
(more than any one comparison gives), and what makes a turn good evidence in general counts little.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from previously.stores.search.corpus import Corpus
from previously.stores.search.lexical import Floats, Ints, Matches, bm25

_NEAR = 0.5
"""What a neighbour counts beside the turn itself."""


@dataclass(frozen=True)
class Evidence:
    """What one question finds in one space. Arrays have one value a turn, oldest first."""

    corpus: Corpus
    matches: Matches
    lengths: Floats
    """Terms of each turn."""
    cosines: Floats | None
    """Similarity of meaning, NaN where a turn has no vector yet; `None` without an embedding."""
    background: tuple[float, float] | None
    """Mean and deviation of the question's similarity with texts that have nothing to do with it."""
    named: frozenset[int]
    """Codes of the speakers whom the question names."""
    windows: tuple[tuple[float, float], ...]
    """Times that the question names, as seconds since 1970, end excluded."""

    @cached_property
    def previous(self) -> Ints:
        """Row of the turn before, in the same slice; -1: none."""
        return self.corpus.column("previous")

    @cached_property
    def following(self) -> Ints:
        """Row of the turn behind, in the same slice; -1: none."""
        return self.corpus.column("following")

    @cached_property
    def slices(self) -> Ints:
        """Code of each turn's slice."""
        return self.corpus.column("slice")

    @cached_property
    def counts_near(self) -> Floats:
        """Terms x turns: how often a term stands in a turn and, by half, beside it."""
        return self.near(self.matches.counts)

    @cached_property
    def words(self) -> Floats:
        """Standardised BM25 of each turn."""
        return standard(bm25(self.matches.counts[:, :-1], self.lengths))

    @cached_property
    def meanings(self) -> Floats:
        """Standardised cosine of each turn; where there is no vector yet, its words speak for it."""
        if self.cosines is None:
            return np.zeros(len(self.lengths), np.float32)
        return np.where(np.isnan(self.cosines), self.words, standard(self.cosines))

    def near(self, values: Floats) -> Floats:
        """Return each value with its neighbours'. `values` has an empty last column, which edges read."""
        found: Floats = values[..., :-1] + _NEAR * (values[..., self.previous] + values[..., self.following])
        return found


def standard(values: Floats) -> Floats:
    """Return values with mean 0 and deviation 1 over the space; NaN, and what is all the same, becomes 0."""
    known = ~np.isnan(values)
    deviation = float(values[known].std()) if known.any() else 0.0
    if deviation < 1e-6:  # noqa: PLR2004 - rounding of 32-bit numbers
        return np.zeros_like(values)
    centred = (values - values[known].mean()) / deviation
    return np.where(known, centred, 0).astype(np.float32)


def words(evidence: Evidence) -> Floats:
    """BM25 of the turn."""
    return evidence.words


def words_near(evidence: Evidence) -> Floats:
    """BM25 of the turn together with its neighbours: the question's words are often spread over an exchange."""
    lengths = evidence.near(np.append(evidence.lengths, np.float32(0)))
    return standard(bm25(evidence.counts_near, lengths))


def words_slice(evidence: Evidence) -> Floats:
    """BM25 of the whole slice: whether that conversation was about it at all."""
    slices, size = evidence.slices, len(evidence.corpus.slice_names)
    counts = np.zeros((len(evidence.matches.counts), size), np.float32)
    for at, term in enumerate(evidence.matches.counts):
        rows = np.flatnonzero(term[:-1])
        counts[at] = np.bincount(slices[rows], term[rows], size)
    lengths = np.bincount(slices, evidence.lengths, size).astype(np.float32)
    return standard(bm25(counts, lengths)[slices])


def meaning(evidence: Evidence) -> Floats:
    """Cosine of the turn."""
    return evidence.meanings


def meaning_near(evidence: Evidence) -> Floats:
    """Mean cosine of the turn and its neighbours."""
    total = evidence.near(np.append(evidence.meanings, np.float32(0)))
    share = 1 + _NEAR * ((evidence.previous >= 0).astype(np.float32) + (evidence.following >= 0))
    return standard(total / share)


def meaning_slice(evidence: Evidence) -> Floats:
    """Best cosine in the slice."""
    best = np.full(len(evidence.corpus.slice_names), -np.inf, np.float32)
    np.maximum.at(best, evidence.slices, evidence.meanings)
    return standard(best[evidence.slices])


def speaker(evidence: Evidence) -> Floats:
    """1 where the question names who speaks."""
    return np.isin(evidence.corpus.column("speaker"), list(evidence.named)).astype(np.float32)


_AFTER = 7 * 86_400.0


def date(evidence: Evidence) -> Floats:
    """1 in a time that the question names; ½ in the week behind it, when people tell what they did."""
    time = evidence.corpus.column("time")
    found = np.zeros(len(time), np.float32)
    for start, end in evidence.windows:
        found = np.maximum(found, np.where((time >= start) & (time < end), 1, 0))
        found = np.maximum(found, np.where((time >= end) & (time < end + _AFTER), 0.5, 0))
    return found.astype(np.float32)


def length(evidence: Evidence) -> Floats:
    """Long turns hold more that can be asked for."""
    return standard(np.log1p(evidence.lengths))


def question(evidence: Evidence) -> Floats:
    """1 where the turn is itself a question: it asks for the fact instead of stating it."""
    found: Floats = evidence.corpus.column("asks")
    return found


def answer(evidence: Evidence) -> Floats:
    """How well the turn before fits, if it is a question: then this is the answer."""
    asked = (evidence.words + evidence.meanings) / 2 * evidence.corpus.column("asks")
    found: Floats = np.append(asked, np.float32(0))[evidence.previous]
    return found


class Signal(NamedTuple):
    """A named function with its weight."""

    name: str
    weight: float
    of: Callable[[Evidence], Floats]
    semantic: bool = False
    """Whether it needs an embedding."""


SIGNALS = (
    Signal("words", 1, words),
    Signal("words_near", 1, words_near),
    Signal("words_slice", 1, words_slice),
    Signal("meaning", 1, meaning, semantic=True),
    Signal("meaning_near", 1, meaning_near, semantic=True),
    Signal("meaning_slice", 1, meaning_slice, semantic=True),
    Signal("speaker", 4, speaker),
    Signal("date", 4, date),
    Signal("answer", 1, answer),
    Signal("length", 0.5, length),
    Signal("question", -1, question),
)


def contributions(evidence: Evidence) -> dict[str, Floats]:
    """Return what each signal adds to the score of each turn."""
    return {
        signal.name: np.float32(signal.weight) * signal.of(evidence)
        for signal in SIGNALS
        if evidence.cosines is not None or not signal.semantic
    }
