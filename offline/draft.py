"""What the user's statements make of a card: the edits, collected before any is asked for."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from typing import Any, NamedTuple

from previously.offline.card_view import CardView
from previously.offline.evidence import Cited
from previously.offline.matching import MOST, covers, same, uniquely_covered
from previously.offline.statement import Kind
from previously.offline.wording import lasting_dates, plan_text, quoted, sentence, shorten, third_person
from previously.offline.words import is_chinese
from previously.state.card_model import HORIZON_LIMIT, LINE_LIMIT, PROFILE_LIMIT

_ALIKE = 0.75


class Call(NamedTuple):
    """A tool call to be made."""

    name: str
    args: dict[str, Any]


@dataclass(slots=True)
class _Plan:
    text: str
    by: date
    refs: list[str]


@dataclass(slots=True)
class Draft:
    """Edits of one run. Statements are taken in the order in which they were made; later ones correct earlier ones."""

    view: CardView
    name: str
    """What the user is called in sentences about them."""
    identity: dict[str, tuple[str, str]] = field(default_factory=dict)
    profile_refs: list[str] = field(default_factory=list)
    anchors: list[tuple[str, str]] = field(default_factory=list)
    now: list[tuple[str, date, str]] = field(default_factory=list)
    plans: list[_Plan] = field(default_factory=list)
    rules: list[tuple[str, str]] = field(default_factory=list)
    changes: list[Call] = field(default_factory=list)
    """Edits of what the card holds already."""

    def take(self, item: Cited) -> None:
        """Add what a statement means for the card."""
        takers = {
            Kind.RULE: self._rule,
            Kind.REVOKE: self._revoke,
            Kind.FORGET: self._forget,
            Kind.PLAN: self._plan,
            Kind.MOVED: self._moved,
            Kind.DONE: self._done,
            Kind.NOW: self._now,
            Kind.EVENT: self._anchor,
            Kind.FACT: self._fact,
        }
        if item.statement.kind in {Kind.NAME, Kind.ADDRESS, Kind.ALIAS, Kind.PRONOUNS}:
            self.identity[item.statement.kind.value] = (item.statement.value, item.handle)
        elif taker := takers.get(item.statement.kind):
            taker(item)

    def calls(self) -> list[Call]:
        """Return the calls that make these edits, removals first so that there is room."""
        identity = [
            Call("set_identity", {"field": name, "value": value, "refs": [ref]})
            for name, (value, ref) in self.identity.items()
            if self.view.identity.get(name) != value
        ]
        refs = list(dict.fromkeys(self.profile_refs))
        profile = [Call("update_past_profile", {"text": self.view.profile, "refs": refs})] if refs else []
        return [
            *identity,
            *self.changes,
            *profile,
            *(Call("add_past_anchor", {"text": text, "refs": [ref]}) for text, ref in self.anchors),
            *(Call("add_now", {"text": text, "refs": [ref], "since": day.isoformat()}) for text, day, ref in self.now),
            *(Call("add_horizon", {"text": p.text, "by": p.by.isoformat(), "refs": p.refs}) for p in self.plans),
            *(Call("add_self_model", {"text": text, "refs": [ref]}) for text, ref in self.rules),
        ]

    def _rule(self, item: Cited) -> None:
        text = shorten(item.statement.said, LINE_LIMIT)
        if not any(self._same(text, known) for known in [*self.view.rules, *(rule for rule, _ in self.rules)]):
            self.rules.append((text, item.handle))

    def _revoke(self, item: Cited) -> None:
        self.rules = [rule for rule in self.rules if covers(item.statement.value, rule[0]) <= MOST]
        if match := uniquely_covered(item.statement.value, self.view.rules):
            self._drop(self.view.rules, match, "remove_self_model")

    def _forget(self, item: Cited) -> None:
        """Remove the one line that is meant; when more than one could be, none."""
        view = self.view
        places = ((view.anchors, "remove_past_anchor"), (view.now, "remove_now"), (view.rules, "remove_self_model"))
        match = uniquely_covered(item.statement.value, [text for entries, _ in places for text in entries])
        for entries, tool in places:
            if match in entries:
                self._drop(entries, match, tool)
                return

    def _drop(self, entries: list[str], match: str, tool: str) -> None:
        entries.remove(match)
        self.changes.append(Call(tool, {"match": match}))

    def _plan(self, item: Cited) -> None:
        statement = item.statement
        if statement.by is None:
            return
        text = shorten(plan_text(statement.said, item.said_on, self.name), HORIZON_LIMIT)
        if self._move(text, statement.by, item.handle, least=_ALIKE):
            return
        self.plans.append(_Plan(text, statement.by, [item.handle]))

    def _move(self, text: str, by: date, handle: str, *, least: float = MOST) -> bool:
        """Give a plan that is known already its new date; return whether there was one."""
        for plan in self.plans:
            if covers(text, plan.text, without=self.name) > least:
                plan.by, plan.refs = by, [*plan.refs, *([] if handle in plan.refs else [handle])]
                return True
        match = uniquely_covered(text, self.view.horizon, without=self.name, least=least)
        if match and self.view.horizon[match] != by.isoformat():
            self.view.horizon[match] = by.isoformat()
            args = {"match": match, "by": by.isoformat(), "refs": [handle]}
            self.changes = [call for call in self.changes if call.args.get("match") != match]
            self.changes.append(Call("reschedule_horizon", args))
        return match is not None

    def _moved(self, item: Cited) -> None:
        statement = item.statement
        if statement.by is None or self._move(statement.value, statement.by, item.handle):
            return
        if statement.value.lower().startswith(("my ", "我的")):
            text = shorten(third_person(statement.value.strip(), self.name), HORIZON_LIMIT)
            self.plans.append(_Plan(text, statement.by, [item.handle]))

    def _done(self, item: Cited) -> None:
        value = item.statement.value
        self.plans = [plan for plan in self.plans if covers(value, plan.text, without=self.name) <= MOST]
        if match := uniquely_covered(value, self.view.horizon, without=self.name):
            del self.view.horizon[match]
            args = {"match": match, "note": shorten(item.statement.quote, HORIZON_LIMIT), "refs": [item.handle]}
            self.changes = [call for call in self.changes if call.args.get("match") != match]
            self.changes.append(Call("resolve_horizon", args))
        elif match := uniquely_covered(value, self.view.now, without=self.name):
            self._drop(self.view.now, match, "remove_now")

    def _now(self, item: Cited) -> None:
        text = self._sentence(item)
        known = [*self.view.now, *(line for line, _, _ in self.now)]
        if not any(self._same(text, line) or covers(text, line, without=self.name) > _ALIKE for line in known):
            self.now.append((text, item.said_on, item.handle))

    def _anchor(self, item: Cited) -> None:
        text = self._sentence(item)
        known = [*self.view.anchors, *(line for line, _ in self.anchors), *_split(self.view.profile)]
        if not any(self._same(text, line) for line in known):
            self.anchors.append((text, item.handle))

    def _fact(self, item: Cited) -> None:
        """Add a fact to the profile, in place of what it supersedes; what the user asked to remember is an anchor."""
        if item.statement.asked and not item.statement.slot:
            self._anchor(item)
            return
        text, slot = self._sentence(item), item.statement.slot
        lines = _split(self.view.profile)
        if any(self._same(text, line) for line in [*lines, *self.view.anchors]):
            return
        known = [line for line in lines if not (slot and slot in line)]
        profile = ("" if is_chinese(text) else " ").join([*(sentence(line) for line in known), sentence(text)])
        if len(profile) > PROFILE_LIMIT:
            self._anchor(item)
        elif profile != self.view.profile:
            self.view.profile = profile
            self.profile_refs.append(item.handle)

    def _same(self, one: str, other: str) -> bool:
        """Whether two lines say the same, also when one was written before the user's name was known."""
        return same(one, other, without=self.name)

    def _sentence(self, item: Cited) -> str:
        said = item.statement.said
        dated = lasting_dates(said, item.said_on)
        text = third_person(dated, self.name)
        altered = "“" in text and dated != said
        return shorten(quoted(said, self.name) if altered else text, LINE_LIMIT)


def _split(profile: str) -> list[str]:
    """Return the sentences of a profile, without their full stops."""
    closed = profile.replace("。", "。\n").replace(". ", ".\n")
    return [line.strip().rstrip(".。") for line in closed.split("\n") if line.strip(" .。")]
