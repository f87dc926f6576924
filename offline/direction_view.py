"""The direction as the prompt shows it, read line by line. Tolerant: what is no line of a part is left out."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

_HEADING = re.compile(r"\s{0,3}(?P<marks>#+)\s*(?P<title>.*?)\s*$")
_ENTRY = re.compile(r"\s*[-*•]\s+(?P<text>\S.*)")
_TAIL = re.compile(r"\s*[—–-]+\s*refs:.*$", re.IGNORECASE)
_GUESSES = re.compile(r"hypothes[ei]s|假设|猜测", re.IGNORECASE)
_PROPOSED = re.compile(r"\[proposed\b", re.IGNORECASE)


@dataclass(slots=True)
class DirectionView:
    """Lines of a direction without their refs."""

    portrait: list[str] = field(default_factory=list)
    hypotheses: list[str] = field(default_factory=list)


def read_direction(lines: Iterable[str]) -> DirectionView:
    """Return what the lines of a direction say; a row may hold several lines."""
    view, guesses = DirectionView(), False
    for line in (part for row in lines for part in row.splitlines()):
        if heading := _HEADING.match(line):
            if len(heading["marks"]) == 1 or _GUESSES.search(heading["title"]):
                guesses = bool(_GUESSES.search(heading["title"]))
        elif entry := _ENTRY.match(line):
            text = _TAIL.sub("", entry["text"])
            (view.hypotheses if guesses or _PROPOSED.match(text) else view.portrait).append(text)
    return view
