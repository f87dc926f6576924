"""Steps of an evolution run: re-read the evidence, propose, check in code; the card and the playbooks come after."""

from __future__ import annotations

import time
from dataclasses import replace
from datetime import date
from typing import Any

from langchain_core.runnables import Runnable
from langgraph.runtime import Runtime

from previously.nodes.ask import ask
from previously.nodes.editing import edit_context, known_names
from previously.nodes.evidence import slice_rows
from previously.nodes.generation import card_triggers, due_reason, evidence, ledger_rows, marks, read_documents
from previously.nodes.services import Node, Services
from previously.prompts.evolution import Evolution, Playbooks
from previously.prompts.frame import frame
from previously.prompts.registry import language_of
from previously.state.card_diff import line_diff
from previously.state.channels import EvolutionState
from previously.state.context import MemoryContext
from previously.state.direction import parse_direction, render_direction
from previously.state.direction_edits import DIRECTION_EDITS
from previously.state.edit import EditContext, Rejected
from previously.state.errors import Failure
from previously.state.event import Status, event
from previously.state.playbook import check_playbook, render_playbook

Update = dict[str, Any]


def gather(services: Services) -> Node[EvolutionState]:
    """Reads the evidence behind what is due, and the documents that may change; sets all that the run is shown."""

    def gather(state: EvolutionState, runtime: Runtime[MemoryContext]) -> Update:
        context = services.context(runtime)
        turn = services.store.turn(context.space, state["turn"])
        scores = services.store.ledger.scores(context.space, context.agent, settled=False)
        turns = evidence(services, context, state["due"], scores, turn)
        rows = slice_rows(turns, services.zone(context), services.settings.slice_characters)
        handles = {row["id"]: row["ref"] for row in rows}
        words = " ".join(each.text for each in turns if each.role == "user")
        documents = read_documents(services, context, state["due"])
        runtime.stream_writer(event("evolution", "started", reason=due_reason(state["due"]), due=state["due"]))
        return {
            "slice": turn.slice_id if turn else "",
            "language": context.language or language_of(words),
            "deadline_at": time.time() + services.settings.evolution_timeout,
            "upto": max((score.id for score in scores), default=0),
            "evidence": rows,
            "handles": handles,
            "ledger": ledger_rows(services, context, scores, handles),
            "marks": marks(services, context),
            **documents,
            "triggers": card_triggers(state["due"], scores),
            "verdict": {},
            "operations": [],
            "refused": [],
            "failure": None,
            "card_run": {},
            "drafts": [],
            "staged": [],
            "review": {},
        }

    return gather


def evaluate(services: Services) -> Runnable[EvolutionState, Update]:
    """Asks the model once what has to change; it only proposes. Sets `verdict`, or `failure`."""

    def prepare(state: EvolutionState) -> dict[str, str]:
        return {
            "mode": state["mode"],
            "direction": _direction_frame(state),
            "legacy": frame("legacy", [{"text": line} for line in state["legacy"]]),
            "card": frame("card", [{"line": line} for line in state["card"].split("\n")]),
            "playbooks": frame("playbooks", state["playbooks"]),
            "slices": frame("slices", state["marks"]),
            "turns": frame("turns", state["evidence"]),
            "ledger": frame("ledger", state["ledger"]),
            "triggers": frame("triggers", state["due"]),
        }

    def accept(state: EvolutionState, answer: Evolution) -> Update:
        calls = [{"tool": each.op, "args": each.arguments()} for each in answer.operations]
        verdict = answer.model_dump(mode="json", exclude={"operations", "playbooks"})
        asked = [row["colleague"] for row in state["playbooks"] if row["colleague"] in answer.playbooks]
        return {"verdict": {**verdict, "operations": calls, "playbooks": asked}}

    return ask(
        services,
        "evaluate",
        prompt="evolve_direction",
        answer=Evolution,
        prepare=prepare,
        accept=accept,
        failed=_failed,
    )


def _failed(_state: EvolutionState, failure: Failure, detail: str) -> Update:
    return {"failure": {"code": failure.value, "detail": detail}}


def _direction_frame(state: EvolutionState) -> str:
    lines = [] if parse_direction(state["direction"]).mode == "bootstrap" else state["direction"].split("\n")
    return frame("direction", [{"line": line} for line in lines])


def validate(services: Services) -> Node[EvolutionState]:
    """Applies the proposal to a staged copy, all of it or nothing; sets `direction` and `operations`, or `refused`."""

    def validate(state: EvolutionState, runtime: Runtime[MemoryContext]) -> Update:
        context = direction_context(services, services.context(runtime), state)
        staged, brake = parse_direction(state["direction"]).direction, dict[str, int]()
        operations: list[Update] = []
        refused: list[str] = []
        for call in state["verdict"]["operations"]:
            applied = DIRECTION_EDITS.apply(staged, call["tool"], call["args"], context, brake)
            staged = applied.document
            if applied.op:
                operations.append(applied.op)
            else:
                refused.append(f"{call['tool']}: {applied.message.removeprefix('REJECTED: ')}")
        if refused:
            return {"refused": refused}
        text = render_direction(staged)
        if operations:
            runtime.stream_writer(event("direction", "proposed", diff=line_diff(state["direction"], text)))
        return {"direction": text, "operations": operations}

    return validate


def direction_context(services: Services, context: MemoryContext, state: EvolutionState) -> EditContext:
    """Return what the checks of the direction's edits may know; a first or migrated direction has the lower bar."""
    checks = edit_context(services, context, state["handles"], date.min)
    speakers = frozenset(row["speaker"] for row in state["evidence"] if row.get("speaker"))
    return replace(
        checks,
        names=known_names(services, context.space) | speakers,
        slice_id=state["slice"],
        slices_needed=2 if state["mode"] == "steady" else 1,
    )


def write_playbooks(services: Services) -> Runnable[EvolutionState, Update]:
    """Asks for new playbooks of the colleagues that the verdict names, under the staged direction; sets `drafts`."""

    def prepare(state: EvolutionState) -> dict[str, str]:
        asked = [row for row in state["playbooks"] if row["colleague"] in state["verdict"]["playbooks"]]
        return {
            "direction": _direction_frame(state),
            "playbooks": frame("playbooks", asked),
            "turns": frame("turns", state["evidence"]),
            "ledger": frame("ledger", state["ledger"]),
        }

    def accept(_state: EvolutionState, answer: Playbooks) -> Update:
        return {"drafts": [draft.model_dump(mode="json") for draft in answer.playbooks]}

    return ask(
        services,
        "playbooks",
        prompt="evolve_playbooks",
        answer=Playbooks,
        prepare=prepare,
        accept=accept,
        failed=_failed,
    )


def check_playbooks(services: Services) -> Node[EvolutionState]:
    """Checks each draft in code; sets `staged`, also for those that were rejected, with the reason."""

    def check_playbooks(state: EvolutionState, runtime: Runtime[MemoryContext]) -> Update:
        checks = edit_context(services, services.context(runtime), state["handles"], date.min)
        before = {row["colleague"]: row["text"] for row in state["playbooks"]}
        staged: dict[str, Update] = {}
        for draft in state["drafts"]:
            staged[draft["colleague"]] = row = _checked(draft, before, checks)
            status: Status = "proposed" if row["status"] == "changed" else row["status"]
            told = {"reason": row["reason"], "summary": row["colleague"], "diff": row["diff"]}
            runtime.stream_writer(event("playbook", status, **told))
        return {"staged": list(staged.values())}

    return check_playbooks


def _checked(draft: Update, before: dict[str, str], checks: EditContext) -> Update:
    row = {"colleague": draft["colleague"], "text": "", "diff": [], "refs": []}
    if draft["colleague"] not in before:
        under = ", ".join(before) or "none of the colleagues"
        return {**row, "status": "rejected", "reason": f"only playbooks of what is under pressure may change: {under}"}
    try:
        playbook = check_playbook(draft["content"], draft["refs"], checks)
    except Rejected as refusal:
        return {**row, "status": "rejected", "reason": refusal.message}
    if playbook.content == before[draft["colleague"]]:
        return {**row, "status": "no_change", "reason": ""}
    return {
        **row,
        "status": "changed",
        "reason": "",
        "text": render_playbook(playbook),
        "refs": [str(ref) for ref in playbook.refs],
        "diff": line_diff(before[draft["colleague"]], playbook.content),
    }
