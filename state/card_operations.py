"""What each edit does to a card: checks in a fixed order, the first that fails refuses, nothing else is touched."""

from __future__ import annotations

from collections.abc import Iterable, Sized
from dataclasses import replace

from previously.state import card_arguments as arguments
from previously.state.card_model import (
    ANCHOR_CAP,
    HORIZON_LIMIT,
    IDENTITY_CAP,
    IDENTITY_LIMIT,
    LABELS,
    LINE_LIMIT,
    NOW_CAP,
    PROFILE_LIMIT,
    SELF_MODEL_CAP,
    Card,
    Entry,
    breaks_format,
)
from previously.state.card_rules import check_lesson, check_statement
from previously.state.edit import EditContext, Refusal, Rejected, calendar_day, near_duplicate, one_line, place_of

Result = tuple[Card, str]
"""The changed card, and what to tell the model."""


def _line(text: str, limit: int, what: str) -> str:
    plain = one_line(text, limit, what=what)
    if fault := breaks_format(plain, paragraph=what == "the profile"):
        raise Rejected(Refusal.FORM, f"{what} can't be written like this: {fault}. Say it in other words")
    return plain


def _new(text: str, entries: Iterable[Entry], mend: str = "remove that line first to reword it") -> None:
    same = next((entry.text for entry in entries if near_duplicate(text, entry.text)), None)
    if same is not None:
        raise Rejected(Refusal.DUPLICATE, f"the section says this already: {same[:80]!r}. Leave it, or {mend}")


def _room(entries: Sized, cap: int, section: str, advice: str) -> None:
    if len(entries) >= cap:
        raise Rejected(Refusal.FULL, f"{section} is full ({len(entries)}/{cap}): {advice}")


def _match(match: str, entries: tuple[Entry, ...], section: str) -> int:
    return place_of(match, [entry.text for entry in entries], section)


def _without(entries: tuple[Entry, ...], place: int) -> tuple[Entry, ...]:
    return (*entries[:place], *entries[place + 1 :])


def set_identity(card: Card, args: arguments.SetIdentity, context: EditContext) -> Result:
    value = _line(args.value, IDENTITY_LIMIT, "the value")
    check_statement(value, context.cited(args.refs), context)
    label, lines = LABELS[args.field], list(card.identity)
    place = next((place for place, (name, _) in enumerate(lines) if name.casefold() == label.casefold()), None)
    if place is None:
        _room(card.identity, IDENTITY_CAP, "Identity", "replace a field that is there")
        order = list(LABELS.values())
        before = order[: order.index(label)]
        place = max((at + 1 for at, (name, _) in enumerate(lines) if name in before), default=0)
        lines.insert(place, (label, value))
    elif lines[place] == (label, value):
        raise Rejected(Refusal.UNCHANGED, f"{label} is {value[:60]!r} already: leave it")
    else:
        lines[place] = (label, value)
    return replace(card, identity=tuple(lines)), f"{label} is {value!r} ({len(lines)}/{IDENTITY_CAP})"


def update_profile(card: Card, args: arguments.UpdatePastProfile, context: EditContext) -> Result:
    if not args.text.strip():
        raise Rejected(Refusal.EMPTY, "the profile can't be emptied: write it anew as it should read")
    text = _line(args.text, PROFILE_LIMIT, "the profile")
    check_statement(text, context.cited(args.refs), context)
    if text == card.profile:
        raise Rejected(Refusal.UNCHANGED, "the profile reads like this already: change it or leave it")
    return replace(card, profile=text), f"the profile has {len(text)}/{PROFILE_LIMIT} characters"


def add_anchor(card: Card, args: arguments.AddPastAnchor, context: EditContext) -> Result:
    text, refs = _line(args.text, LINE_LIMIT, "the anchor"), context.cited(args.refs)
    _new(text, card.anchors)
    check_statement(text, refs, context)
    _room(card.anchors, ANCHOR_CAP, "Past", _ANCHOR_ADVICE)
    anchors = (*card.anchors, Entry(text=text, refs=refs))
    return replace(card, anchors=anchors), f"anchor {len(anchors)}/{ANCHOR_CAP}"


_ANCHOR_ADVICE = (
    "remove one that no longer matters or fold it into the profile. An anchor is what will almost surely still be true "
    "in three years"
)


def remove_anchor(card: Card, args: arguments.Match, _context: EditContext) -> Result:
    place = _match(args.match, card.anchors, "Past")
    return replace(card, anchors=_without(card.anchors, place)), f"removed {card.anchors[place].text[:60]!r}"


def add_now(card: Card, args: arguments.AddNow, context: EditContext) -> Result:
    text, refs = _line(args.text, LINE_LIMIT, "the line"), context.cited(args.refs)
    _new(text, card.now)
    since = calendar_day(args.since, what="since") if args.since else context.said_on(refs[0]) or context.today
    check_statement(text, refs, context)
    _room(card.now, NOW_CAP, "Now", "remove a line that is over, or promote one that lasts; one thing in a line")
    now = (Entry(text=text, refs=refs, since=since), *card.now)
    return replace(card, now=now), f"Now {len(now)}/{NOW_CAP}, since {since}"


def remove_now(card: Card, args: arguments.Match, _context: EditContext) -> Result:
    place = _match(args.match, card.now, "Now")
    return replace(card, now=_without(card.now, place)), f"removed {card.now[place].text[:60]!r}"


def promote_now(card: Card, args: arguments.Match, _context: EditContext) -> Result:
    """Move a line as it is: a move is no new writing, so its length is not looked at again."""
    place = _match(args.match, card.now, "Now")
    entry = card.now[place]
    _new(entry.text, card.anchors, mend="remove it from Now")
    _room(card.anchors, ANCHOR_CAP, "Past", _ANCHOR_ADVICE)
    anchors = (*card.anchors, replace(entry, since=None))
    return replace(card, now=_without(card.now, place), anchors=anchors), f"anchor {len(anchors)}/{ANCHOR_CAP}"


def add_horizon(card: Card, args: arguments.AddHorizon, context: EditContext) -> Result:
    text, refs = _line(args.text, HORIZON_LIMIT, "the line"), context.cited(args.refs)
    _new(text, card.horizon, mend="reschedule_horizon gives it another day")
    by = calendar_day(args.by, what="by")
    check_statement(text, refs, context)
    _room(card.horizon, context.horizon_cap, "Horizon", "resolve what is done, or merge two that belong together")
    horizon = (*card.horizon, Entry(text=text, refs=refs, by=by))
    return replace(card, horizon=horizon), f"Horizon {len(horizon)}/{context.horizon_cap}, due {by}"


def resolve_horizon(card: Card, args: arguments.ResolveHorizon, context: EditContext) -> Result:
    context.cited(args.refs)
    place = _match(args.match, card.horizon, "Horizon")
    done = f"resolved {card.horizon[place].text[:60]!r}"
    told = (
        f": {args.note[:200]}" if args.note.strip() else ". No note says how it ended: if the outcome matters, add it"
    )
    return replace(card, horizon=_without(card.horizon, place)), done + told


def reschedule_horizon(card: Card, args: arguments.RescheduleHorizon, context: EditContext) -> Result:
    refs, by = context.cited(args.refs), calendar_day(args.by, what="by")
    place = _match(args.match, card.horizon, "Horizon")
    entry = card.horizon[place]
    if by == entry.by:
        raise Rejected(Refusal.UNCHANGED, f"it is due on {by} already: leave it")
    moved = replace(entry, by=by, refs=tuple(dict.fromkeys((*entry.refs, *refs))))
    return replace(
        card, horizon=(*card.horizon[:place], moved, *card.horizon[place + 1 :])
    ), f"due {by}, was {entry.by}"


def add_lesson(card: Card, args: arguments.AddSelfModel, context: EditContext) -> Result:
    lessons = card.self_model(context.agent)
    text, refs = _line(args.text, LINE_LIMIT, "the lesson"), context.cited(args.refs)
    _new(text, lessons)
    check_lesson(text, refs, context.cited(args.overrides) if args.overrides else (), context)
    _room(lessons, SELF_MODEL_CAP, "Self-model", "remove one that no longer holds: it lists what differs, no archive")
    lessons = (*lessons, Entry(text=text, refs=refs))
    return card.with_self_model(context.agent, lessons), f"Self-model {len(lessons)}/{SELF_MODEL_CAP}"


def remove_lesson(card: Card, args: arguments.Match, context: EditContext) -> Result:
    lessons = card.self_model(context.agent)
    place = _match(args.match, lessons, "Self-model")
    return card.with_self_model(context.agent, _without(lessons, place)), f"removed {lessons[place].text[:60]!r}"
