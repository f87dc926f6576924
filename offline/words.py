"""Word tables, written as plain text, and the script of a text."""

from __future__ import annotations

import re

from previously.prompts.registry import language_of

_HAN_FIRST = re.compile(r"[\W\d_]*[\u4e00-\u9fff]")


def word_set(text: str) -> frozenset[str]:
    """Return the words of a text that are separated by white space."""
    return frozenset(text.split())


def is_chinese(text: str) -> bool:
    """Whether a text is to be read, or worded, as Chinese: it begins so, or is mostly so."""
    return _HAN_FIRST.match(text) is not None or language_of(text) == "zh-Hans"
