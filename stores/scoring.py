"""Which scores of a commit count: only what the user's own words, or a recorded fact, bear out."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from sqlalchemy import Connection, func, insert, select

from previously.state.commit import Score
from previously.state.context import clean_text
from previously.state.signal import DEMERITS
from previously.stores import ledger
from previously.stores.schema import fitness, turns

_AROUND = " '.,;:!?…。，；：！？、"
"""What may stand around a quotation without having been said."""
_IN_WORDS = re.compile(r"[^\W\d_\u0e00-\u0eff\u3040-\u9fff\uac00-\ud7af]")
_MEDIA = re.compile(r"\[(?:image|audio|video|file|text-plain)\]")
"""What stands for a picture or a file in a turn: nobody said it."""
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
    quoted = _folded(clean_text(score.evidence)).strip(_AROUND)
    if not quoted or not _LOWEST <= score.delta <= _HIGHEST:
        return False
    if score.signal is not None:
        fact = ledger.unjudged(connection, space, score.signal)
        fits = fact and fact.kind in DEMERITS and fact.agent == score.agent and fact.bucket == score.bucket
        return bool(fits and fact and score.delta == -1 and _says(_folded(fact.detail), quoted))
    query = select(turns.c.text, turns.c.role, turns.c.authority)
    turn = connection.execute(query.where(turns.c.space == space, turns.c.id == score.turn_id)).first()
    return bool(
        turn and (turn.role, turn.authority) == ("user", "owner") and _says(_folded(_MEDIA.sub("", turn.text)), quoted)
    )


def _says(text: str, quoted: str) -> bool:
    """Whether a quotation stands in a text, and not inside a word of a script that has spaces between its words."""
    edges = [r"(?<!\w)" if _IN_WORDS.match(quoted[0]) else "", r"(?!\w)" if _IN_WORDS.match(quoted[-1]) else ""]
    return re.search(re.escape(quoted).join(edges), text) is not None


def _folded(text: str) -> str:
    """Return a text as quotes are compared: compatible characters, case, white space and quotation marks made one."""
    plain = unicodedata.normalize("NFKC", text.translate(_QUOTES)).translate(_QUOTES).casefold()
    return " ".join(plain.split())
