"""From a question to its hits."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import numpy as np

from previously.state.ref import Ref
from previously.stores.search.corpus import Corpus
from previously.stores.search.filters import Filters
from previously.stores.search.lexical import Floats
from previously.stores.search.relevance import relevant
from previously.stores.search.signals import Evidence, contributions, date
from previously.stores.search.times import windows

if TYPE_CHECKING:
    from previously.stores.search.space import SpaceIndex

NOTHING_RECORDED = "nothing has been recorded in this space yet"
NOTHING_FITS = "no turn fits the filters"
NOTHING_RELEVANT = "nothing that was said comes close to the question"


@dataclass(frozen=True, kw_only=True, slots=True)
class Hit:
    """A turn that was found."""

    turn_id: str
    ref: Ref
    score: float
    """Comparable within one result only."""
    why: dict[str, float] = field(default_factory=dict)
    """What each signal adds to the score, the largest share first."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SearchResult:
    """What a search found, best first."""

    hits: tuple[Hit, ...]
    reason: str = ""
    """Why there is nothing, when there is nothing."""


@dataclass(frozen=True, slots=True)
class Question:
    """A query, read against what is known of its space."""

    topic: str
    """The query without the speakers that it names: who is asked about is a signal of its own."""
    named: frozenset[int]
    """Codes of those speakers."""
    windows: tuple[tuple[float, float], ...]
    """Times that it names, as seconds since 1970."""

    @classmethod
    def read(cls, query: str, corpus: Corpus, now: datetime, zone: ZoneInfo) -> Question:
        """Read a query asked at `now` by the calendar of `zone`."""
        topic, named = query, set[int]()
        for name, code in corpus.speaker_names.items():
            rest = re.sub(_mention(name), " ", topic, flags=re.IGNORECASE) if name else topic
            if rest != topic:
                named.add(code)
                topic = rest
        return cls(topic if re.search(r"\w", topic) else query, frozenset(named), _windows(query, corpus, now, zone))


@dataclass(frozen=True, slots=True)
class Meaning:
    """What an embedding says of a question."""

    vector: Floats
    background: tuple[float, float]
    """Mean and deviation of its similarity with unrelated texts."""


def rank(
    index: SpaceIndex, question: Question, meaning: Meaning | None, filters: Filters, *, k: int, floor: float | None
) -> SearchResult:
    """Return the `k` best turns. The caller holds the lock of the space."""
    corpus = index.corpus
    allowed = filters.mask(corpus)
    if not allowed.any():
        return SearchResult(hits=(), reason=NOTHING_FITS if len(corpus) else NOTHING_RECORDED)
    evidence = Evidence(
        corpus=corpus,
        matches=index.lexical.find(question.topic),
        lengths=np.array(index.lexical.lengths),
        cosines=index.cosines(meaning.vector) if meaning else None,
        background=meaning.background if meaning else None,
        named=question.named,
        windows=question.windows,
    )
    if evidence.cosines is None:
        allowed = allowed & (evidence.counts_near.any(axis=0) | (date(evidence) > 0))
    if not allowed.any() or not relevant(evidence, allowed, floor):
        return SearchResult(hits=(), reason=NOTHING_RELEVANT)
    parts = contributions(evidence)
    total = np.where(allowed, np.sum(list(parts.values()), axis=0), -np.inf)
    best = _best(total, min(max(k, 0), int(allowed.sum())))
    return SearchResult(hits=tuple(_hit(corpus, row, float(total[row]), parts) for row in best))


def _best(total: Floats, k: int) -> list[int]:
    """Return the rows of the `k` highest values; of equals the older first."""
    rows = np.argpartition(-total, k)[:k] if k < len(total) else np.arange(len(total))
    found: list[int] = rows[np.lexsort((rows, -total[rows]))].tolist()
    return found


def _hit(corpus: Corpus, row: int, score: float, parts: dict[str, Floats]) -> Hit:
    why = {name: round(float(values[row]), 3) for name, values in parts.items() if values[row]}
    why = dict(sorted(why.items(), key=lambda part: -abs(part[1])))
    return Hit(turn_id=corpus.ids[row], ref=corpus.refs[row], score=score, why=why)


def _mention(name: str) -> str:
    """Return the pattern of a name in a question: a word by itself, with what makes it a genitive."""
    return rf"(?<!\w){re.escape(name)}(?:['’]s\b|['’])?(?!\w)" if name.isascii() else re.escape(name)


def _windows(query: str, corpus: Corpus, now: datetime, zone: ZoneInfo) -> tuple[tuple[float, float], ...]:
    time = corpus.column("time")
    if not len(time):
        return ()
    first, last = (datetime.fromtimestamp(at, UTC).year for at in (float(time.min()), float(time.max())))
    return windows(query, now, zone, range(first, last + 1))
