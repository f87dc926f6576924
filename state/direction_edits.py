"""The edits of the direction: what a model may propose, each checked on a staged copy. No other code changes it."""

from __future__ import annotations

import unicodedata
from dataclasses import replace

from pydantic import Field

from previously.state.direction import (
    DIMENSIONS,
    DIRECTION_LIMIT,
    HYPOTHESIS_CAP,
    Direction,
    Hypothesis,
    PortraitEntry,
    render_direction,
)
from previously.state.direction_rules import check_line, check_portrait
from previously.state.edit import EditContext, Refusal, Rejected, near_duplicate, place_of
from previously.state.ref import Ref
from previously.state.staging import Arguments, Edit, Edits, Refs

_SHORTEST_QUOTE = 4
"""Characters of the user's own words from which a quotation proves something."""

Result = tuple[Direction, str]


class _Understanding(Arguments):
    """What an entry of the portrait takes."""

    text: str = Field(description="the entry, one line, at most 300 characters")
    refs: Refs
    said: Refs | None = Field(None, description="the user's own turn in which they say it outright, if there is one")
    quote: str | None = Field(None, description="the words of that turn")


class AddPortraitEntry(_Understanding):
    """Add a confirmed understanding of the person."""

    dimension: str


class UpdatePortraitEntry(_Understanding):
    """Reword an entry; it keeps its refs and gets the new ones."""

    match: str


class RemoveMatch(Arguments):
    """Remove the line that contains a text."""

    match: str


class AddHypothesis(Arguments):
    """Add a guess about the person, with what would prove it wrong."""

    text: str
    falsify: str = ""


class PromoteHypothesis(_Understanding):
    """Make a guess that was confirmed an entry of the portrait."""

    match: str
    dimension: str


def _add_entry(direction: Direction, args: AddPortraitEntry, context: EditContext) -> Result:
    dimension = _dimension(args.dimension)
    entry = _understood(args, (), context)
    _new(entry.text, [known.text for _, known in direction.entries()], "the portrait")
    return direction.with_entries(dimension, (*direction.portrait.get(dimension, ()), entry)), f"added to {dimension}"


def _update_entry(direction: Direction, args: UpdatePortraitEntry, context: EditContext) -> Result:
    dimension, place = _entry_of(direction, args.match)
    entries = direction.portrait[dimension]
    entry = _understood(args, entries[place].refs, context)
    if entry == entries[place]:
        raise Rejected(Refusal.UNCHANGED, "the entry reads like this already: change it or leave it")
    _new(entry.text, [known.text for _, known in direction.entries() if known != entries[place]], "the portrait")
    return direction.with_entries(
        dimension, (*entries[:place], entry, *entries[place + 1 :])
    ), f"reworded in {dimension}"


def _remove_entry(direction: Direction, args: RemoveMatch, _context: EditContext) -> Result:
    dimension, place = _entry_of(direction, args.match)
    entries = direction.portrait[dimension]
    changed = direction.with_entries(dimension, (*entries[:place], *entries[place + 1 :]))
    return changed, f"removed {entries[place].text[:60]!r}"


def _add_hypothesis(direction: Direction, args: AddHypothesis, context: EditContext) -> Result:
    text = check_line(args.text, "the hypothesis")
    if not args.falsify.strip():
        raise Rejected(
            Refusal.EMPTY, "falsify is empty: a guess that nothing could prove wrong is none. Say what would"
        )
    falsify = check_line(args.falsify, "the condition")
    known = [*(guess.text for guess in direction.hypotheses), *(entry.text for _, entry in direction.entries())]
    _new(text, known, "the direction")
    if len(direction.hypotheses) >= HYPOTHESIS_CAP:
        count = f"{len(direction.hypotheses)}/{HYPOTHESIS_CAP}"
        raise Rejected(Refusal.FULL, f"there are {count} hypotheses: promote or remove one first")
    guess = Hypothesis(text=text, falsify=falsify, proposed=context.slice_id)
    guesses = (*direction.hypotheses, guess)
    return replace(direction, hypotheses=guesses), f"hypothesis {len(guesses)}/{HYPOTHESIS_CAP}"


def _promote(direction: Direction, args: PromoteHypothesis, context: EditContext) -> Result:
    dimension, place = _dimension(args.dimension), _hypothesis_of(direction, args.match)
    entry = _understood(args, (), context)
    _new(entry.text, [known.text for _, known in direction.entries()], "the portrait")
    without = _without_hypothesis(direction, place)
    return without.with_entries(dimension, (*direction.portrait.get(dimension, ()), entry)), f"promoted to {dimension}"


def _remove_hypothesis(direction: Direction, args: RemoveMatch, _context: EditContext) -> Result:
    place = _hypothesis_of(direction, args.match)
    return _without_hypothesis(direction, place), f"removed {direction.hypotheses[place].text[:60]!r}"


def _understood(args: _Understanding, before: tuple[Ref, ...], context: EditContext) -> PortraitEntry:
    """Return the entry that is to be written, when its words and its evidence will do."""
    said = context.cited(args.said) if args.said else ()
    cited = context.cited([*args.refs, *(args.said or ())] if args.refs or args.said else [])
    refs = tuple(dict.fromkeys((*before, *cited)))
    text = check_portrait(args.text, map(context.text_of, refs), context.names)
    slices = {ref.slice_id for ref in refs if context.said_by_user(ref)}
    if len(slices) < context.slices_needed and not _said_outright(said, args.quote, context):
        raise Rejected(
            Refusal.EVIDENCE,
            f"{text[:60]!r} rests on what the user said in {len(slices)} slice; {context.slices_needed} different ones "
            "are needed: cite more, or the user's own turn in said with its words in quote, or make it a hypothesis",
        )
    return PortraitEntry(text=text, refs=refs)


def _said_outright(said: tuple[Ref, ...], quote: str | None, context: EditContext) -> bool:
    """Whether the user's own turn is cited, and the words quoted from it stand in it."""
    words = _folded(quote or "")
    if not said or len(words) < _SHORTEST_QUOTE:
        return False
    return all(
        ref.turn is not None and context.said_by_user(ref) and words in _folded(context.text_of(ref)) for ref in said
    )


def _folded(text: str) -> str:
    return "".join(char for char in unicodedata.normalize("NFKC", text).casefold() if char.isalnum())


def _dimension(name: str) -> str:
    wanted = _folded(name)
    found = next((dimension for dimension in DIMENSIONS if _folded(dimension) == wanted), None)
    if found is None:
        raise Rejected(Refusal.ARGUMENTS, f"{name[:60]!r} is no dimension: use one of {'; '.join(DIMENSIONS)}")
    return found


def _entry_of(direction: Direction, match: str) -> tuple[str, int]:
    lines = list(direction.entries())
    place = place_of(match, [entry.text for _, entry in lines], "the portrait")
    dimension = lines[place][0]
    return dimension, place - next(at for at, (other, _) in enumerate(lines) if other == dimension)


def _hypothesis_of(direction: Direction, match: str) -> int:
    return place_of(match, [guess.text for guess in direction.hypotheses], "the hypotheses")


def _without_hypothesis(direction: Direction, place: int) -> Direction:
    guesses = direction.hypotheses
    return replace(direction, hypotheses=(*guesses[:place], *guesses[place + 1 :]))


def _new(text: str, known: list[str], where: str) -> None:
    if same := next((other for other in known if near_duplicate(text, other)), None):
        raise Rejected(Refusal.DUPLICATE, f"{where} says this already: {same[:80]!r}. Leave it")


def _check_whole(_before: Direction, after: Direction, _context: EditContext) -> None:
    if (size := len(render_direction(after))) > DIRECTION_LIMIT:
        raise Rejected(
            Refusal.LENGTH,
            f"the whole direction would have {size} characters, limit {DIRECTION_LIMIT}: remove something else first",
            limit=DIRECTION_LIMIT,
            actual=size,
        )


DIRECTION_EDITS = Edits(
    Edit(name="add_portrait_entry", arguments=AddPortraitEntry, run=_add_entry),
    Edit(name="update_portrait_entry", arguments=UpdatePortraitEntry, run=_update_entry),
    Edit(name="remove_portrait_entry", arguments=RemoveMatch, run=_remove_entry),
    Edit(name="add_hypothesis", arguments=AddHypothesis, run=_add_hypothesis),
    Edit(name="promote_hypothesis", arguments=PromoteHypothesis, run=_promote),
    Edit(name="remove_hypothesis", arguments=RemoveMatch, run=_remove_hypothesis),
    check=_check_whole,
)
