"""Asking a person about what is staged, until the answer can be used."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from langgraph.types import interrupt

Json = dict[str, Any]
Faults = Callable[[str], list[str]]
_PLAIN = {"action", "reason"}


def ask_person(shown: Json, texts: Mapping[str, Faults]) -> Json:
    """Interrupt with `shown`; return the answer: `action` (accept, edit or reject), and what belongs to it.

    With edit, the answer holds some of the `texts` (name → what is wrong with a text); a name such as
    `playbooks.recall` stands for `{"playbooks": {"recall": …}}`. An answer that can't be used is asked for again, with
    its `error`: nothing is lost, and the run stays where it is.
    """
    error = ""
    while True:
        answer = interrupt({**shown, "error": error} if error else shown)
        given = _flat(answer if isinstance(answer, dict) else {"action": answer})
        if not (error := _fault(given, texts)):
            return given


def _flat(answer: Json) -> Json:
    flat: Json = {}
    for name, value in answer.items():
        flat |= {f"{name}.{inner}": text for inner, text in value.items()} if isinstance(value, dict) else {name: value}
    return flat


def _fault(given: Json, texts: Mapping[str, Faults]) -> str:
    """Return what is wrong with an answer, `""` when nothing is."""
    action = given.get("action")
    if action in ("accept", "reject"):
        return ""
    if action != "edit":
        return 'resume: must be {"action": "accept"}, {"action": "reject", "reason"?} or {"action": "edit", …}'
    names = [name for name in given if name not in _PLAIN]
    if not names or not texts.keys() >= set(names):
        return f"resume: edit takes the text of {', '.join(texts)}; got {', '.join(names) or 'none'}"
    wrong = [f"resume.{name}: must be a text" for name in names if not isinstance(given[name], str)]
    return "; ".join(wrong or [f"resume.{name}: {fault}" for name in names for fault in texts[name](given[name])])
