"""Answers the prompt `analyze` by rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from previously.offline.complaints import hint
from previously.offline.evidence import Cited, Row, cited, own_rows
from previously.offline.matching import tokens
from previously.offline.mood import emotion_of, intent_of
from previously.offline.passages import sentences
from previously.offline.reading import reactions
from previously.offline.statement import Kind, Statement
from previously.offline.topics import tags
from previously.offline.wording import shorten, third_person
from previously.offline.words import is_chinese
from previously.prompts.analyze import SUMMARY_CHARACTERS, Section, TurnAnalysis
from previously.prompts.frame import unframe
from previously.state.slice import Tone

_FOCUS = 60
_SUBSTANCE = 3
"""Words that carry meaning, from which on a sentence may name what a slice is about."""
_OPENING = 2
"""Sentences of a turn in which a milder sign is looked for."""
_SIGNAL_BUCKETS = {
    "recall_rework": "recall",
    "recall_repeat": "recall",
    "interaction_regenerate": "interaction",
    "interaction_interrupt": "interaction",
}
_SECTIONS: dict[Kind, Section] = {
    Kind.NAME: "identity",
    Kind.ADDRESS: "identity",
    Kind.ALIAS: "identity",
    Kind.PRONOUNS: "identity",
    Kind.RULE: "self_model",
    Kind.REVOKE: "self_model",
    Kind.PLAN: "horizon",
    Kind.MOVED: "horizon",
    Kind.NOW: "now",
    Kind.EVENT: "past",
    Kind.FACT: "past",
}


def analyze(prompt: str) -> dict[str, Any]:
    """Return the analysis of the turn framed in `prompt`, as the JSON of a `TurnAnalysis`."""
    turn = own_rows(unframe(prompt, "turn"))
    before, slices = unframe(prompt, "before"), unframe(prompt, "slices")
    strands = [str(row.get("name", "")) for row in unframe(prompt, "strands")]
    portrait = [str(row.get("text", "")) for row in unframe(prompt, "portrait")]
    signals = unframe(prompt, "signals")
    text = "\n".join(row["text"] for row in turn)
    said = list(cited(turn))
    reuse, create = tags(text, strands, limit=5)
    intensity, register, note = emotion_of(text)
    scores = _scores(turn, before, said, portrait)
    answer = {
        "intent": intent_of(text),
        "memory_worthy": bool(said),
        "tags": {"reuse": reuse, "create": create[:3]},
        "hint": {"strands": reuse, "reason": _either(text, "named in the turn", "本轮提到") if reuse else ""},
        "emotion": {"intensity": intensity, "register": register, "note": note},
        "memory_update": _wish(text, said),
        "fitness": scores + _signal_scores(turn, signals, said, scores),
        "markings": [_marking(row, strands) for row in slices],
        "evolve_card": _worth(slices),
    }
    return TurnAnalysis.model_validate(answer).model_dump(mode="json")


def _wish(text: str, said: Sequence[Cited]) -> dict[str, Any] | None:
    """Return the first thing that the user explicitly asked for, if any."""
    for item in said:
        statement = item.statement
        if statement.explicit:
            content = _content(statement) or shorten(text, 300)
            return {"content": content, "section": _SECTIONS.get(statement.kind), "quote": statement.quote}
    return None


def _content(statement: Statement) -> str:
    if statement.kind is Kind.REQUEST:
        return ""
    if statement.kind in {Kind.RULE, Kind.REVOKE, Kind.FORGET, Kind.ADDRESS, Kind.PRONOUNS}:
        return statement.said
    return third_person(statement.said, "")


def _scores(
    turn: Sequence[Row], before: Sequence[Row], said: Sequence[Cited], portrait: Sequence[str]
) -> list[dict[str, Any]]:
    """Return how the user judged the previous reply. Without such a reply, or beside an instruction, nothing.

    A mild sign of something that the portrait knows to fail with this user is a complaint too.
    """
    replied = any(row.get("role") == "assistant" for row in before)
    if not replied or any(item.statement.explicit for item in said):
        return []
    found = [reaction for row in turn[:1] for reaction in reactions(row["text"])]
    if not any(reaction.delta < 0 for reaction in found):
        opening = [sentence for row in turn[:1] for sentence in sentences(row["text"])[:_OPENING]]
        hints = [(topic, sentence) for sentence in opening if (topic := hint(sentence)) and topic.known_to(portrait)]
        if hints:
            topic, sentence = hints[0]
            return [{"bucket": topic.bucket, "delta": -1, "evidence": sentence.text.strip()}]
    return [{"bucket": item.bucket, "delta": item.delta, "evidence": item.quote} for item in found]


def _signal_scores(
    turn: Sequence[Row], signals: Sequence[Row], said: Sequence[Cited], scores: Sequence[Row]
) -> list[dict[str, Any]]:
    """Return what recorded facts come to: a rework of recall is a demerit, the rest only beside cross words."""
    if any(item.statement.explicit for item in said):
        return []
    text = "\n".join(row["text"] for row in turn)
    complained = any(reaction.delta < 0 for row in turn[:1] for reaction in reactions(row["text"]))
    cross = complained or emotion_of(text)[1] == "frustrated" or any(score["delta"] < 0 for score in scores)
    found: list[dict[str, Any]] = []
    for row in signals:
        bucket = _SIGNAL_BUCKETS.get(str(row.get("kind")))
        if row.get("detail") and row.get("id") and (bucket == "recall" or (bucket and cross)):
            found.append({"bucket": bucket, "delta": -1, "evidence": row["detail"], "signal": row["id"]})
    return found


def _marking(row: Row, strands: Sequence[str]) -> dict[str, Any]:
    rows = _rows(row)
    own = own_rows(rows) or rows
    text = "\n".join(str(item.get("text", "")) for item in own)
    quotes = [item.statement.quote for item in cited(own_rows(rows))]
    focus = _focus(own)
    reuse, create = tags(text, strands, limit=6)
    return {
        "slice": str(row.get("id", "")),
        "focus": focus,
        "summary": shorten((" / " if not is_chinese(text) else "；").join(quotes) or focus, SUMMARY_CHARACTERS),
        "tags": [*reuse, *create][:6],
        "tone": _tone(own),
    }


def _focus(rows: Sequence[Row]) -> str:
    """Return the first sentence of the user's that has some substance, else the first words there are."""
    said = [item.text for row in rows for item in sentences(str(row.get("text", "")))]
    substantial = [text for text in said if len(tokens(text)) >= _SUBSTANCE]
    return shorten(next(iter(substantial or said), str(rows[0].get("text", "")) if rows else ""), _FOCUS)


def _tone(rows: Sequence[Row]) -> Tone:
    texts = [str(row.get("text", "")) for row in rows]
    registers = {emotion_of(text)[1] for text in texts}
    deltas = [reaction.delta for text in texts for reaction in reactions(text)]
    good = bool(registers & {"excited", "humorous"}) or any(delta > 0 for delta in deltas)
    bad = bool(registers & {"frustrated", "emotional"}) or any(delta < 0 for delta in deltas)
    if good and bad:
        return "mixed"
    return "positive" if good else "negative" if bad else "neutral"


def _worth(slices: Sequence[Row]) -> dict[str, Any] | None:
    closing = [row for row in slices if row.get("closing") is True]
    if not closing:
        return None
    text = " ".join(str(item.get("text", "")) for row in closing for item in _rows(row))
    count = sum(1 for row in closing for _ in cited(own_rows(_rows(row))))
    if count:
        return {
            "worth": True,
            "reason": _either(text, f"statements about the user: {count}", f"用户谈到自己的内容：{count} 处"),
        }
    return {"worth": False, "reason": _either(text, "nothing about the user was said", "没有谈到用户本人")}


def _rows(row: Row) -> list[Row]:
    turns = row.get("turns")
    return [item for item in turns if isinstance(item, dict)] if isinstance(turns, list) else []


def _either(text: str, english: str, chinese: str) -> str:
    return chinese if is_chinese(text) else english
