"""Rules for what Chinese speakers say about themselves and about how they want to be worked with."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date

from previously.offline import chinese_patterns as say
from previously.offline.complaints import complaint
from previously.offline.dates import DATE, mark
from previously.offline.dates_chinese import find_dates
from previously.offline.matching import tokens
from previously.offline.passages import MASK, Sentence, bare, clause_spans
from previously.offline.statement import Kind, Reaction, Statement
from previously.state.commit import Bucket

_CLOSING = " \t.!?,;:。！？，；：、…~～—"


def read_sentence(sentence: Sentence, said_on: date) -> list[Statement]:
    """Return what one sentence states. A question, a supposition and a report of others state nothing."""
    masked = sentence.masked
    if wish := _rule(sentence.text, masked):
        return [wish]
    if say.TAG_QUESTION.search(masked.rstrip(_CLOSING)):
        return []
    if say.SUPPOSED.search(masked):
        request = _request(sentence.text, masked, said_on)
        return [request] if request else []
    if request := _request(sentence.text, masked, said_on):
        return [request]
    return _statements(sentence, said_on)


def _statements(sentence: Sentence, said_on: date) -> list[Statement]:
    """Return what the clauses state. One without a subject is the user's only if the clauses before it are."""
    tail = say.REMEMBER_TAIL.search(sentence.masked)
    end_of_facts = tail.start() if tail and tail.start() else len(sentence.masked)
    found: list[Statement] = []
    own: bool | None = None
    for start, end in clause_spans(sentence.masked[:end_of_facts], say.JOINT):
        text, shown = sentence.text[start:end], sentence.masked[start:end]
        asks = end == len(sentence.masked) and sentence.question
        own = _is_own(shown, before=own)
        if wish := _rule(text, shown) or _request(text, shown, said_on):
            found.append(wish)
        elif not asks and (statement := _clause(text, shown, said_on, own=own)):
            found.append(statement)
    if tail and end_of_facts == tail.start():
        return [replace(item, asked=True) for item in found] or [_whole(sentence, end_of_facts)]
    return found


def _whole(sentence: Sentence, end: int) -> Statement:
    """Return everything before a closing “记住” as one fact; without anything before it, it is a bare request."""
    said, _ = bare(sentence.text[:end], sentence.masked[:end], say.LEAD)
    kind = Kind.FACT if said else Kind.REQUEST
    return Statement(kind=kind, quote=sentence.text.strip(), said=said, asked=True)


def reactions(sentence: Sentence) -> list[Reaction]:
    """Return the judgement of the previous reply that a sentence opens with, if any."""
    quote = sentence.text.strip()
    masked = sentence.masked
    lead = say.LEAD_REACTION.match(masked)
    bodies = (masked, masked[lead.end() :] if lead else masked)
    topic = complaint(sentence)
    strong = any(pattern.match(body) for pattern in say.STRONG for body in bodies)
    if strong or topic or any(say.WEAK.match(body) for body in bodies):
        usual: Bucket = "recall" if say.ABOUT_MEMORY.search(masked) else "interaction"
        return [Reaction(delta=-2 if strong else -1, bucket=topic.bucket if topic else usual, quote=quote)]
    if say.PRAISE.match(masked) and not say.SPOILED.search(masked) and not sentence.question:
        return [Reaction(delta=1, bucket="interaction", quote=quote)]
    return []


def _is_own(shown: str, *, before: bool | None) -> bool | None:
    """Return whether the user is the subject: said so, inherited, or (`None`) not clear yet."""
    lead = say.LEAD.match(shown)
    body = shown[lead.end() :] if lead else shown
    if say.OTHERS.match(body):
        return False
    return True if body.startswith(("我", "咱")) else before


def _clause(text: str, shown: str, said_on: date, *, own: bool | None) -> Statement | None:
    said, words = bare(text, shown, say.LEAD)
    if not words or say.QUESTION.search(words) or say.HEDGED.search(words):
        return None
    quote = text.strip()
    return (
        _identity(quote, said, words)
        or (_event(quote, said, words, said_on) if own or words.startswith("我") else None)
        or (None if say.BIRTHDAY.match(words) else _dated(quote, said, words, said_on, own=own))
        or _lasting(quote, said, words, own=own)
    )


def _request(text: str, shown: str, said_on: date) -> Statement | None:
    """Return what the user asks to remember, to forget, or to be called."""
    said, words = bare(text, shown, say.LEAD)
    quote = text.strip()
    if found := say.CALL_ME.match(words):
        return _named(Kind.ADDRESS, quote, said, found)
    if say.QUESTION.search(words):
        return None
    if found := say.FORGET.match(words):
        return Statement(kind=Kind.FORGET, quote=quote, said=said, value=said[found.end() :])
    if say.UPDATE_CARD.match(words):
        return Statement(kind=Kind.REQUEST, quote=quote, said=said)
    found = say.REMEMBER.match(words)
    return _remembered(quote, said[found.end() :], words[found.end() :], said_on) if found else None


def _remembered(quote: str, said: str, words: str, said_on: date) -> Statement:
    """Return what is to be remembered; content that states nothing known is kept whole, as a fact."""
    if not tokens(words) and MASK not in words:
        return Statement(kind=Kind.REQUEST, quote=quote, said=said)
    inner = (
        _rule(said, words) or _first_clause(said, words, said_on) or Statement(kind=Kind.FACT, quote=quote, said=said)
    )
    return replace(inner, quote=quote, asked=True)


def _first_clause(said: str, words: str, said_on: date) -> Statement | None:
    """Return what the content of a request states, when it is a single clause; longer content stays whole."""
    if say.JOINT.search(words):
        return None
    return _clause(said, words, said_on, own=True)


def _rule(text: str, masked: str) -> Statement | None:
    """Return a wish about how the assistant behaves, or the end of one."""
    said, words = bare(text, masked, say.LEAD)
    if say.QUESTION.search(words) or say.CALL_ME.match(words):
        return None
    if found := say.REVOKE.match(words):
        return Statement(kind=Kind.REVOKE, quote=text.strip(), said=said, value=said[found.end() :])
    if any(pattern.match(words) for pattern in say.RULES):
        return Statement(kind=Kind.RULE, quote=text.strip(), said=said)
    return None


def _identity(quote: str, said: str, words: str) -> Statement | None:
    if found := say.MY_NAME.match(words):
        sure = "名" in found[0] or "叫" in found[0]
        return _named(Kind.NAME, quote, said, found) if sure else None
    if found := say.ALIAS.match(words):
        return _named(Kind.ALIAS, quote, said, found)
    if found := say.PRONOUNS.match(said):
        return Statement(kind=Kind.PRONOUNS, quote=quote, said=said, value=found["value"])
    return None


def _named(kind: Kind, quote: str, said: str, found: re.Match[str]) -> Statement | None:
    value = said[slice(*found.span("value"))].strip()
    if not value or say.NOT_IN_NAMES & set(value):
        return None
    return Statement(kind=kind, quote=quote, said=said, value=value)


def _event(quote: str, said: str, words: str, said_on: date) -> Statement | None:
    """Return something that happened in a named year; the year may not lie ahead."""
    found = say.EVENT.match(words)
    if not found or int(found["year"]) > said_on.year or say.NEGATED.search(words):
        return None
    return Statement(kind=Kind.EVENT, quote=quote, said=said, by=date(int(found["year"]), 12, 31))


def _dated(quote: str, said: str, words: str, said_on: date, *, own: bool | None) -> Statement | None:
    """Return a plan, a plan's new date, or what ended a plan."""
    dates = find_dates(words, said_on)
    shown = mark(words, dates)
    others = own is False
    if found := say.MOVED.search(shown):
        later = [item for item in dates if item.day >= said_on]
        subject = shown[: found.start()].replace(DATE, " ")
        return Statement(kind=Kind.MOVED, quote=quote, said=said, value=subject, by=later[-1].day) if later else None
    if not others and (say.DONE.match(shown) or say.CANCELLED.search(shown)):
        return Statement(kind=Kind.DONE, quote=quote, said=said, value=shown.replace(DATE, " "))
    coming = [item for item in dates if item.day > said_on or (item.day == said_on and say.STRONG_DUTY.search(shown))]
    if others or not coming or len(coming) != len(dates) or say.HABIT.search(shown) or say.NEGATED.search(shown):
        return None
    known = [pattern for pattern in say.PLANS if pattern.match(shown)]
    if own is None and known == [say.SUBJECTLESS] and not say.OWN_DUTY.search(shown):
        return None
    value = shown.replace(DATE, " ")
    if known and tokens(value):
        return Statement(kind=Kind.PLAN, quote=quote, said=said, value=value, by=coming[0].day)
    return None


def _lasting(quote: str, said: str, words: str, *, own: bool | None) -> Statement | None:
    if own is not False and any(pattern.match(words) for pattern in say.NOW):
        return Statement(kind=Kind.NOW, quote=quote, said=said, value=words)
    for slot, pattern in say.FACTS:
        if pattern.match(words):
            return Statement(kind=Kind.FACT, quote=quote, said=said, slot=slot)
    return None
