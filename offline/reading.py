"""A user's message, read by the rules of the language of each sentence."""

from __future__ import annotations

from datetime import date

from previously.offline import chinese, english
from previously.offline.english_patterns import GREETING
from previously.offline.passages import Sentence, sentences
from previously.offline.statement import Reaction, Statement

_OPENING = 2
"""Sentences from the start of a message in which a judgement of the reply before it is looked for."""


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
    found = [reaction for sentence in opening for reaction in _reactions(sentence)]
    complaints = [reaction for reaction in found if reaction.delta < 0]
    return complaints[:1] or found[:1]


def _reactions(sentence: Sentence) -> list[Reaction]:
    return chinese.reactions(sentence) if sentence.chinese else english.reactions(sentence)
