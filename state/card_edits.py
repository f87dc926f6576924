"""The edits of the user card: small, checked, each on a copy. No other code changes a card."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic import ValidationError

from previously.state import card_arguments as arguments
from previously.state import card_operations as operations
from previously.state.card_model import CARD_LIMIT, Card, render_card
from previously.state.edit import Brake, EditContext, Json, Refusal, Rejected, near_duplicate

__all__ = ["CARD_EDITS", "Applied", "Edit", "EditContext", "apply_edit", "replay", "shrink_guard"]

A = TypeVar("A", bound=arguments.Arguments)


@dataclass(frozen=True, kw_only=True)
class Edit(Generic[A]):
    """One kind of edit, as a tool: what a model is told, what it must give, what it does."""

    name: str
    arguments: type[A]
    run: Callable[[Card, A, EditContext], operations.Result]

    @property
    def description(self) -> str:
        """What a model is told of it."""
        return self.arguments.__doc__ or ""


@dataclass(frozen=True, kw_only=True)
class Applied:
    """What became of one call."""

    card: Card
    message: str
    """For the model: begins with `OK — ` or `REJECTED: `."""
    op: Json | None = None
    """The edit as it can be replayed, `{"tool", "args"}` with canonical refs; `None` when it was refused."""
    refusal: Refusal | None = None


def apply_edit(card: Card, name: str, args: Any, context: EditContext, brake: dict[str, int]) -> Applied:
    """Apply one call of a model to a card. Never raises for anything that a model may send.

    `brake` holds the counts of a `Brake`: one dict for each run, changed in place.
    """
    raw = args if isinstance(args, dict) else {}
    try:
        edit = _edit(name)
        given = _validated(edit, args)
        changed, done = edit.run(card, given, context)
        _check_whole(card, changed, context)
    except Rejected as refusal:
        return Applied(card=card, message=Brake(brake).refuse(name, raw, refusal), refusal=refusal.kind)
    return Applied(card=changed, message=f"OK — {done}", op={"tool": name, "args": _canonical(given, context)})


def _edit(name: str) -> Edit[Any]:
    if name not in CARD_EDITS:
        raise Rejected(Refusal.ARGUMENTS, f"there is no tool {name[:60]!r}: use one of {', '.join(CARD_EDITS)}")
    return CARD_EDITS[name]


def replay(card: Card, ops: Iterable[Json], context: EditContext) -> tuple[Card, list[Json]]:
    """Return a card with recorded edits applied again, and those of them that still fit."""
    kept: list[Json] = []
    for op in ops:
        applied = apply_edit(card, op["tool"], op.get("args"), context, {})
        card = applied.card
        if applied.op:
            kept.append(applied.op)
    return card, kept


def shrink_guard(before: Card, after: Card, agent: str) -> str | None:
    """Return why a run took away too much to be installed unseen, `None` when it did not.

    Counted are the lines that an agent sees, and the characters of those and of the profile. A line that moved, was
    reworded or went into the profile is not lost; nor is one of Horizon, which has its own way out. Losing more than
    half of the lines or of the characters is too much, as is a profile cut to less than half; a card of fewer than four
    lines, or a profile of fewer than 200 characters, is still being found and may change freely.
    """
    old, new = _statements(before, agent), _statements(after, agent)
    kept = [*new, *(entry.text for entry in after.horizon)]
    lost = [
        text for text in old if text not in after.profile and not any(near_duplicate(text, other) for other in kept)
    ]
    if len(old) >= _SMALL_CARD and len(lost) * 2 > len(old):
        return f"{len(lost)} of {len(old)} lines would be lost in one run: that needs a review"
    shorter = max(0, len(before.profile) - len(after.profile))
    size, gone = sum(map(len, old)) + len(before.profile), sum(map(len, lost)) + shorter
    if len(old) >= _SMALL_CARD and gone * 2 > size:
        return f"{gone} of {size} characters would be lost in one run: that needs a review"
    if len(before.profile) >= _SMALL_PROFILE and shorter * 2 > len(before.profile):
        return f"the profile would shrink from {len(before.profile)} to {len(after.profile)} characters: needs a review"
    return None


_SMALL_CARD = 4
_SMALL_PROFILE = 200


def _statements(card: Card, agent: str) -> list[str]:
    lines = [entry.text for entry in (*card.anchors, *card.now, *card.self_model(agent))]
    return [*lines, *(value for _, value in card.identity)]


def _validated(edit: Edit[A], args: Any) -> A:
    try:
        return edit.arguments.model_validate(args)
    except ValidationError as error:
        faults = [f"{'.'.join(map(str, fault['loc'])) or 'arguments'}: {fault['msg']}" for fault in error.errors()]
        names = ", ".join(edit.arguments.model_fields)
        raise Rejected(
            Refusal.ARGUMENTS, f"{'; '.join(faults[:5])}. The arguments of {edit.name} are {names}"
        ) from None


def _canonical(given: arguments.Arguments, context: EditContext) -> Json:
    """Return the arguments as they can be applied again, without the handles of this run."""
    args = given.model_dump(mode="json", exclude_none=True)
    cited = {name: [str(ref) for ref in context.cited(args[name])] for name in ("refs", "overrides") if args.get(name)}
    return args | cited


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


CARD_EDITS: dict[str, Edit[Any]] = {
    edit.name: edit
    for edit in (
        Edit(name="set_identity", arguments=arguments.SetIdentity, run=operations.set_identity),
        Edit(name="update_past_profile", arguments=arguments.UpdatePastProfile, run=operations.update_profile),
        Edit(name="add_past_anchor", arguments=arguments.AddPastAnchor, run=operations.add_anchor),
        Edit(name="remove_past_anchor", arguments=arguments.RemovePastAnchor, run=operations.remove_anchor),
        Edit(name="add_now", arguments=arguments.AddNow, run=operations.add_now),
        Edit(name="remove_now", arguments=arguments.RemoveNow, run=operations.remove_now),
        Edit(name="promote_now_to_past", arguments=arguments.PromoteNowToPast, run=operations.promote_now),
        Edit(name="add_horizon", arguments=arguments.AddHorizon, run=operations.add_horizon),
        Edit(name="resolve_horizon", arguments=arguments.ResolveHorizon, run=operations.resolve_horizon),
        Edit(name="reschedule_horizon", arguments=arguments.RescheduleHorizon, run=operations.reschedule_horizon),
        Edit(name="add_self_model", arguments=arguments.AddSelfModel, run=operations.add_lesson),
        Edit(name="remove_self_model", arguments=arguments.RemoveSelfModel, run=operations.remove_lesson),
    )
}
