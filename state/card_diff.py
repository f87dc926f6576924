"""What changed between two cards: lines for people, counts for accounts."""

from __future__ import annotations

from collections.abc import Sequence

from previously.state.card import Card
from previously.state.edit import similarity

_EACH_SIDE = 12
"""Lines shown of what went and of what came."""
_REWORDED = 0.5
"""Likeness from which a line that went and one that came are one line, reworded."""


def line_diff(before: str, after: str) -> list[str]:
    """Return `- gone` lines in the old order, then `+ new` ones, at most 12 each; headings and headers don't count."""
    old, new = _lines(before), _lines(after)
    gone = [f"- {line}" for line in old if line not in new]
    come = [f"+ {line}" for line in new if line not in old]
    return gone[:_EACH_SIDE] + come[:_EACH_SIDE]


def _lines(text: str) -> list[str]:
    lines = (line.strip() for line in text.split("\n"))
    told = (line for line in lines if line and not line.startswith(("#", "_", "<!--")))
    return list(dict.fromkeys(line.removeprefix("- ") for line in told))


def change_counts(before: Card, after: Card) -> dict[str, int]:
    """Return how many lines were `added`, `removed`, `reworded`, and whether the profile was (0 or 1)."""
    counts = {"added": 0, "removed": 0, "reworded": 0, "profile": int(before.profile != after.profile)}
    for old, new in zip(_texts(before), _texts(after), strict=True):
        gone = [text for text in old if text not in new]
        come = [text for text in new if text not in old]
        reworded = _paired(gone, come)
        counts["reworded"] += reworded
        counts["removed"] += len(gone) - reworded
        counts["added"] += len(come) - reworded
    return counts


def _texts(card: Card) -> tuple[list[str], ...]:
    lessons = [entry.text for entries in card.self_models.values() for entry in entries]
    identity = [f"{label}: {value}" for label, value in card.identity]
    dated = [f"{entry.text} {entry.by}" for entry in card.horizon]
    return identity, [entry.text for entry in card.anchors], [entry.text for entry in card.now], dated, lessons


def _paired(gone: Sequence[str], come: Sequence[str]) -> int:
    """Return how many of the new lines are an old one in other words, each used once."""
    left = list(come)
    for text in gone:
        likeness, match = max(((similarity(text, other), other) for other in left), default=(0.0, ""))
        if likeness >= _REWORDED:
            left.remove(match)
    return len(come) - len(left)
