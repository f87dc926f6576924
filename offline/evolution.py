"""Answers the prompts of an evolution run by rules: complaints of one kind, counted over the ledger."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from previously.offline.complaints import TOPICS, Topic, topic_of
from previously.offline.words import is_chinese
from previously.prompts.evolution import Evolution, Playbooks
from previously.prompts.frame import unframe
from previously.state.playbook import PLAYBOOK_LIMIT

Row = Mapping[str, Any]
_OFTEN = 3
"""Complaints of one kind from which on it is no accident, also in one slice."""
_DIMENSION = "Communication preferences"


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
        return len(self.refs) >= _OFTEN or self.slices > 1


def evolve(prompt: str) -> dict[str, Any]:
    """Return the verdict on the evidence framed in `prompt`, as the JSON of an `Evolution`."""
    findings = [found for found in _findings(prompt) if found.serious]
    lines = [str(row.get("line", "")) for row in unframe(prompt, "direction")]
    steady = "<mode>steady</mode>" in prompt
    operations = [call for found in findings for call in _operations(found, lines, steady=steady)]
    briefs = unframe(prompt, "playbooks")
    card = "\n".join(str(row.get("line", "")) for row in unframe(prompt, "card"))
    unlearned = [found for found in findings if not _has(found.topic, card, "lesson")]
    answer = {
        "reasoning": f"Rules found {len(findings)} kinds of repeated complaints; edits proposed: {len(operations)}.",
        "operations": operations,
        "card": bool(unlearned),
        "playbooks": [str(row["colleague"]) for row in briefs if _lacking(str(row.get("text")), findings)],
        "summary": _summary(findings) if operations or unlearned else "",
    }
    return Evolution.model_validate(answer).model_dump(mode="json")


def brief_colleagues(prompt: str) -> dict[str, Any]:
    """Return the playbooks for the colleagues framed in `prompt`, as the JSON of `Playbooks`."""
    findings = [found for found in _findings(prompt) if found.serious]
    drafts: list[dict[str, Any]] = []
    for row in unframe(prompt, "playbooks"):
        text = str(row.get("text") or "")
        if lacking := _lacking(text, findings):
            added = [found.topic.wording(chinese=found.chinese).playbook for found in lacking]
            content = "\n".join(filter(None, [text, *added]))
            refs = list(dict.fromkeys(ref for found in lacking for ref in found.refs))
            drafts += [{"colleague": row.get("colleague"), "content": content, "refs": refs}]
    fitting = [draft for draft in drafts if len(draft["content"]) <= PLAYBOOK_LIMIT]
    answer = {"reasoning": "One sentence for each kind of complaint.", "playbooks": fitting}
    return Playbooks.model_validate(answer).model_dump(mode="json")


def _findings(prompt: str) -> Iterator[_Finding]:
    """Yield the kinds of complaints in the ledger, with the turns that made them."""
    turns = {str(row.get("id")): row for row in unframe(prompt, "turns")}
    scored = [row for row in unframe(prompt, "ledger") if int(row.get("delta") or 0) < 0]
    for topic in TOPICS.values():
        rows = [row for row in scored if topic_of(str(row.get("evidence", ""))) is topic]
        refs = tuple(dict.fromkeys(str(row.get("turn", "")) for row in rows))
        if refs:
            places = {str(turns[ref]["ref"] if ref in turns else ref).partition("#")[0] for ref in refs}
            yield _Finding(topic, refs, len(places), is_chinese(" ".join(str(row["evidence"]) for row in rows)))


def _operations(found: _Finding, lines: Sequence[str], *, steady: bool) -> Iterator[dict[str, Any]]:
    """Yield what the direction lacks of a finding: an entry where the evidence is enough, else a guess."""
    known, words = "\n".join(lines), found.topic.wording(chinese=found.chinese)
    if found.topic.known_to(known):
        return
    guessed = [text for text in (found.topic.english.guess, found.topic.chinese.guess) if text in known]
    entry = {"dimension": _DIMENSION, "text": words.portrait, "refs": list(found.refs)}
    if steady and found.slices < 2:  # noqa: PLR2004 - the bar of a steady direction
        if not guessed:
            yield {"op": "add_hypothesis", "text": words.guess, "falsify": words.falsify}
    elif guessed:
        yield {"op": "promote_hypothesis", "match": guessed[0], **entry}
    else:
        yield {"op": "add_portrait_entry", **entry}


def _lacking(text: str, findings: Sequence[_Finding]) -> list[_Finding]:
    return [found for found in findings if not _has(found.topic, text, "playbook")]


def _has(topic: Topic, text: str, part: str) -> bool:
    return any(getattr(words, part).rstrip(".。") in text for words in (topic.english, topic.chinese))


def _summary(findings: Sequence[_Finding]) -> str:
    return " ".join(found.topic.wording(chinese=found.chinese).lesson for found in findings)
