"""Where each line of a card comes from: the refs that prove it, and the edit that wrote it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from previously.state.card import Card, parse_card
from previously.state.card_model import BY_TAIL, LABELS, SELF_MODEL, SINCE_TAIL, Entry
from previously.state.commit import Document
from previously.state.ref import Ref

Json = dict[str, Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class Evidence:
    """What one line of the card rests on."""

    section: str
    """Heading under which the line stands."""
    line: str
    """The line without its refs; the profile is one line."""
    refs: tuple[Ref, ...]
    """The line's own; for Identity and the profile, which carry none, those of the edits that wrote them."""
    edit: Json | None
    """`{"tool", "args"}` of the edit that gave the line its present form; `None` when a person did."""
    revision: int
    """Revision of the card in which the line got its present form."""


class _Statement(NamedTuple):
    section: str
    text: str
    entry: Entry | None = None


def trace(history: Sequence[Document], agent: str) -> tuple[Evidence, ...]:
    """Return the evidence of every line that `agent` sees in the last of a card's revisions, in the card's order.

    `history` holds all revisions up to the one that is looked at, oldest first.
    """
    written: dict[_Statement, Document] = {}
    profile: tuple[Ref, ...] = ()
    for document in history:
        statements = list(_statements(parse_card(document.text).card, agent))
        if any(item.section == "Past" and item.entry is None and item not in written for item in statements):
            profile = _profile_refs(document, profile)
        written = {item: written.get(item, document) for item in statements}
    return tuple(_evidence(item, document, profile) for item, document in written.items())


def _statements(card: Card, agent: str) -> Iterator[_Statement]:
    yield from (_Statement("Identity", f"{label}: {value}") for label, value in card.identity)
    if card.profile:
        yield _Statement("Past", card.profile)
    sections = {"Past": card.anchors, "Now": card.now, "Horizon": card.horizon, SELF_MODEL: card.self_model(agent)}
    for section, entries in sections.items():
        yield from (_Statement(section, entry.text, entry) for entry in entries)


def _profile_refs(document: Document, before: tuple[Ref, ...]) -> tuple[Ref, ...]:
    """Return the refs of a profile as it grew; one that a person wrote begins anew, without any."""
    new = [ref for edit in _edits(document) if edit["tool"] == "update_past_profile" for ref in _cited(edit)]
    return tuple(dict.fromkeys([*before, *new])) if new else ()


def _evidence(item: _Statement, document: Document, profile: tuple[Ref, ...]) -> Evidence:
    edit = next((edit for edit in reversed(_edits(document)) if _wrote(edit, item)), None)
    without_refs = profile if item.section == "Past" else _cited(edit)
    refs = item.entry.refs if item.entry else without_refs
    return Evidence(section=item.section, line=_line(item), refs=refs, edit=edit, revision=document.revision)


def _line(item: _Statement) -> str:
    entry = item.entry
    by = f"{BY_TAIL}{entry.by}" if entry and entry.by else ""
    since = f"{SINCE_TAIL}{entry.since}" if entry and entry.since else ""
    return f"{item.text}{by}{since}"


def _wrote(edit: Json, item: _Statement) -> bool:
    args = edit.get("args") or {}
    if item.section == "Identity":
        return f"{LABELS.get(args.get('field', ''), '')}: {str(args.get('value', '')).strip()}" == item.text
    if str(args.get("text", "")).strip() == item.text:
        return True
    moves = edit["tool"] in {"promote_now_to_past", "reschedule_horizon"}
    return moves and str(args.get("match") or "\n").strip().casefold() in item.text.casefold()


def _edits(document: Document) -> list[Json]:
    return [edit for edit in document.meta.get("edits") or [] if isinstance(edit, dict) and "tool" in edit]


def _cited(edit: Json | None) -> tuple[Ref, ...]:
    return tuple(Ref.parse(ref) for ref in ((edit or {}).get("args") or {}).get("refs") or ())
