"""Staged edits: how every document of memory is changed. A model proposes, each proposal is checked, refusals teach.

A document brings its own edits; what they share is here: the refusal with its kind, the brake on repeated refusals, the
test for saying the same thing again, and the signs of text that wants to give orders.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from typing import Any

from previously.state.context import clean_text
from previously.state.errors import InvalidInput
from previously.state.ref import EXAMPLE, Ref

Json = dict[str, Any]


class Refusal(StrEnum):
    """Why an edit was refused."""

    ARGUMENTS = "arguments"
    EMPTY = "empty"
    FORM = "form"
    LENGTH = "length"
    NO_REFS = "no_refs"
    BAD_REF = "bad_ref"
    UNKNOWN_REF = "unknown_ref"
    DUPLICATE = "duplicate"
    DATE = "date"
    FULL = "full"
    NO_MATCH = "no_match"
    AMBIGUOUS = "ambiguous"
    CORE_RULE = "core_rule"
    NOT_THE_USER = "not_the_user"
    INJECTION = "injection"
    UNCHANGED = "unchanged"
    ADDRESS = "address"
    EVENT = "event"
    NAME = "name"
    EVIDENCE = "evidence"


class Rejected(Exception):  # noqa: N818
    """An edit that is not applied. The message is what the model reads: what is wrong, and how to mend it."""

    def __init__(self, kind: Refusal, message: str, *, limit: int = 0, actual: int = 0) -> None:
        """`limit` and `actual` are characters, for refusals about length."""
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.limit = limit
        self.actual = actual


@dataclass(frozen=True, kw_only=True)
class EditContext:
    """What the checks of an edit may know of the world; the caller looks it up."""

    today: date
    """The user's local day at the newest evidence."""
    agent: str
    handles: Mapping[str, Ref] = field(default_factory=dict)
    """Short handles that stand for refs, as shown to the model."""
    known_ref: Callable[[Ref], bool] = lambda _ref: True
    """Whether a ref cites trusted evidence of this space."""
    said_by_user: Callable[[Ref], bool] = lambda _ref: True
    """Whether a ref cites words of the owner of the space."""
    said_on: Callable[[Ref], date | None] = lambda _ref: None
    """Local day of what a ref cites."""
    text_of: Callable[[Ref], str] = lambda _ref: ""
    """The words that a ref cites."""
    names: frozenset[str] = frozenset()
    """Names of people that are known: the user's own, and those of others who spoke."""
    slice_id: str = ""
    """The slice in which the edit is made."""
    slices_needed: int = 2
    """Distinct slices on which an understanding of the user has to rest."""
    horizon_cap: int = 20

    def cited(self, refs: list[str]) -> tuple[Ref, ...]:
        """Return the refs that a model gave, canonical, each once. Refuses none, malformed and unknown ones."""
        if not refs:
            raise Rejected(
                Refusal.NO_REFS,
                f"refs are required: cite where it was said, e.g. [{EXAMPLE!r}] or a handle such as 'm1'. "
                "Without evidence nothing is written",
            )
        found: dict[Ref, None] = {}
        for written in refs:
            found[self._cited(written)] = None
        return tuple(found)

    def _cited(self, written: str) -> Ref:
        bare = written.strip().strip("[]").strip()
        try:
            ref = self.handles[bare] if bare in self.handles else Ref.parse(bare)
        except InvalidInput:
            raise Rejected(
                Refusal.BAD_REF, f"{written[:60]!r} is no ref: write it as {EXAMPLE} or as a handle that you were shown"
            ) from None
        if not self.known_ref(ref):
            raise Rejected(Refusal.UNKNOWN_REF, f"{ref} cites nothing that was said here: use the refs you were shown")
        return ref


@dataclass
class Brake:
    """Counts how often one and the same call was refused in a run; `counts` is JSON and goes into the checkpoint."""

    counts: dict[str, int]

    def refuse(self, tool: str, args: Json, refusal: Rejected) -> str:
        """Return the message for a refusal; the second and third time for the same call it says more."""
        same = json.dumps(_normal(args), sort_keys=True, default=str)
        key = f"{tool[:60]} {hashlib.sha256(same.encode()).hexdigest()[:16]}"
        self.counts[key] = times = self.counts.get(key, 0) + 1
        if times == 1:
            return f"REJECTED: {refusal.message}"
        if times > 2:  # noqa: PLR2004
            return (
                f"REJECTED: this call was refused {times} times and is skipped; nothing was written. "
                f"Do not send it again: leave it and call finish. ({refusal.message})"
            )
        if refusal.limit:
            over = refusal.actual - refusal.limit
            return (
                f"REJECTED: again the same. {refusal.actual} characters, limit {refusal.limit}: "
                f"take out at least {over} characters. {refusal.message}"
            )
        return f"REJECTED: again the same; change what it says, white space and case do not count. {refusal.message}"


def one_line(text: str, limit: int, *, what: str) -> str:
    """Return a text for a line of a document, trimmed. Refuses an empty, a broken and a too long one.

    `limit` is in characters (code points) of the trimmed text.
    """
    plain = clean_text(text).strip()
    if not plain:
        raise Rejected(Refusal.EMPTY, f"{what} is empty: say what is to be written")
    if (lines := len(plain.splitlines())) > 1:
        raise Rejected(Refusal.FORM, f"{what} has {lines} lines: write it as one")
    if len(plain) > limit:
        raise Rejected(
            Refusal.LENGTH,
            f"{what} has {len(plain)} characters, limit {limit}: compress and retry. You decide what stays; "
            "nothing is cut off for you",
            limit=limit,
            actual=len(plain),
        )
    return plain


def calendar_day(text: str, *, what: str) -> date:
    """Return the day that a text names. Refuses all but `YYYY-MM-DD` of the calendar."""
    day = text.strip()
    try:
        return date.fromisoformat(day if re.fullmatch(r"\d{4}-\d{2}-\d{2}", day, re.ASCII) else "")
    except ValueError:
        raise Rejected(
            Refusal.DATE,
            f"{what} is {day[:40]!r}: give a day of the calendar as YYYY-MM-DD, worked out from the evidence",
        ) from None


def place_of(match: str, lines: Sequence[str], where: str) -> int:
    """Return the place of the one line that contains `match`, whatever its case; its tails may have been copied too.

    Refuses a text that no line or more than one contains, unless one is exactly that.
    """
    wanted = _TAILS.split(_LEAD.sub("", match.strip()))[0].strip().casefold()
    hits = [place for place, line in enumerate(lines) if wanted and wanted in line.casefold()]
    exact = [place for place in hits if lines[place].casefold() == wanted]
    if len(hits) == 1 or len(exact) == 1:
        return (exact or hits)[0]
    given = repr(match[:60])
    if hits:
        found = "; ".join(repr(lines[place][:60]) for place in hits)
        raise Rejected(Refusal.AMBIGUOUS, f"{given} is in {len(hits)} lines of {where}: {found}. Give more of the one")
    listed = "; ".join(repr(line[:60]) for line in lines) or "(none)"
    raise Rejected(Refusal.NO_MATCH, f"no line of {where} contains {given}. Its lines: {listed}. Give a part of one")


_LEAD = re.compile(r"^- (?:\[proposed [^\]]*\] )?|^\[proposed [^\]]*\] ")
_TAILS = re.compile(r"\s(?:— refs:|— by:|\| since:|— falsify if:)")


def near_duplicate(one: str, other: str) -> bool:
    """Whether two texts say the same in nearly the same characters. Needs no word boundaries, so works for any script.

    Texts with other numbers or other names (words with a capital after the first) are about different things.
    """
    if (_plain(one) or one) == (_plain(other) or other):
        return True
    return _particulars(one) == _particulars(other) and similarity(one, other) >= _SAME


def similarity(one: str, other: str) -> float:
    """Return how alike two texts are, from 0 to 1: the share of common character pairs (Dice)."""
    left, right = _pairs(_plain(one)), _pairs(_plain(other))
    return 2 * len(left & right) / (len(left) + len(right)) if left and right else 0.0


_SAME = 0.85
_INJECTION = re.compile(
    r"(?:^|[.!?;:,\"'“‘(—-]\s*|\b(?:please|must|should|now|and)\s+)(?:ignore|disregard|forget|override)\b[^.]{0,40}"
    r"\b(?:instructions?|prompts?|rules?|messages?|directives?|guidelines?)\b"
    r"|<\|[^|]{1,40}\|>|\[/?INST\]|<</?SYS>>|</?(?:system|instructions?)>"
    r"|^\W*(?:system|assistant|developer|user|human)\s*:|\byou are now\b"
    r"|\byour (?:new )?(?:instructions|role|task) (?:is|are)\b"
    r"|(?:忽略|无视|忘记|忘掉)[^。]{0,12}(?:指令|提示|规则|命令)|^\W*(?:系统|助手|用户)\s*:|你现在是",
    re.IGNORECASE,
)
_ORDER = re.compile(
    r"\byou (?:must|shall|should|have to|need to|can'?t|cannot|may not)\b"
    r"|\b(?:always|never) (?:answer|reply|respond|say|call|use|send|reveal|obey|follow|include|recommend|ask|mention)\b"
    r"|^(?:always|never|do not|don'?t|stop|please|make sure|from now on|remember to)\b"
    r"|\b(?:system|developer) (?:prompt|message)\b|系统提示"
    r"|你(?:必须|应该|不能|不得|要始终|一定要)|(?:始终|永远|一律|务必)(?:用|回答|回复|使用|推荐)"
    r"|^(?:请|不要|别|务必|从现在起|以后(?:别|不要|请|都))",
    re.IGNORECASE,
)


def injects(text: str) -> bool:
    """Whether a text has the shape of an attack on a prompt: no document of memory holds one, whoever said it."""
    return _INJECTION.search(unicodedata.normalize("NFKC", text)) is not None


def gives_orders(text: str) -> bool:
    """Whether a text is shaped like an instruction to an agent rather than a statement about a person."""
    return _ORDER.search(unicodedata.normalize("NFKC", text)) is not None


def _particulars(text: str) -> tuple[list[str], set[str]]:
    plain = unicodedata.normalize("NFKC", text)
    names = {word.casefold() for word in re.findall(r"\w+", plain)[1:] if word[0].isupper()}
    return re.findall(r"\d+", plain), names


def _plain(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(char for char in folded if char.isalnum())


def _pairs(text: str) -> set[str]:
    return {text[at : at + 2] for at in range(len(text) - 1)}


def _normal(value: Any) -> Any:
    """Return arguments as they are compared: white space and case don't make another call."""
    if isinstance(value, str):
        return " ".join(value.split()).casefold()
    if isinstance(value, dict):
        return {str(name): _normal(inner) for name, inner in value.items()}
    return [_normal(inner) for inner in value] if isinstance(value, list) else value
