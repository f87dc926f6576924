"""How a statement is worded on a card: in the third person where that is safe, else as a quotation."""

from __future__ import annotations

import re
from datetime import date

from previously.offline import dates_chinese, dates_english
from previously.offline.words import is_chinese, word_set

_PAST = word_set(
    """
    was got left quit began became bought ran sold came went took gave had did met won lost made wrote read built found
    felt taught sat sent spent stood thought told kept held knew grew drew flew broke chose drove ate fell
    """
)
_NO_PAST = word_set("need feed breed bleed speed proceed succeed exceed")
_SAME = word_set("will can must should could can't won't shouldn't couldn't mustn't used")
_CONTRACTED = {"'m": "is", "'ve": "has", "'ll": "will"}
_ADVERBS = (
    r"(?:really|always|usually|also|just|still|now|currently|recently|finally|mostly|never|absolutely|"
    r"generally|already|much)"
)
_SUBJECT = re.compile(rf"I(?P<cut>'m|'ve|'ll)?(?P<adverbs>(?:\s{_ADVERBS})*)\s(?P<verb>[a-z']+)(?P<rest>.*)", re.DOTALL)
_TIME_FIRST = re.compile(r"(?P<time>[Tt]hese days|[Ll]ately|[Rr]ecently|[Cc]urrently|[Nn]owadays),? (?=I\b)")
_TO_OTHERS = re.compile(r"\b(?:you|your|yours|yourself|we|we're|we've|we'll|our|ours|us|let's|i'd)\b", re.IGNORECASE)
_INNER = [
    (re.compile(pattern), spoken)
    for pattern, spoken in (
        (r"\bI'm\b|\bI am\b", "they are"),
        (r"\bI was\b", "they were"),
        (r"\bI've\b", "they have"),
        (r"\bI'll\b", "they will"),
        (r"\bI\b", "they"),
        (r"\b[Mm]yself\b", "themselves"),
        (r"\b[Mm]ine\b", "theirs"),
        (r"\b[Mm]y\b", "their"),
        (r"\b[Mm]e\b", "them"),
    )
]
_REMINDER = re.compile(r"^(?:please )?remind me (?:to|about|that)\s+|^(?:到时候|记得)?提醒我", re.IGNORECASE)
_CLOSING = " \t\n.!?,;:。！？，；：、…~～"
_CHINESE_OTHERS = re.compile(r"我|咱|你|您")
_CHINESE_TIME_FIRST = re.compile(
    r"(?P<time>(?:早上|上午|中午|下午|傍晚|晚上)(?:[\d一二三四五六七八九十]{1,2}点半?)?|最近|这段时间|"
    r"这阵子|这几天|近来|目前|现在)我(?!们)"
)
_CHINESE_KIN = r"(?:妈|爸|儿子|女儿|老婆|老公|妻子|丈夫|女朋友|男朋友|妹妹|弟弟|哥哥|姐姐|生日|猫|狗)"


def third_person(said: str, name: str) -> str:
    """Return what was said as a sentence about the user called `name` (`""`: not known), without a closing mark."""
    said = " ".join(said.split()).strip(_CLOSING).replace("’", "'")
    return _chinese(said, name or "用户") if is_chinese(said) else _english(said, name or "The user")


def quoted(said: str, name: str) -> str:
    """Return the user's words as a quotation."""
    said = " ".join(said.split()).strip(_CLOSING)
    return f"{name or '用户'}说：“{said}”" if is_chinese(said) else f"{name or 'The user'} said: “{said}”"


def plan_text(said: str, said_on: date, name: str) -> str:
    """Return a plan as a card says it: without the date that the card keeps apart, and without “remind me”."""
    task = _REMINDER.sub("", said)
    undated = without_dates(task, said_on)
    text = third_person(undated, name)
    if "“" in text and undated not in said:
        return quoted(said, name)  # a quotation is never altered
    return text[:1].upper() + text[1:]


def without_dates(said: str, said_on: date) -> str:
    """Return a plan without its date, which the card keeps apart; a date in the middle becomes an ISO date."""
    return _undated_chinese(said, said_on) if is_chinese(said) else _undated_english(said, said_on)


def lasting_dates(said: str, said_on: date) -> str:
    """Return a text in which words such as “tomorrow” are replaced by ISO dates, so that it stays true."""
    find = dates_chinese.find_dates if is_chinese(said) else dates_english.find_dates
    for spoken in reversed(find(said, said_on)):
        if spoken.relative and spoken.exact:
            start = re.compile(r"(?:\b(?:on|this|next) )?$").search(said[: spoken.start])
            head = said[: start.start()] if start else said[: spoken.start]
            joined = spoken.day.isoformat() if is_chinese(said) else f"on {spoken.day.isoformat()}"
            said = head + joined + said[spoken.end :]
    return said


def shorten(text: str, limit: int) -> str:
    """Return at most `limit` characters, ended with an ellipsis at a word where something was left out."""
    text = " ".join(text.split())
    if len(text) <= limit:
        return text
    cut = text[: limit - 1]
    if not is_chinese(cut) and " " in cut[limit // 2 :]:
        cut = cut.rpartition(" ")[0]
    return cut.rstrip(_CLOSING + "“") + "…"


def sentence(text: str) -> str:
    """Return a text closed with a full stop of its language."""
    return text if text.endswith((".", "。", "”", "…")) else text + ("。" if is_chinese(text) else ".")


def _english(said: str, name: str) -> str:
    if found := _TIME_FIRST.match(said):
        said = f"{said[found.end() :]} {found['time'].lower()}"
    if _TO_OTHERS.search(said):
        return quoted(said, name)
    found = _SUBJECT.fullmatch(said)
    if found and (verb := _verb_phrase(found)):
        return f"{name}{verb}{_inner(found['rest'])}"
    if re.match(r"[Mm]y\b", said):
        return f"{name}'s{_inner(said[2:])}"
    if re.search(r"\b(?:I|me|my|mine|myself)\b", said):
        return quoted(said, name)
    return said[:1].upper() + said[1:]


def _verb_phrase(found: re.Match[str]) -> str | None:
    """Return the verb with its adverbs for a third person; `None` when it can't be told safely."""
    if cut := found["cut"]:
        return f" {_CONTRACTED[cut]}{found['adverbs']} {found['verb']}"
    verb = _verb(found["verb"])
    return f"{found['adverbs']} {verb}" if verb else None


def _verb(verb: str) -> str | None:
    fixed = {"am": "is", "have": "has", "do": "does", "don't": "doesn't", "haven't": "hasn't", "go": "goes"}.get(verb)
    if fixed or verb in _PAST or verb in _SAME or (verb.endswith("ed") and verb not in _NO_PAST):
        return fixed or verb
    if not re.fullmatch(r"[a-z]{2,}", verb):
        return None
    if re.search(r"(?:s|x|z|ch|sh)$", verb):
        return verb + "es"
    return verb[:-1] + "ies" if re.search(r"[^aeiou]y$", verb) else verb + "s"


def _inner(rest: str) -> str:
    for pattern, spoken in _INNER:
        rest = pattern.sub(spoken, rest)
    return rest


def _chinese(said: str, name: str) -> str:
    if found := _CHINESE_TIME_FIRST.match(said):
        said = f"我{found['time']}{said[found.end() :]}"
    if re.match(f"我{_CHINESE_KIN}", said):
        said = f"我的{said[1:]}"
    if said.startswith("我") and not _CHINESE_OTHERS.search(said[1:]) and not said.startswith("我们"):
        return f"{name}{said[1:]}"
    if _CHINESE_OTHERS.search(said):
        return quoted(said, name)
    return said


def _undated_english(said: str, said_on: date) -> str:
    for spoken in reversed(dates_english.find_dates(said, said_on)):
        head, tail = said[: spoken.start], said[spoken.end :]
        before = re.search(r"(?:,?\s*\b(?:on|by|before|until|till|at|in|from|for|this|next|not later than))?\s*$", head)
        cut = head[: before.start()] if before else head
        if not tail.strip(_CLOSING) and cut.strip():
            said = cut
        elif not cut.strip():
            said = tail.lstrip(" ,")
        elif spoken.relative:
            said = f"{cut} on {spoken.day.isoformat()}{tail}"
    return said.strip()


def _undated_chinese(said: str, said_on: date) -> str:
    for spoken in reversed(dates_chinese.find_dates(said, said_on)):
        head = re.sub(r"(?:在|到|于|定在)$", "", said[: spoken.start])
        tail = re.sub(r"^(?:之前|以前|前|那天|的时候)", "", said[spoken.end :])
        if re.search(r"(?:是|在|为)$", head) and not tail.strip(_CLOSING):
            continue
        said = (head + tail).strip("，, ")
    return said.strip()
