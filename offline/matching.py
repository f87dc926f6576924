"""Whether two short texts are about the same thing: words they share, in English and Chinese."""

from __future__ import annotations

import re
from collections.abc import Iterable

from previously.offline.words import word_set

MOST = 0.5
"""Share of a text's words from which on another text may be about the same thing."""
_NEARLY_ALL = 0.8
_PAIR = 2
_SHORTEST_STEM = 2
_FEW = 2
"""Words of an entry that one word may stand for."""
_WORD = re.compile(r"[a-z0-9][a-z0-9'+#-]*|[\u4e00-\u9fff]+")
_ENGLISH_FILLERS = word_set(
    """
    a an the and or but of for to in on at by with from about into over i i'm i've i'll my me we our us you your it its
    is are was were be been am have has had do does did will would can could should must need needs that this these
    those there then so just also now still really finally done finished finish complete completed went well good great
    draft new asked said user their they them he she his her not no next last more some any going gonna got get promised
    promise submit submitted go come see back stop using use always never don't please anymore
    """
)
_CHINESE_FILLERS = re.compile(
    r"我们?|咱们?|你们?|他们?|她们?|自己|用户|的|了|在|要|得|把|给|和|跟|去|到|就|都|也|还|已经|终于|总算|刚刚?|搞定|完成|做完|写完|写好|"
    r"交|结束|顺利|很|挺|有个?|一个|这个|那个|今天|明天|昨天|前|之前|答应|打算|准备|计划|需要|必须|取消|放弃|不再|说过?|关于|事"
)


def tokens(text: str) -> frozenset[str]:
    """Return the words of a text that carry meaning: English stems, pairs of Chinese characters."""
    found: set[str] = set()
    for match in _WORD.finditer(text.lower()):
        word = match[0]
        if word[0] >= "\u4e00":
            for part in _CHINESE_FILLERS.split(word):
                found.update({part} if 0 < len(part) <= _PAIR else {part[i : i + _PAIR] for i in range(len(part) - 1)})
        elif word not in _ENGLISH_FILLERS:
            found.add(_stem(word))
    return frozenset(found)


def covers(text: str, entry: str, *, without: str = "") -> float:
    """Return the share (0 … 1) of the words of `text` that `entry` has too; words of `without` don't count.

    A single word is too little to tell which of the longer entries is meant.
    """
    wanted, offered = _apart_from(without, text), _apart_from(without, entry)
    if not wanted or (len(wanted) == 1 and len(offered) > _FEW):
        return 0.0
    return len(wanted & offered) / len(wanted)


def uniquely_covered(text: str, entries: Iterable[str], *, without: str = "", least: float = MOST) -> str | None:
    """Return the entry that covers more than `least` of `text`; `None` when there is none, or two are equally close."""
    ranked = sorted(((covers(text, entry, without=without), entry) for entry in entries), reverse=True)
    if not ranked or ranked[0][0] <= least:
        return None
    return None if len(ranked) > 1 and ranked[1][0] == ranked[0][0] else ranked[0][1]


def same(one: str, other: str, *, without: str = "") -> bool:
    """Whether two texts say the same, but for filler words, order and the name `without`."""
    a, b = _apart_from(without, one), _apart_from(without, other)
    return a == b or (bool(a & b) and len(a & b) / len(a | b) >= _NEARLY_ALL)


def _apart_from(name: str, text: str) -> frozenset[str]:
    return tokens(text.replace(name, " ") if name else text)


def _stem(word: str) -> str:
    word = word.removesuffix("'s")
    for ending in ("ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) > _SHORTEST_STEM:
            return word.removesuffix(ending)
    return word
