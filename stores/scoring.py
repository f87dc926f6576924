"""Which scores of a commit count: only what the user's own words, or a recorded fact, bear out."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from sqlalchemy import Connection, func, insert, select

from previously.state.commit import Score
from previously.state.context import clean_text
from previously.state.signal import DEMERITS
from previously.stores import ledger
from previously.stores.schema import fitness, turns

_LOWEST, _HIGHEST = -2, 1
_QUOTES = str.maketrans(dict.fromkeys('"`´‘’‚‛“”„‟′″‹›«»「」『』', "'"))


def add_scores(connection: Connection, space: str, scores: Iterable[Score], seq: int) -> None:
    """Write scores: a delta without proof as 0, and a second one of a turn in the same bucket too."""
    for score in scores:
        counts = _holds(connection, space, score) and not _scored(connection, space, score)
        number = select(func.coalesce(func.max(fitness.c.id), 0) + 1).where(fitness.c.space == space)
        row = {
            "space": space,
            "id": number.scalar_subquery(),
            "agent": score.agent,
            "bucket": score.bucket,
            "delta": score.delta if counts else 0,
            "evidence": score.evidence,
            "turn_id": score.turn_id,
            "slice_id": score.slice_id,
            "commit": seq,
        }
        connection.execute(insert(fitness).values(row))


def _scored(connection: Connection, space: str, score: Score) -> bool:
    """Whether the turn has a delta in that bucket already."""
    same = (
        fitness.c.space == space,
        fitness.c.agent == score.agent,
        fitness.c.bucket == score.bucket,
        fitness.c.turn_id == score.turn_id,
        fitness.c.delta != 0,
    )
    return connection.execute(select(fitness.c.id).where(*same)).first() is not None


def _holds(connection: Connection, space: str, score: Score) -> bool:
    """Whether a delta is in range, and its evidence stands in what the user said in that turn or in a fact's detail."""
    quoted = _folded(clean_text(score.evidence)).strip("' ")
    if not quoted or not _LOWEST <= score.delta <= _HIGHEST:
        return False
    if score.signal is not None:
        fact = ledger.unjudged(connection, space, score.signal)
        fits = fact and fact.kind in DEMERITS and fact.agent == score.agent and fact.bucket == score.bucket
        return bool(fits and fact and score.delta == -1 and quoted in _folded(fact.detail))
    query = select(turns.c.text, turns.c.role, turns.c.authority)
    turn = connection.execute(query.where(turns.c.space == space, turns.c.id == score.turn_id)).first()
    return bool(turn and (turn.role, turn.authority) == ("user", "owner") and quoted in _folded(turn.text))


def _folded(text: str) -> str:
    """Return a text as quotes are compared: compatible characters, case, white space and quotation marks made one."""
    plain = unicodedata.normalize("NFKC", text.translate(_QUOTES)).translate(_QUOTES).casefold()
    return " ".join(plain.split())
