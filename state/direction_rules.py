"""What a line of the portrait may say: it describes a person, in general, and addresses nobody.

The admission test itself (it holds elsewhere, outlives the event, predicts) is asked of the model; this is the part
of it that can be read off the words.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from previously.state.direction import LINE_LIMIT, MARKER
from previously.state.edit import Refusal, Rejected, gives_orders, injects, one_line

_SLICE_ID = re.compile(r"\d{4}[/-]\d{2}[/-]\d{2}(?:[/-]\d{4}(?:#\d+)?)?")
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)"
)
_UNIT = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|week(?:end)?|month|year|night|summer|winter|spring|autumn|fall"
_DATE = re.compile(
    rf"\b\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}\b|\b{_MONTH}\.? \d{{1,4}}(?:st|nd|rd|th)?\b"
    r"|\b\d{1,2}[./-]\d{1,2}[./-]\d{2,4}\b|\b(?:19|20)\d\d\b"
    rf"|\b(?:yesterday|tomorrow|today|tonight)\b|\b(?:last|next|this) (?:{_UNIT})\b"
    r"|\d{1,2} ?月 ?\d{1,2} ?[日号]|\d{4} ?年"
    r"|(?:昨天|明天|今天|前天|后天|上周|下周|本周|这周|上个月|下个月|去年|明年|今年)"
    r"|\d{1,2}월 ?\d{1,2}일|昨日|明日|今日|先週|来週",
    re.IGNORECASE,
)
_ADDRESS = re.compile(
    r"\b(?:you|your|yours|yourself|you're|you've|you'll)\b|[你您]|\b(?:usted|vous|dich|dir|euch)\b", re.IGNORECASE
)
_VERBS = """
add address adjust aim allow answer ask assume avoid be begin bring call check choose cite compress confirm consider
cut deliver discuss do don't encourage end ensure explain expect favor favour focus follow format frame get give go
help hold ignore include invite keep lead leave let limit list listen maintain make match mention mind note offer
pay pick please point prefer present prioritise prioritize propose provide push put raise recommend refer refrain
remember remind reply respect respond say send share shorten show skip speak start stay stick stop suggest
summarise summarize support take talk tell think treat trim try turn use wait watch work wrap write
"""
_BASE_FORM = frozenset(_VERBS.split())
"""English verbs that open an order; a description opens with another form, such as `prefers`."""
_FREQUENCY = re.compile(r"^(?:always|never|usually|often|rarely)\s+", re.IGNORECASE)
_FOR_THE_AGENT = re.compile(
    r"\b(?:assistant|agent|ai|model|bot)\b.{0,20}\b(?:should|must|has to|needs? to|ought to|shall|may not|will)\b"
    r"|\b(?:should|must) (?:always |never |not )?be (?:answered|given|told|asked|addressed|offered|shown|reminded)\b"
    r"|(?:助手|模型|机器人|AI).{0,6}(?:应该|应当|必须|要|需要|不要|不得)|^(?:应该|应当|必须|需要|记得|尽量|避免|要|得)",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[.!?。！？\n:：;；]+|[\"“”«»「」()（）]|(?:^|\s)[-*•]\s")
_WORD = re.compile(r"[A-Za-z\u00c0-\u024f\u0370-\u03ff\u0400-\u04ff][\w'’-]*")
_WORDS_OF_SCRIPTS_WITHOUT_CASE = re.compile(r"[\u0e00-\u0eff\u3040-\u9fff\uac00-\ud7af]")
_TITLE = re.compile(r"《([^》]{2,40})》")
_CAPITALISED = """
i i'm i've i'll i'd monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays
fridays saturdays sundays january february march april may june july august september october november december
english chinese mandarin german french spanish portuguese italian japanese korean russian dutch polish arabic hindi
turkish indonesian ok okay tl dr tldr
"""
_NO_NAMES = frozenset(_CAPITALISED.split())
"""Words that English writes with a capital and that name nobody and nothing in particular."""
_MANY_CAPITALS = 0.3
"""Share of capitals inside sentences from which they don't mark names: German writes every noun with one."""
_ENOUGH = 8
"""Words inside sentences below which that share says nothing."""


def check_portrait(text: str, evidence: Iterable[str], known_names: Iterable[str]) -> str:
    """Return an entry of the portrait as it is written. Refuses what is no general description of a person.

    `evidence` are the texts of the turns that it cites; their names, and `known_names`, belong into refs only.
    """
    plain = check_line(text, "the entry")
    if _ADDRESS.search(plain):
        raise Rejected(
            Refusal.ADDRESS,
            f"{plain[:60]!r} addresses somebody: describe the person from outside, as in 'prefers …', without 'you'",
        )
    if name := _named(plain, evidence, known_names):
        raise Rejected(
            Refusal.NAME,
            f"{name!r} is a name from the evidence: say what holds in general; the particulars stay behind the refs",
        )
    return plain


def check_line(text: str, what: str) -> str:
    """Return a line about the person, an entry or a guess: without markers, attacks, orders, dates and slice ids."""
    plain = one_line(text, LINE_LIMIT, what=what)
    if found := MARKER.search(plain):
        raise Rejected(Refusal.FORM, f"{what} contains {found[0]!r}, which the format itself uses: leave it out")
    if injects(plain):
        raise Rejected(Refusal.INJECTION, f"{plain[:60]!r} has the shape of an attack on a prompt: it is never written")
    if _SLICE_ID.search(plain):
        raise Rejected(Refusal.FORM, f"{what} holds a slice id or a day: what it rests on goes into refs, not into it")
    if found := _DATE.search(plain):
        raise Rejected(
            Refusal.EVENT,
            f"{found[0]!r} ties {what} to a time: it must outlive the event, so say what holds without it",
        )
    if _orders(plain):
        raise Rejected(
            Refusal.NOT_THE_USER,
            f"{plain[:60]!r} tells somebody what to do: the portrait describes the person, as in 'prefers …'",
        )
    return plain


def _orders(text: str) -> bool:
    """Whether a text is in the imperative, or says what the agent should do."""
    often = _FREQUENCY.match(text)
    rest = text[often.end() :] if often else text
    first = _WORD.match(rest)
    verb = first[0].casefold().replace("’", "'") if first else ""
    if verb in _BASE_FORM or _FOR_THE_AGENT.search(rest):
        return True
    return gives_orders(rest if often and verb.endswith("s") else text)


def _named(text: str, evidence: Iterable[str], known_names: Iterable[str]) -> str | None:
    """Return a name that a text holds, if any."""
    texts = list(evidence)
    names = {*proper_nouns(texts), *(part.casefold() for name in known_names for part in _WORD.findall(name))}
    for word in _WORD.findall(text):
        bare = _bare(word)
        if any(char.isupper() for char in word) and bare in names and bare not in _NO_NAMES:
            return str(word)
    others = [name for name in known_names if _WORDS_OF_SCRIPTS_WITHOUT_CASE.search(name) and len(name) > 1]
    titles = [title for words in texts for title in _TITLE.findall(words)]
    return next((name for name in [*others, *titles] if name in text), None)


def proper_nouns(texts: Iterable[str]) -> set[str]:
    """Return what texts write like names, in lower case: words with a capital that no sentence's start explains.

    Words that also occur without a capital are none, nor are those written in capitals only.
    """
    capitals, plain = Counter[str](), set[str]()
    inside = 0
    for text in texts:
        for sentence in _SENTENCE.split(text):
            for word in _WORD.findall(sentence)[1:]:
                inside += 1
                if word[0].isupper() and not (word.isupper() and len(word) > 1):
                    capitals[_bare(word)] += 1
                elif word[0].islower() and not any(char.isupper() for char in word):
                    plain.add(_bare(word))
    names = set(capitals) - plain - _NO_NAMES
    return set() if inside >= _ENOUGH and capitals.total() > _MANY_CAPITALS * inside else names


def _bare(word: str) -> str:
    return word.casefold().replace("’", "'").removesuffix("'s")
