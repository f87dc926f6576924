"""The edits of the user card: small, checked, each on a copy. No other code changes a card."""

from __future__ import annotations

from previously.state import card_arguments as arguments
from previously.state import card_operations as operations
from previously.state.card_model import CARD_LIMIT, Card, render_card
from previously.state.edit import EditContext, Refusal, Rejected, near_duplicate
from previously.state.staging import Edit, Edits


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


CARD_EDITS = Edits(
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
    check=_check_whole,
)
