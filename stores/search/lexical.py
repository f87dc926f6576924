"""Which turns of a space hold which words: postings in memory, grown turn by turn, read as arrays."""

from __future__ import annotations

from array import array
from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from previously.stores.search.segment import is_common, language_of, split, stem

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]
_K1, _B = 1.2, 0.75
_TERM_LIMIT = 64
"""Terms of a query that count: a longer query is a pasted text, of which the beginning says what it is about."""


@dataclass(frozen=True, slots=True)
class Matches:
    """Where the terms of one query stand."""

    counts: Floats
    """Terms x (turns + 1): how often a term stands in a turn. The last column is empty: the neighbour of an edge."""
    telling: Floats
    """For each of these terms 1, or 0 for one of the most frequent words of a language."""
    unknown: int
    """Telling terms of the query that no turn of the space holds."""


def bm25(counts: Floats, lengths: Floats) -> Floats:
    """Return the BM25 score of each column of `counts` (terms x texts) for texts of `lengths` terms."""
    average = float(lengths.mean()) or 1.0
    saturation: Floats = np.float32(_K1 * (1 - _B)) + np.float32(_K1 * _B / average) * lengths
    scores: Floats = np.einsum("t,tn->n", rarity(counts), counts / (counts + saturation))
    return scores


def rarity(counts: Floats, besides: int = 0) -> Floats:
    """Return the inverse document frequency of each term, as if there were `besides` more texts without any of them."""
    total, holding = counts.shape[1] + besides, np.count_nonzero(counts, axis=1)
    weights: Floats = np.log1p((total - holding + 0.5) / (holding + 0.5)).astype(np.float32)
    return weights


class Lexical:
    """The words of the turns of one space. Not thread-safe."""

    def __init__(self) -> None:
        """Begin empty."""
        self.lengths = array("f")
        """Terms of each turn."""
        self._postings: dict[str, tuple[array[int], array[float]]] = {}
        self._languages: dict[str, int] = {}

    def add(self, text: str) -> None:
        """Take in the next turn."""
        words, runs = split(text)
        language = language_of(words) or max(self._languages, key=self._languages.__getitem__, default="english")
        self._languages[language] = self._languages.get(language, 0) + 1
        row = len(self.lengths)
        counts = Counter([stem(word, language) for word in words])
        counts.update(runs)
        for term, count in counts.items():
            rows, times = self._postings.setdefault(term, (array("i"), array("f")))
            rows.append(row)
            times.append(count)
        self.lengths.append(counts.total())

    def find(self, query: str) -> Matches:
        """Look up the terms of a query, each word stemmed in every language that the space speaks."""
        words, runs = split(query)
        groups = {frozenset(stem(word, language) for language in self._languages): is_common(word) for word in words}
        groups |= {frozenset((run,)): False for run in runs}
        found = [
            ([self._postings[term] for term in group if term in self._postings], common)
            for group, common in list(groups.items())[:_TERM_LIMIT]
        ]
        known = [(postings, common) for postings, common in found if postings]
        counts = np.zeros((len(known), len(self.lengths) + 1), np.float32)
        for at, (postings, _) in enumerate(known):
            for rows, times in postings:
                counts[at, np.array(rows)] += np.array(times)
        telling = np.array([not common for _, common in known], np.float32)
        return Matches(counts, telling, sum(not postings and not common for postings, common in found))
