"""Answers the prompts of an evolution run by rules: complaints of one kind, counted over the ledger."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from previously.offline.complaints import TOPICS, Topic, topic_of
from previously.offline.direction_view import DirectionView, read_direction
from previously.offline.passages import sentences
from previously.offline.words import is_chinese
from previously.prompts.evolution import Evolution, Playbooks
from previously.prompts.frame import unframe
from previously.state.direction import HYPOTHESIS_CAP
from previously.state.playbook import PLAYBOOK_LIMIT

Row = Mapping[str, Any]
_OFTEN = 3
"""Complaints of one kind from which on it is no accident, also in one slice."""
_OPENING = 2
"""Sentences of a turn in which it judges the reply before."""
_SLICES = 2
"""Slices that an entry of a steady direction rests on."""
_DIMENSION = "Communication preferences"
_STEADY = re.compile(r"<mode>\s*steady\s*</mode>")


@dataclass(frozen=True, slots=True)
class _Finding:
    """Complaints of one kind."""

    topic: Topic
    refs: tuple[str, ...]
    """Handles of the turns, or refs."""
    slices: int
    chinese: bool

    @property
    def serious(self) -> bool:
        return len(self.refs) >= _OFTEN or self.slices >= _SLICES


def evolve(prompt: str) -> dict[str, Any]:
    """Return the verdict on the evidence framed in `prompt`, as the JSON of an `Evolution`.

    A kind of complaint that recurs changes every document that lacks its conclusion; any other is a guess at most.
    """
    findings = list(_findings(prompt))
    serious = [found for found in findings if found.serious]
    view = read_direction(str(row.get("line", "")) for row in unframe(prompt, "direction"))
    operations = list(_operations(findings, view, steady=bool(_STEADY.search(prompt))))
    card = "\n".join(str(row.get("line", "")) for row in unframe(prompt, "card"))
    unlearned = [found for found in serious if not found.topic.has("lesson", card)]
    briefs = [row for row in unframe(prompt, "playbooks") if _lacking(row, serious)]
    answer = {
        "reasoning": f"Rules found {len(findings)} kinds of complaints, {len(serious)} of them repeated; "
        f"edits proposed: {len(operations)}.",
        "operations": operations,
        "card": bool(unlearned),
        "playbooks": [str(row.get("colleague")) for row in briefs],
        "summary": _summary(findings, operations, serious if unlearned or briefs else []),
    }
    return Evolution.model_validate(answer).model_dump(mode="json")


def brief_colleagues(prompt: str) -> dict[str, Any]:
    """Return the playbooks for the colleagues framed in `prompt`, as the JSON of `Playbooks`."""
    serious = [found for found in _findings(prompt) if found.serious]
    drafts: list[dict[str, Any]] = []
    for row in unframe(prompt, "playbooks"):
        content, refs = str(row.get("text") or ""), list[str]()
        for found in _lacking(row, serious):
            longer = "\n".join(filter(None, [content, found.topic.wording(chinese=found.chinese).playbook]))
            if len(longer) <= PLAYBOOK_LIMIT:
                content, refs = longer, [*refs, *found.refs]
        if refs:
            drafts.append({"colleague": row["colleague"], "content": content, "refs": list(dict.fromkeys(refs))})
    answer = {"reasoning": "One sentence for each kind of repeated complaint.", "playbooks": drafts}
    return Playbooks.model_validate(answer).model_dump(mode="json")


def _findings(prompt: str) -> Iterator[_Finding]:
    """Yield the kinds of complaints in the ledger, with the turns that made them."""
    turns = {str(row.get(key)): row for row in unframe(prompt, "turns") for key in ("ref", "id")}
    scored = [row for row in unframe(prompt, "ledger") if _below_zero(row) and row.get("turn")]
    topics = [_topic(row, turns.get(str(row["turn"]), {})) for row in scored]
    for topic in TOPICS.values():
        rows = [row for row, found in zip(scored, topics, strict=True) if found is topic]
        cited = {str(row["turn"]): turns.get(str(row["turn"]), {}) for row in rows}
        if cited:
            refs = {ref: str(turn.get("ref") or ref) for ref, turn in cited.items()}
            once = {full: ref for ref, full in refs.items()}
            places = {full.partition("#")[0] for full in once}
            said = " ".join(str(row.get("evidence") or "") for row in rows)
            yield _Finding(topic, tuple(once.values()), len(places), is_chinese(said))


def _topic(row: Row, turn: Row) -> Topic | None:
    """Return what a score is about: by its evidence, else (where that is no quotation) by how its turn opens."""
    if found := topic_of(str(row.get("evidence") or "")):
        return found
    opening = sentences(str(turn.get("text") or ""))[:_OPENING]
    return next(filter(None, (topic_of(sentence.masked) for sentence in opening)), None)


def _below_zero(row: Row) -> bool:
    delta = row.get("delta")
    return isinstance(delta, int) and delta < 0


def _operations(findings: Sequence[_Finding], view: DirectionView, *, steady: bool) -> Iterator[dict[str, Any]]:
    """Yield what the direction lacks: an entry where the evidence is enough, else a guess while there is room."""
    room = HYPOTHESIS_CAP - len(view.hypotheses)
    for found in findings:
        if found.topic.known_to(view.portrait):
            continue
        words = found.topic.wording(chinese=found.chinese)
        guesses = (found.topic.english.guess, found.topic.chinese.guess)
        guessed = next((text for text in guesses if any(text in line for line in view.hypotheses)), None)
        entry = {"dimension": _DIMENSION, "text": words.portrait, "refs": list(found.refs)}
        if found.serious and guessed and (found.slices >= _SLICES or not steady):
            yield {"op": "promote_hypothesis", "match": guessed, **entry}
        elif found.serious and not guessed and (found.slices >= _SLICES or not steady):
            yield {"op": "add_portrait_entry", **entry}
        elif not guessed and room > 0:
            room -= 1
            yield {"op": "add_hypothesis", "text": words.guess, "falsify": words.falsify}


def _lacking(brief: Row, findings: Sequence[_Finding]) -> list[_Finding]:
    """Return the findings that a colleague's playbook should say and does not."""
    text, colleague = str(brief.get("text") or ""), brief.get("colleague")
    return [item for item in findings if colleague in item.topic.colleagues and not item.topic.has("playbook", text)]


def _summary(findings: Sequence[_Finding], operations: Sequence[Row], learned: Sequence[_Finding]) -> str:
    """Return what changes, for the user: the lessons, or that there is a guess. Empty when nothing does."""
    entries = {operation["text"] for operation in operations if operation["op"] != "add_hypothesis"}
    words = [(found, found.topic.wording(chinese=found.chinese)) for found in findings]
    if said := [text.lesson for found, text in words if found in learned or text.portrait in entries]:
        return ("" if is_chinese(said[0]) else " ").join(said)
    if not operations:
        return ""
    return "记下了一个有待验证的猜测。" if findings[0].chinese else "Noted a guess that is yet to be confirmed."
