"""Rules for what English speakers say about themselves and about how they want to be worked with."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import date

from previously.offline import english_patterns as say
from previously.offline.complaints import complaint
from previously.offline.dates import DATE, mark
from previously.offline.dates_english import find_dates
from previously.offline.matching import tokens
from previously.offline.passages import MASK, Sentence, bare, clause_spans
from previously.offline.statement import Kind, Reaction, Statement
from previously.state.commit import Bucket


def read_sentence(sentence: Sentence, said_on: date, *, greeted: bool = False) -> list[Statement]:
    """Return what one sentence states. A question, a supposition and a report of others state nothing.

    `greeted`: the sentence before was a greeting, so that a name may follow.
    """
    masked = sentence.masked
    if rule := _rule(sentence.text, masked):
        return [rule]
    if say.TAG_QUESTION.search(masked):
        return []
    if say.SUPPOSED.search(masked):
        wish = _request(sentence.text, masked, said_on)
        return [wish] if wish and wish.explicit else []
    found: list[Statement] = []
    for start, end in _clauses(masked):
        clause, shown = sentence.text[start:end], masked[start:end]
        asks = end == len(masked) and sentence.question
        statement = _request(clause, shown, said_on) if asks else _clause(clause, shown, said_on, greeted=greeted)
        if statement:
            found.append(statement)
        greeted = bool(say.GREETING.fullmatch(shown.strip(" ,")))
    return found


def reactions(sentence: Sentence) -> list[Reaction]:
    """Return the judgement of the previous reply that a sentence opens with, if any."""
    lead = say.LEAD_REACTION.match(sentence.masked)
    body = sentence.masked[lead.end() :] if lead else sentence.masked
    quote = sentence.text.strip()
    topic = complaint(sentence)
    strong = any(pattern.match(body) for pattern in say.STRONG)
    if strong or topic or say.WEAK.match(body):
        usual: Bucket = "recall" if say.ABOUT_MEMORY.search(body) else "interaction"
        return [Reaction(delta=-2 if strong else -1, bucket=topic.bucket if topic else usual, quote=quote)]
    praised = say.PRAISE.match(sentence.masked) and not say.SPOILED.search(sentence.masked)
    if praised and not sentence.question:
        return [Reaction(delta=1, bucket="interaction", quote=quote)]
    return []


def _clauses(masked: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of the main clauses; a sentence that opens with a condition stays whole."""
    if say.CONDITION.match(masked):
        yield 0, len(masked)
    else:
        yield from clause_spans(masked, say.JOINT)


def _clause(text: str, shown: str, said_on: date, *, greeted: bool) -> Statement | None:
    if wish := _rule(text, shown) or _request(text, shown, said_on):
        return wish
    said, words = bare(text, shown, say.LEAD)
    if not words or say.HEDGED.search(words):
        return None
    quote = text.strip()
    greeting = greeted or bool(say.GREETING.match(shown.strip()))
    return (
        _identity(quote, said, words, greeted=greeting)
        or _event(quote, said, words, said_on)
        or (None if say.BIRTHDAY.match(words) else _dated(quote, said, words, said_on))
        or _lasting(quote, said, words)
    )


def _request(text: str, shown: str, said_on: date) -> Statement | None:
    """Return what the user asks to remember, to forget, or to be called."""
    said, words = bare(text, shown, say.LEAD)
    polite = say.POLITE.match(words)
    said, words = (said[polite.end() :], words[polite.end() :]) if polite else (said, words)
    quote = text.strip()
    if found := say.CALL_ME.match(words):
        return _named(Kind.ADDRESS, quote, said, found)
    if found := say.FORGET.match(words):
        return Statement(kind=Kind.FORGET, quote=quote, said=said, value=said[found.end() :])
    if say.UPDATE_CARD.match(words):
        return Statement(kind=Kind.REQUEST, quote=quote, said=said)
    found = say.REMEMBER.match(words)
    return _remembered(quote, said, words, found, said_on) if found else None


def _remembered(quote: str, said: str, words: str, found: re.Match[str], said_on: date) -> Statement | None:
    """Return what is to be remembered; content that states nothing known is kept as it is, unless it may be advice."""
    said, words = said[found.end() :], words[found.end() :]
    if not tokens(words) and MASK not in words:
        return Statement(kind=Kind.REQUEST, quote=quote, said=said)
    inner = _rule(said, words) or _clause(said, words, said_on, greeted=False)
    if inner is None:
        kind = Kind.RULE if say.TO_DO.match(words) else Kind.FACT
        advice = say.IMPERSONAL.fullmatch(found[0]) and not say.OWN.search(words)
        if kind is Kind.FACT and (advice or words.startswith("to ")):
            return None
        inner = Statement(kind=kind, quote=quote, said=said[:1].upper() + said[1:])
    return replace(inner, quote=quote, asked=True)


def _rule(text: str, masked: str) -> Statement | None:
    """Return a wish about how the assistant behaves, or the end of one. It may be worded as a polite question."""
    said, words = bare(text, masked, say.LEAD)
    polite = say.POLITE.match(words)
    said, words = (said[polite.end() :], words[polite.end() :]) if polite else (said, words)
    if found := say.REVOKE.match(words):
        value = say.REVOKE_TAIL.sub("", said[found.end() :])
        return Statement(kind=Kind.REVOKE, quote=text.strip(), said=said, value=value)
    if any(pattern.match(words) for pattern in say.RULES):
        return Statement(kind=Kind.RULE, quote=text.strip(), said=said[:1].upper() + said[1:])
    return None


def _identity(quote: str, said: str, words: str, *, greeted: bool) -> Statement | None:
    if found := say.MY_NAME.match(words):
        return _named(Kind.NAME, quote, said, found)
    if greeted and (found := say.I_AM_NAME.match(words)):
        return None if say.PEOPLE.search(found["value"].lower()) else _named(Kind.NAME, quote, said, found)
    if found := say.ALIAS.match(words):
        return _named(Kind.ALIAS, quote, said, found)
    if found := say.PRONOUNS.match(words):
        return Statement(kind=Kind.PRONOUNS, quote=quote, said=said, value=found["value"].lower())
    return None


def _named(kind: Kind, quote: str, said: str, found: re.Match[str]) -> Statement | None:
    value = said[slice(*found.span("value"))].strip(" .'’-")
    words = value.split()
    if not words or any(word[0].islower() or word.lower() in say.NO_NAMES for word in words):
        return None
    return Statement(kind=kind, quote=quote, said=said, value=value)


def _dated(quote: str, said: str, words: str, said_on: date) -> Statement | None:
    """Return a plan, a plan's new date, or what ended a plan."""
    dates = find_dates(words, said_on)
    shown = mark(words, dates)
    if found := say.MOVED.search(shown):
        later = [item for item in dates if item.day >= said_on]
        subject = shown[: found.start()].replace(DATE, " ")
        return Statement(kind=Kind.MOVED, quote=quote, said=said, value=subject, by=later[-1].day) if later else None
    if say.DONE.match(shown) or say.CANCELLED.search(shown):
        return Statement(kind=Kind.DONE, quote=quote, said=said, value=shown.replace(DATE, " "))
    coming = [item for item in dates if item.day > said_on or (item.day == said_on and say.STRONG_DUTY.search(shown))]
    if not coming or len(coming) != len(dates) or say.HABIT.search(shown) or say.NEGATED.search(shown):
        return None
    value = shown.replace(DATE, " ")
    if tokens(value) and any(pattern.match(shown) for pattern in say.PLANS):
        return Statement(kind=Kind.PLAN, quote=quote, said=said, value=value, by=coming[0].day)
    return None


def _event(quote: str, said: str, words: str, said_on: date) -> Statement | None:
    """Return something that happened in a named year; the year may not lie ahead."""
    found = say.EVENT.match(words)
    if not found or int(found["year"]) > said_on.year or say.NEGATED.search(words):
        return None
    return Statement(kind=Kind.EVENT, quote=quote, said=said, by=date(int(found["year"]), 12, 31))


def _lasting(quote: str, said: str, words: str) -> Statement | None:
    if say.NEGATED_NOW.match(words):
        return None
    if any(pattern.match(words) for pattern in say.NOW):
        return Statement(kind=Kind.NOW, quote=quote, said=said, value=words)
    for slot, pattern in say.FACTS:
        if pattern.match(words):
            return Statement(kind=Kind.FACT, quote=quote, said=said, slot=slot)
    return None
