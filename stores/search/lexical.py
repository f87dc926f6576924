"""BM25 over the turns of one space, in memory, grown turn by turn."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter

from previously.state.ref import Ref
from previously.state.turn import Turn

_K1, _B = 1.2, 0.75
_WORD = re.compile(r"[^\W_]+")
_SPACELESS = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]+")


def words(text: str) -> list[str]:
    """Return the terms of a text: words, and for scripts without spaces between them every pair of characters."""
    found: list[str] = []
    for word in _WORD.findall(unicodedata.normalize("NFKC", text).casefold()):
        for run in _SPACELESS.findall(word):
            found += [run[at : at + 2] for at in range(len(run) - 1)] or [run]
        found += [part for part in _SPACELESS.split(word) if part]
    return found


class Lexical:
    """Which turns of a space hold which words."""

    def __init__(self) -> None:
        """Begin empty; `seq` is the number of the newest turn taken in."""
        self.seq = 0
        self._postings: dict[str, dict[int, int]] = {}
        self._turns: list[tuple[str, Ref]] = []
        self._lengths: list[int] = []

    def add(self, turn: Turn) -> None:
        """Take in a turn, with its speaker's name as a word."""
        counts = Counter(words(f"{turn.speaker or ''} {turn.text}"))
        for word, count in counts.items():
            self._postings.setdefault(word, {})[len(self._turns)] = count
        self._turns.append((turn.id, turn.ref))
        self._lengths.append(counts.total())
        self.seq = max(self.seq, turn.seq)

    def search(self, query: str, k: int) -> list[tuple[str, Ref, float]]:
        """Return id, ref and score of the `k` turns that fit best."""
        scores: Counter[int] = Counter()
        size = len(self._turns)
        average = sum(self._lengths) / size if size else 0.0
        for word in set(words(query)):
            holding = self._postings.get(word, {})
            weight = math.log(1 + (size - len(holding) + 0.5) / (len(holding) + 0.5))
            for place, count in holding.items():
                norm = _K1 * (1 - _B + _B * self._lengths[place] / average)
                scores[place] += weight * count * (_K1 + 1) / (count + norm)  # type: ignore[assignment]
        return [(*self._turns[place], score) for place, score in scores.most_common(k)]
