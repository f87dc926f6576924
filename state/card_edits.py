"""The edits of the user card: small, checked, each on a copy. No other code changes a card."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from pydantic import ValidationError

from previously.state import card_arguments as arguments
from previously.state.card import (
    ANCHOR_CAP,
    CARD_LIMIT,
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
    render_card,
)
from previously.state.card_rules import check_lesson, check_statement
from previously.state.edit import Brake, EditContext, Json, Refusal, Rejected, calendar_day, one_line, same_saying
from previously.state.ref import Ref

A = TypeVar("A", bound=arguments.Arguments)
Result = tuple[Card, str]


@dataclass(frozen=True, kw_only=True)
class Edit(Generic[A]):
    """One kind of edit, as a tool: what a model is told, what it must give, what it does."""

    name: str
    arguments: type[A]
    run: Callable[[Card, A, EditContext], Result]

    @property
    def description(self) -> str:
        """What a model is told of it."""
        return self.arguments.__doc__ or ""


@dataclass(frozen=True, kw_only=True)
class Applied:
    """What became of one call."""

    card: Card
    message: str
    """For the model: begins with `OK — ` or `REJECTED`."""
    op: Json | None = None
    """The edit as it can be replayed, `{"tool", "args"}` with canonical refs; `None` when it was refused."""
    refusal: Refusal | None = None


def apply_edit(card: Card, name: str, args: Any, context: EditContext, brake: Brake) -> Applied:
    """Apply one call of a model to a card. Never raises for anything that a model may send."""
    raw = args if isinstance(args, dict) else {}
    try:
        if name not in CARD_EDITS:
            raise Rejected(Refusal.ARGUMENTS, f"there is no tool {name!r}: use one of {', '.join(CARD_EDITS)}")
        edit = CARD_EDITS[name]
        given = _validated(edit, args)
        changed, done = edit.run(card, given, context)
        _check_whole(card, changed, context)
    except Rejected as refusal:
        return Applied(card=card, message=brake.refuse(name, raw, refusal), refusal=refusal.kind)
    return Applied(card=changed, message=f"OK — {done}", op={"tool": name, "args": _canonical(given, context)})


def replay(card: Card, ops: Iterable[Json], context: EditContext) -> tuple[Card, list[Json]]:
    """Return a card with recorded edits applied again, and those of them that still fit."""
    kept: list[Json] = []
    for op in ops:
        applied = apply_edit(card, op["tool"], op.get("args"), context, Brake({}))
        card = applied.card
        if applied.op:
            kept.append(applied.op)
    return card, kept


def shrink_guard(before: Card, after: Card, agent: str) -> str | None:
    """Return why a run took away too much to be installed unseen, `None` when it did not.

    Counted are the lines that an agent sees; a line that moved or was reworded, and a loop that was resolved, are not
    lost. More than half of a card of at least four lines, or more than half of a profile of 200 characters, is too much.
    """
    old = [entry.text for entry in (*before.anchors, *before.now, *before.self_model(agent))]
    old += [value for _, value in before.identity]
    new = [entry.text for entry in after.entries(agent)] + [value for _, value in after.identity] + [after.profile]
    lost = [text for text in old if not any(text in kept or same_saying(text, kept) for kept in new)]
    if len(old) >= _SMALL_CARD and len(lost) * 2 > len(old):
        return f"{len(lost)} of {len(old)} lines would be lost in one run: that needs a review"
    if len(before.profile) >= _SMALL_PROFILE and len(after.profile) * 2 < len(before.profile):
        return f"the profile would shrink from {len(before.profile)} to {len(after.profile)} characters: needs a review"
    return None


_SMALL_CARD = 4
_SMALL_PROFILE = 200


def _validated(edit: Edit[A], args: Any) -> A:
    try:
        return edit.arguments.model_validate(args)
    except ValidationError as error:
        faults = "; ".join(f"{'.'.join(map(str, fault['loc'])) or 'arguments'}: {fault['msg']}" for fault in error.errors())
        names = ", ".join(edit.arguments.model_fields)
        raise Rejected(Refusal.ARGUMENTS, f"{faults}. The arguments of {edit.name} are {names}") from None


def _canonical(given: arguments.Arguments, context: EditContext) -> Json:
    """Return the arguments as they can be applied again, without the handles of this run."""
    args = given.model_dump(mode="json", exclude_none=True)
    if "refs" in args:
        args["refs"] = [str(ref) for ref in context.cited(args["refs"])] if args["refs"] else []
    return args


def _check_whole(before: Card, after: Card, context: EditContext) -> None:
    """Refuse an edit that makes the card too long; one that shortens a card that is too long already may pass."""
    size = len(render_card(after, context.agent))
    if size > CARD_LIMIT and size > len(render_card(before, context.agent)):
        raise Rejected(
            Refusal.LENGTH,
            f"the whole card would have {size} characters, limit {CARD_LIMIT}: shorten or remove something else first",
            limit=CARD_LIMIT,
            actual=size,
        )


def _line(text: str, limit: int, what: str) -> str:
    plain = one_line(text, limit, what=what)
    if fault := breaks_format(plain, paragraph=what == "the profile"):
        raise Rejected(Refusal.FORM, f"{what} can't be written like this: {fault}. Say it in other words")
    return plain


def _new(text: str, entries: Iterable[Entry]) -> str:
    for entry in entries:
        if same_saying(text, entry.text):
            raise Rejected(
                Refusal.DUPLICATE,
                f"the section says this already: {entry.text[:80]!r}. Leave it, or remove that line first to reword it",
            )
    return text


def _room(entries: tuple[Entry, ...], cap: int, section: str, advice: str) -> None:
    if len(entries) >= cap:
        raise Rejected(Refusal.FULL, f"{section} is full ({len(entries)}/{cap}): {advice}")


def _match(match: str, entries: tuple[Entry, ...], section: str) -> int:
    """Return the place of the one line that contains `match`, whatever its case."""
    wanted = match.strip().casefold()
    hits = [place for place, entry in enumerate(entries) if wanted and wanted in entry.text.casefold()]
    exact = [place for place in hits if entries[place].text.casefold() == wanted]
    if len(hits) == 1 or len(exact) == 1:
        return (exact or hits)[0]
    if hits:
        found = "; ".join(repr(entries[place].text[:60]) for place in hits)
        raise Rejected(Refusal.AMBIGUOUS, f"{match!r} is in {len(hits)} lines of {section}: {found}. Give more of the one")
    listed = "; ".join(repr(entry.text[:60]) for entry in entries) or "(none)"
    raise Rejected(Refusal.NO_MATCH, f"no line of {section} contains {match!r}. Its lines: {listed}. Give a part of one")


def _without(entries: tuple[Entry, ...], place: int) -> tuple[Entry, ...]:
    return (*entries[:place], *entries[place + 1 :])


def _set_identity(card: Card, args: arguments.SetIdentity, context: EditContext) -> Result:
    value = _line(args.value, IDENTITY_LIMIT, "the value")
    check_statement(value, context.cited(args.refs), context)
    label = LABELS[args.field]
    places = [place for place, (name, _) in enumerate(card.identity) if name.casefold() == label.casefold()]
    lines = list(card.identity)
    if places:
        lines[places[0]] = (label, value)
    elif len(lines) >= IDENTITY_CAP:
        raise Rejected(Refusal.FULL, f"Identity is full ({len(lines)}/{IDENTITY_CAP}): replace a field that is there")
    else:
        lines.append((label, value))
        order = {name: place for place, name in enumerate(LABELS.values())}
        lines.sort(key=lambda line: order.get(line[0], len(order)))
    return replace(card, identity=tuple(lines)), f"{label} is {value!r}"


def _update_profile(card: Card, args: arguments.UpdatePastProfile, context: EditContext) -> Result:
    if not args.text.strip():
        raise Rejected(Refusal.EMPTY, "the profile can't be emptied: write it anew as it should read")
    text = _line(args.text, PROFILE_LIMIT, "the profile")
    check_statement(text, context.cited(args.refs), context)
    if text == card.profile:
        raise Rejected(Refusal.UNCHANGED, "the profile reads like this already: change it or leave it")
    return replace(card, profile=text), f"the profile has {len(text)}/{PROFILE_LIMIT} characters"


def _add_anchor(card: Card, args: arguments.AddPastAnchor, context: EditContext) -> Result:
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


def _remove_anchor(card: Card, args: arguments.Match, _context: EditContext) -> Result:
    place = _match(args.match, card.anchors, "Past")
    return replace(card, anchors=_without(card.anchors, place)), f"removed {card.anchors[place].text[:60]!r}"


def _add_now(card: Card, args: arguments.AddNow, context: EditContext) -> Result:
    text, refs = _line(args.text, LINE_LIMIT, "the line"), context.cited(args.refs)
    _new(text, card.now)
    check_statement(text, refs, context)
    since = calendar_day(args.since, what="since") if args.since else context.said_on(refs[0]) or context.today
    _room(card.now, NOW_CAP, "Now", "remove a line that is over, or promote one that lasts")
    now = (Entry(text=text, refs=refs, since=since), *card.now)
    return replace(card, now=now), f"Now {len(now)}/{NOW_CAP}, since {since}"


def _remove_now(card: Card, args: arguments.Match, _context: EditContext) -> Result:
    place = _match(args.match, card.now, "Now")
    return replace(card, now=_without(card.now, place)), f"removed {card.now[place].text[:60]!r}"


def _promote_now(card: Card, args: arguments.Match, _context: EditContext) -> Result:
    """Move a line as it is: a move is no new writing, so its length is not looked at again."""
    place = _match(args.match, card.now, "Now")
    entry = card.now[place]
    _new(entry.text, card.anchors)
    _room(card.anchors, ANCHOR_CAP, "Past", _ANCHOR_ADVICE)
    anchors = (*card.anchors, replace(entry, since=None))
    return replace(card, now=_without(card.now, place), anchors=anchors), f"anchor {len(anchors)}/{ANCHOR_CAP}"


def _add_horizon(card: Card, args: arguments.AddHorizon, context: EditContext) -> Result:
    text, refs = _line(args.text, HORIZON_LIMIT, "the line"), context.cited(args.refs)
    _new(text, card.horizon)
    check_statement(text, refs, context)
    by = calendar_day(args.by, what="by")
    _room(card.horizon, context.horizon_cap, "Horizon", "resolve what is done, or merge two that belong together")
    horizon = (*card.horizon, Entry(text=text, refs=refs, by=by))
    return replace(card, horizon=horizon), f"Horizon {len(horizon)}, due {by}"


def _resolve_horizon(card: Card, args: arguments.ResolveHorizon, context: EditContext) -> Result:
    place = _match(args.match, card.horizon, "Horizon")
    context.cited(args.refs)
    done = f"resolved {card.horizon[place].text[:60]!r}"
    told = f": {args.note}" if args.note else ". Nobody noted how it ended: put the outcome on the card if it matters"
    return replace(card, horizon=_without(card.horizon, place)), done + told


def _reschedule_horizon(card: Card, args: arguments.RescheduleHorizon, context: EditContext) -> Result:
    place, entry = (found := _match(args.match, card.horizon, "Horizon")), card.horizon[found]
    refs, by = context.cited(args.refs), calendar_day(args.by, what="by")
    if by == entry.by:
        raise Rejected(Refusal.UNCHANGED, f"it is due on {by} already")
    moved = replace(entry, by=by, refs=_merged(entry.refs, refs))
    return replace(card, horizon=(*card.horizon[:place], moved, *card.horizon[place + 1 :])), f"due {by}"


def _add_lesson(card: Card, args: arguments.AddSelfModel, context: EditContext) -> Result:
    lessons = card.self_model(context.agent)
    text, refs = _line(args.text, LINE_LIMIT, "the lesson"), context.cited(args.refs)
    _new(text, lessons)
    check_lesson(text, refs, context.cited(args.overrides) if args.overrides else (), context)
    _room(lessons, SELF_MODEL_CAP, "Self-model", "remove one that no longer holds: it lists what differs, no archive")
    lessons = (*lessons, Entry(text=text, refs=refs))
    return card.with_self_model(context.agent, lessons), f"Self-model {len(lessons)}/{SELF_MODEL_CAP}"


def _remove_lesson(card: Card, args: arguments.Match, context: EditContext) -> Result:
    lessons = card.self_model(context.agent)
    place = _match(args.match, lessons, "Self-model")
    return card.with_self_model(context.agent, _without(lessons, place)), f"removed {lessons[place].text[:60]!r}"


def _merged(old: tuple[Ref, ...], new: tuple[Ref, ...]) -> tuple[Ref, ...]:
    return tuple(dict.fromkeys((*old, *new)))


CARD_EDITS: dict[str, Edit[Any]] = {
    edit.name: edit
    for edit in (
        Edit(name="set_identity", arguments=arguments.SetIdentity, run=_set_identity),
        Edit(name="update_past_profile", arguments=arguments.UpdatePastProfile, run=_update_profile),
        Edit(name="add_past_anchor", arguments=arguments.AddPastAnchor, run=_add_anchor),
        Edit(name="remove_past_anchor", arguments=arguments.RemovePastAnchor, run=_remove_anchor),
        Edit(name="add_now", arguments=arguments.AddNow, run=_add_now),
        Edit(name="remove_now", arguments=arguments.RemoveNow, run=_remove_now),
        Edit(name="promote_now_to_past", arguments=arguments.PromoteNowToPast, run=_promote_now),
        Edit(name="add_horizon", arguments=arguments.AddHorizon, run=_add_horizon),
        Edit(name="resolve_horizon", arguments=arguments.ResolveHorizon, run=_resolve_horizon),
        Edit(name="reschedule_horizon", arguments=arguments.RescheduleHorizon, run=_reschedule_horizon),
        Edit(name="add_self_model", arguments=arguments.AddSelfModel, run=_add_lesson),
        Edit(name="remove_self_model", arguments=arguments.RemoveSelfModel, run=_remove_lesson),
    )
}
