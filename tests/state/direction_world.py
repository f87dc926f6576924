"""A direction, and what its edits may know of the world."""

from __future__ import annotations

from datetime import date
from typing import Any

from previously.state.direction import DIMENSIONS, Direction, Hypothesis, PortraitEntry
from previously.state.direction_edits import DIRECTION_EDITS
from previously.state.edit import EditContext
from previously.state.ref import Ref
from previously.state.staging import Applied

FIRST, SECOND, REPLY, GUEST = (
    Ref("2026-08-11-1426", 1), Ref("2026-08-12-0900", 1), Ref("2026-08-12-0900", 2), Ref("2026-08-12-0900", 3)
)  # fmt: skip
WORDS = {
    FIRST: "I live in Berlin with Priya and use OpenTofu a lot. Why so long? 我在看《三体》。",
    SECOND: "Too long again. I just wanted one line.",
    REPLY: "Sorry about that, Alex.",
    GUEST: "He always decides late.",
}
COMMUNICATION, PATTERNS = DIMENSIONS[4], DIMENSIONS[2]
TEXT = "Loses patience with long answers"
GUESS = "Decides faster after talking it over"
SOME = Direction(
    portrait={PATTERNS: (PortraitEntry(text="Plans late and then all at once", refs=(FIRST, SECOND)),)},
    hypotheses=(Hypothesis(text=GUESS, falsify="decides alone twice", proposed="2026-08-01-0900"),),
)
CONTEXT = EditContext(
    today=date(2026, 8, 12),
    agent="assistant",
    handles={"m1": FIRST, "m2": SECOND, "m3": REPLY, "m4": GUEST},
    known_ref=lambda ref: ref in WORDS,
    said_by_user=lambda ref: ref in {FIRST, SECOND},
    text_of=lambda ref: WORDS.get(ref, ""),
    names=frozenset({"Alex", "小艾", "Lao Zhou"}),
    slice_id="2026-08-12-0900",
)


def apply(name: str, direction: Direction = SOME, context: EditContext = CONTEXT, **args: Any) -> Applied[Direction]:
    return DIRECTION_EDITS.apply(direction, name, args, context, {})


def add(text: str, **more: Any) -> Applied[Direction]:
    args = {"dimension": COMMUNICATION, "text": text, "refs": ["m1", "m2"], **more}
    return apply("add_portrait_entry", **args)
