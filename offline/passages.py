"""Which parts of a user's message are the user's own statements: sentences, with everything quoted or pasted masked."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from previously.offline.words import is_chinese

MASK = "\ue000"
"""Stands for each character that is not the user's own; no rule matches it."""
_LONGEST = 400
"""A longer sentence is pasted text rather than something said."""
_QUOTED = re.compile(
    r"```.*?(?:```|\Z)|`[^`\n]+`|“[^”]{0,500}”|「[^」]{0,500}」|『[^』]{0,500}』|《[^》]{0,200}》|«[^»]{0,500}»"
    r"|\"[^\"\n]*\"|^[ \t]*>[^\n]*",
    re.DOTALL | re.MULTILINE,
)
_TASK = re.compile(
    r"(?:\b(?:translate|rewrite|rephrase|proofread|paraphrase|summari[sz]e|correct|edit|polish|improve|"
    r"reply to|respond to|"
    r"draft|write|compose|transcript|here is|here's|example|text|e-?mail|message|letter|role-?play|"
    r"pretend|act as|says?|said|"
    r"wrote|story)\b|翻译|润色|改写|总结|校对|回复|修改|仿写|扩写|朗读|如下|例子|例句|示例|原文|邮件|"
    r"短信|扮演|假装|说道?|写道?)"
    r"[^\n:：。！？!?]{0,80}[:：]",
    re.IGNORECASE,
)
_LABEL = re.compile(r"^[ \t]*(?:[-*][ \t]*)?([^\W\d_][\w .-]{0,24}?|[\u4e00-\u9fff]{1,8})(?:: |：|:$)", re.MULTILINE)
_OWN_LABEL = re.compile(
    r"(?:please |and |also )*(?:remember(?: this| that| these| the following)?|note|ps|update|fyi|btw|"
    r"by the way|correction|"
    r"reminder|plan|news|good news|one more thing|for the record|also|keep in mind|from now on)"
    r"|.{0,3}(?:记住|记一下|记下|另外|对了|补充|更正|备注|更新|提醒|最后|以后|要求|计划|还有).{0,4}",
    re.IGNORECASE,
)
_SENTENCE = re.compile(
    r"(?:[^.!?。！？…\n]|(?<=\bDr)\.|(?<=\bMr)\.|(?<=\bMrs)\.|(?<=\bMs)\.|(?<=\bSt)\.|(?<=\be\.g)\.|(?<=\bi\.e)\."
    r"|(?<=\b[ap])\.(?=m\b)|(?<=\b[ap]\.m)\.|[.!?](?=[^\s.!?]))+[.!?。！？…]*"
)
_CLOSING = " \t.!?,;:。！？，；：、…)~～—–-"
_BULLET = re.compile(r"(?:[-*•·]|\d{1,2}[.)、])\s+")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a message, as it stands there and as rules may read it."""

    text: str
    masked: str
    """The same length; `MASK` for what is quoted, code or pasted, straight apostrophes."""
    number: int
    """Order in the message, from 0."""

    @property
    def chinese(self) -> bool:
        """Whether the user's own part is Chinese."""
        return is_chinese(self.masked)

    @property
    def question(self) -> bool:
        """Whether it ends in a question mark."""
        return self.text.rstrip()[-1:] in {"?", "？"}


def sentences(text: str) -> list[Sentence]:
    """Return the sentences of a message in order; those without a word of the user's own are left out."""
    masked = _masked(text)
    return [Sentence(text[start:end], masked[start:end], number) for number, (start, end) in enumerate(_spans(masked))]


def clause_spans(masked: str, joint: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    """Yield the spans between the joints of a sentence."""
    start = 0
    for found in joint.finditer(masked):
        yield start, found.start()
        start = found.end()
    yield start, len(masked)


def bare(text: str, shown: str, lead: re.Pattern[str]) -> tuple[str, str]:
    """Return a clause without words that only lead in and without closing marks: as written, and masked."""
    opening = lead.match(shown)
    start = opening.end() if opening else 0
    end = max(start, len(shown.rstrip(_CLOSING)))
    return text[start:end], shown[start:end]


def _spans(masked: str) -> Iterator[tuple[int, int]]:
    for match in _SENTENCE.finditer(masked):
        body = match[0]
        start = match.start() + len(body) - len(body.lstrip())
        if bullet := _BULLET.match(masked, start, match.end()):
            start = bullet.end()
        end = match.start() + len(body.rstrip())
        if 0 < end - start <= _LONGEST and re.search(rf"[^\W{MASK}]", masked[start:end]):
            yield start, end


def _masked(text: str) -> str:
    masked = _QUOTED.sub(lambda found: MASK * len(found[0]), text).replace("’", "'")
    if task := _TASK.search(masked):
        masked = masked[: task.end()] + MASK * (len(text) - task.end())
    for label in reversed(list(_LABEL.finditer(masked))):
        if not _OWN_LABEL.fullmatch(label[1].strip()):
            end = masked.find("\n", label.end())
            end = len(masked) if end < 0 else end
            masked = masked[: label.start()] + MASK * (end - label.start()) + masked[end:]
    return masked
