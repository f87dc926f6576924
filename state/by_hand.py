"""Which documents a person may write, and what is wrong with a text that they wrote."""

from __future__ import annotations

import re

from previously.state.card import parse_card
from previously.state.direction import parse_direction
from previously.state.paths import CARD_PATH, DIRECTION_PATH, PLAYBOOKS_PATH
from previously.state.playbook import playbook_problems

_PLAYBOOK = re.compile(re.escape(PLAYBOOKS_PATH) + r"(?:[a-z0-9-]+/)?(?:recall|search|thinkdeep)\.md")
"""A path with anything else in it could lead out of the space's folder."""


def writable(path: str) -> bool:
    """Whether a document may be written by hand; the others are made by code."""
    return path in {CARD_PATH, DIRECTION_PATH} or _PLAYBOOK.fullmatch(path) is not None


def faults(path: str, text: str) -> list[str]:
    """Return what makes a text no valid document for a path, one sentence each; older formats are valid."""
    if path == CARD_PATH:
        card = parse_card(text)
        return [] if card.legacy else [*card.problems, *card.card.problems()]
    if path == DIRECTION_PATH:
        return parse_direction(text).direction.problems()
    return playbook_problems(text)
