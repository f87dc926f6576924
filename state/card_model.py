"""The user card as a value: its sections, its limits, what makes it valid, and how it is written down."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime

from previously.state.context import DEFAULT_AGENT
from previously.state.ref import Ref, refs_tail

STAMP = "Format: user card v2"
TITLE = "# Previously On"
LABELS = {"name": "Name", "address_as": "Address them as", "pronouns": "Pronouns", "alias": "Alias"}
SELF_MODEL = "Self-model"
UNREAD = "Unrecognised"
"""Heading of what somebody wrote into the file and no section can hold; kept until it is sorted in or removed."""

CARD_LIMIT = 8_192
"""Characters of the card as one agent sees it."""
IDENTITY_CAP, ANCHOR_CAP, NOW_CAP, SELF_MODEL_CAP = 8, 8, 5, 10
IDENTITY_LIMIT, PROFILE_LIMIT, LINE_LIMIT, HORIZON_LIMIT = 300, 2_400, 300, 200
"""Characters of an identity value, the profile, a line of Past, Now or Self-model, one of Horizon; without tails."""

BY_TAIL, SINCE_TAIL = " — by: ", " | since: "
_MARKER = re.compile(r"—\s*(?:refs|by):|\|\s*since:|<!--|-->")
NO_PARAGRAPH = re.compile(r"[-*+•]\s|[#>_]|<!--")
"""How a line begins that the profile can't hold."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """One line of a section, with what it rests on."""

    text: str
    refs: tuple[Ref, ...] = ()
    since: date | None = None
    """Now: the local day from which it holds; `None` when a person wrote the line without one."""
    by: date | None = None
    """Horizon: the local day it is due; `None` only in a line that a person wrote."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Card:
    """The card. Values only: edits return a new one."""

    slice_id: str = ""
    updated: datetime | None = None
    """Aware; written down in whole seconds of UTC."""
    identity: tuple[tuple[str, str], ...] = ()
    """Label and value, in the order of the file."""
    profile: str = ""
    """One paragraph; line breaks as a person wrapped it."""
    anchors: tuple[Entry, ...] = ()
    now: tuple[Entry, ...] = ()
    horizon: tuple[Entry, ...] = ()
    self_models: Mapping[str, tuple[Entry, ...]] = field(default_factory=dict)
    """Agent → its operating lessons; what belongs to an agent is never another's."""
    unread: tuple[str, ...] = ()
    """Lines of a hand-edited file that fit nowhere."""

    def substance(self) -> Card:
        """Return the card without its header: two cards with equal substance say the same."""
        filled = {agent: lines for agent, lines in self.self_models.items() if lines}
        return replace(self, slice_id="", updated=None, self_models=filled)

    def self_model(self, agent: str) -> tuple[Entry, ...]:
        """Return the lessons of one agent."""
        return self.self_models.get(agent, ())

    def with_self_model(self, agent: str, lines: Iterable[Entry]) -> Card:
        """Return the card with other lessons for one agent."""
        others = {name: kept for name, kept in self.self_models.items() if name != agent}
        mine = tuple(lines)
        return replace(self, self_models={**others, agent: mine} if mine else others)

    def entries(self, agent: str) -> tuple[Entry, ...]:
        """Return every line with refs that an agent sees."""
        return (*self.anchors, *self.now, *self.horizon, *self.self_model(agent))

    def problems(self, agent: str = DEFAULT_AGENT) -> list[str]:
        """Return what makes this no valid card for `agent`, one sentence each.

        How many lines Horizon may have is a setting and not looked at here.
        """
        found = [
            f"{name} has {count} entries, at most {cap}"
            for name, count, cap in (
                ("Identity", len(self.identity), IDENTITY_CAP),
                ("Past", len(self.anchors), ANCHOR_CAP),
                ("Now", len(self.now), NOW_CAP),
                (SELF_MODEL, len(self.self_model(agent)), SELF_MODEL_CAP),
            )
            if count > cap
        ]
        found += _text_problems(self, agent)
        if (size := len(render_card(self, agent))) > CARD_LIMIT:
            found.append(f"the card has {size} characters, at most {CARD_LIMIT}")
        found += [f"no refs: {entry.text[:60]}" for entry in self.entries(agent) if not entry.refs]
        found += [f"no due date: {entry.text[:60]}" for entry in self.horizon if entry.by is None]
        found += [f"no start date: {entry.text[:60]}" for entry in self.now if entry.since is None]
        return found + [f"not understood: {line[:60]}" for line in self.unread]


def breaks_format(text: str, *, paragraph: bool = False) -> str | None:
    """Return why a text can't stand in a line of the card (or as its profile), `None` when it can."""
    if "\n" in text or "\r" in text:
        return "it must be one line"
    if text.strip() != text or not text:
        return "it must not be empty, nor begin or end with white space"
    if found := _MARKER.search(text):
        return f"it contains {found[0]!r}, which the card's own format uses"
    if paragraph and NO_PARAGRAPH.match(text):
        return f"a paragraph must not begin with {text[0]!r}"
    return None


def _text_problems(card: Card, agent: str) -> Iterator[str]:
    lines = [(entry.text, LINE_LIMIT) for entry in (*card.anchors, *card.now, *card.self_model(agent))]
    lines += [(entry.text, HORIZON_LIMIT) for entry in card.horizon]
    lines += [(value, IDENTITY_LIMIT) for _, value in card.identity]
    for text, limit in lines:
        if len(text) > limit:
            yield f"{len(text)} characters, at most {limit}: {text[:60]}"
        if fault := breaks_format(text):
            yield f"{fault}: {text[:60]}"
    if len(card.profile) > PROFILE_LIMIT:
        yield f"the profile has {len(card.profile)} characters, at most {PROFILE_LIMIT}"
    for line in card.profile.split("\n") if card.profile else []:
        if fault := breaks_format(line, paragraph=True):
            yield f"{fault}: {line[:60]}"
    for label, _ in card.identity:
        if breaks_format(label) or ":" in label or "：" in label:
            yield f"{label[:60]!r} can't be a label of Identity"


def render_card(card: Card, agent: str | None = None) -> str:
    """Return the text of a card: the whole document, or with `agent` the card as that agent sees it."""
    blocks = [TITLE, _header(card)]
    blocks += _section("Identity", [f"- {label}: {value}" for label, value in card.identity])
    anchors = "\n".join(f"- {entry.text}{refs_tail(entry.refs)}" for entry in card.anchors)
    past = "\n\n".join(part for part in (card.profile, anchors) if part)
    blocks += _section("Past", [past] if past else [])
    blocks += _section("Now", [f"- {entry.text}{refs_tail(entry.refs)}{_since_tail(entry)}" for entry in card.now])
    blocks += _section("Horizon", [f"- {entry.text}{_by_tail(entry)}{refs_tail(entry.refs)}" for entry in card.horizon])
    for owner in sorted(card.self_models, key=lambda name: (name != DEFAULT_AGENT, name)):
        if agent is None or owner == agent:
            heading = SELF_MODEL if agent is not None else agent_heading(owner)
            blocks += _section(heading, [f"- {entry.text}{refs_tail(entry.refs)}" for entry in card.self_models[owner]])
    if agent is None:
        blocks += _section(UNREAD, [f"> {line}" for line in card.unread])
    return "\n\n".join(blocks) + "\n"


def agent_heading(agent: str) -> str:
    """Return the heading of an agent's Self-model; a name with control characters is written with JSON's escapes."""
    return SELF_MODEL if agent == DEFAULT_AGENT else f"{SELF_MODEL} — {json.dumps(agent, ensure_ascii=False)[1:-1]}"


def _header(card: Card) -> str:
    updated = (card.updated or datetime.fromtimestamp(0, UTC)).astimezone(UTC)
    return f"_Active slice: {card.slice_id} | {STAMP} | Updated: {updated:%Y-%m-%dT%H:%M:%SZ}_"


def _section(heading: str, lines: list[str]) -> list[str]:
    return [f"## {heading}", "\n".join(lines)] if lines else []


def _since_tail(entry: Entry) -> str:
    return f"{SINCE_TAIL}{entry.since.isoformat()}" if entry.since else ""


def _by_tail(entry: Entry) -> str:
    return f"{BY_TAIL}{entry.by.isoformat()}" if entry.by else ""
