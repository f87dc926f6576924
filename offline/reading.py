"""A user's message, read by the rules of the language of each sentence."""

from __future__ import annotations

import re
from datetime import date

from previously.offline import chinese, english
from previously.offline.english_patterns import GREETING
from previously.offline.passages import Sentence, sentences
from previously.offline.statement import Reaction, Statement

_OPENING = 2
"""Sentences from the start of a message in which a judgement of the reply before it is looked for."""

_ASIDE = 4
"""Words (Chinese: characters) of a first sentence that is only an exclamation."""
_WORDS = re.compile(r"[a-z0-9']+|[\u4e00-\u9fff]", re.IGNORECASE)
_REFERRING = re.compile(r"\s*(?:(?:it|this|that)\b|(?:far |way |much |a bit )?too\b|太|有点|好|这|那)", re.IGNORECASE)


def statements(text: str, said_on: date) -> list[Statement]:
    """Return what a user states in a message said on a local day, in the order of the text."""
    found: list[Statement] = []
    greeted = False
    for sentence in sentences(text):
        if sentence.chinese:
            found += chinese.read_sentence(sentence, said_on)
        else:
            found += english.read_sentence(sentence, said_on, greeted=greeted)
        greeted = bool(GREETING.fullmatch(sentence.masked.strip()))
    return found


def reactions(text: str) -> list[Reaction]:
    """Return how a user judges the reply before the message; praise beside a complaint does not count."""
    opening = sentences(text)[:_OPENING]
    found = [
        reaction for sentence in opening if _about_reply(sentence, opening[0]) for reaction in _reactions(sentence)
    ]
    complaints = [reaction for reaction in found if reaction.delta < 0]
    return complaints[:1] or found[:1]


def _about_reply(sentence: Sentence, first: Sentence) -> bool:
    """Whether an “it is …” can mean the reply: behind a longer sentence it means what that sentence tells of."""
    return sentence is first or not _REFERRING.match(sentence.masked) or len(_WORDS.findall(first.masked)) <= _ASIDE


def _reactions(sentence: Sentence) -> list[Reaction]:
    return chinese.reactions(sentence) if sentence.chinese else english.reactions(sentence)
