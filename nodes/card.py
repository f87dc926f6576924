"""Steps of the Previously Agent: it reads, edits a staged copy of the card through checked tools, and finishes."""

from __future__ import annotations

import time
from dataclasses import replace
from datetime import date
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.runnables import Runnable
from langgraph.runtime import Runtime

from previously.nodes.ask import ToolStep, ask
from previously.nodes.card_tools import CARD_TOOLS, Desk, answer_calls
from previously.nodes.editing import edit_context
from previously.nodes.evidence import exchange, exchange_before, slice_rows
from previously.nodes.reviewing import ask_person
from previously.nodes.services import Node, Services
from previously.prompts.frame import frame
from previously.prompts.registry import get_prompt, language_of
from previously.state.card import STAMP, Card, parse_card, render_card
from previously.state.card_diff import change_counts, line_diff
from previously.state.card_edits import CARD_EDITS, shrink_guard
from previously.state.card_time import overdue, stale_now
from previously.state.channels import CardState
from previously.state.context import MemoryContext
from previously.state.errors import Failure
from previously.state.event import event
from previously.state.paths import CARD_PATH, DIRECTION_PATH
from previously.state.ref import Ref
from previously.state.turn import Turn

Update = dict[str, Any]
BY_A_PERSON = {"tool": "review"}
"""Stands among the edits for what a reviewer wrote."""


def read(services: Services) -> Node[CardState]:
    """Reads the live card and the evidence that the triggers name; sets the staged copy and what the agent is shown."""

    def read(state: CardState, runtime: Runtime[MemoryContext]) -> Update:
        context = services.context(runtime)
        turns = _evidence(services, context, state["triggers"])
        rows = slice_rows(turns, services.zone(context), services.settings.slice_characters)
        head = services.store.head(context.space, CARD_PATH)
        direction = services.store.head(context.space, DIRECTION_PATH)
        parsed = parse_card(head.text if head else "")
        card = render_card(parsed.card)
        if any(row["kind"] != "pressure" for row in state["triggers"]):  # else the run around this one has told
            runtime.stream_writer(event("evolution", "started", reason=_reason(state["triggers"])))
        return {
            "triggers": [_with_ref(services, context, row) for row in state["triggers"]],
            "direction": state.get("direction") or (direction.text if direction else ""),
            "base": head.revision if head else 0,
            "before": card,
            "card": card,
            "legacy": list(parsed.leftover) if parsed.legacy else [],
            "migrated": parsed.legacy,
            "evidence": rows,
            "handles": {row["id"]: row["ref"] for row in rows},
            "today": _today(services, context, turns).isoformat(),
            "language": context.language or language_of(" ".join(turn.text for turn in turns if turn.role == "user")),
            "agent": context.agent,
            "stop_at": min(state["deadline_at"], time.time() + services.settings.card_timeout),
            "steps": [],
            "edits": [],
            "brake": {},
            "failure": None,
            "report": {},
        }

    return read


def _evidence(services: Services, context: MemoryContext, triggers: list[Update]) -> list[Turn]:
    """Return the turns behind the triggers, oldest first: whole slices, and the exchange around a request."""
    found: dict[str, Turn] = {}
    for row in triggers:
        if slice_id := row.get("slice"):
            found |= {turn.id: turn for turn in services.store.turns(context.space, slice_id=slice_id)}
        if turn := services.store.turn(context.space, row.get("turn") or ""):
            around = [*exchange_before(services, turn), *exchange(services, turn)]
            found |= {near.id: near for near in around}
    trusted = [turn for turn in found.values() if turn.trust == "trusted"]
    return sorted(trusted, key=lambda turn: turn.seq)


def _today(services: Services, context: MemoryContext, turns: list[Turn]) -> date:
    """Return the user's local date at the newest evidence, so that late work gives the same card."""
    last = max((turn.event_time for turn in turns), default=context.now or services.clock())
    return last.astimezone(services.zone(context)).date()


def _with_ref(services: Services, context: MemoryContext, row: Update) -> Update:
    """Return a trigger with the ref of what it is about."""
    turn = services.store.turn(context.space, row.get("turn") or "")
    return {**row, "ref": str(turn.ref if turn else Ref(row["slice"]))}


def _reason(triggers: list[Update]) -> str:
    return "; ".join(dict.fromkeys(row.get("reason") or row["kind"] for row in triggers))


def previously_agent(services: Services) -> Runnable[CardState, Update]:
    """Asks the model for its next tool calls; appends them to `steps`, or sets `failure`."""

    def prepare(state: CardState) -> dict[str, str]:
        card, today = parse_card(state["card"]).card, date.fromisoformat(state["today"])
        names = {ref: handle for handle, ref in state["handles"].items()}
        return {
            "direction": frame("direction", [{"line": line} for line in state["direction"].split("\n") if line]),
            "card": frame("card", [{"line": line} for line in render_card(card, state["agent"]).split("\n")]),
            "today": state["today"],
            "flagged": frame("flagged", _flagged(card, today)),
            "triggers": frame("triggers", [_shown(row, names) for row in state["triggers"]]),
            "turns": frame("turns", state["evidence"]),
            "legacy": frame("legacy", [{"text": text} for text in state["legacy"]]),
        }

    def accept(state: CardState, answer: ToolStep) -> Update:
        calls = [{"id": call.id, "name": call.name, "args": call.args} for call in answer.calls]
        return {"steps": [*state["steps"], {"text": answer.text, "calls": calls, "results": []}]}

    def failed(_state: CardState, failure: Failure, detail: str) -> Update:
        return {"failure": {"code": failure.value, "detail": detail}}

    return ask(
        services,
        "previously_agent",
        prompt="evolve_card",
        tools=CARD_TOOLS,
        prepare=prepare,
        history=_history,
        accept=accept,
        failed=failed,
    )


def _shown(row: Update, handles: dict[str, str]) -> Update:
    """Return a trigger as the model sees it: no ids of ours, the turn by its handle."""
    about = {"turn": handles.get(row["ref"], row["ref"])} if row.get("turn") else {"slice": row["ref"]}
    told = {name: row[name] for name in ("content", "section", "reason") if row.get(name)}
    return {"kind": row["kind"], **about, **told}


def _flagged(card: Card, today: date) -> list[Update]:
    rows = [
        {"section": "now", "text": item.text, "days": (today - item.since).days if item.since else None}
        for item in stale_now(card, today)
    ]
    late = [
        {"section": "horizon", "text": item.text, "days": (today - item.by).days if item.by else None}
        for item in overdue(card, today)
    ]
    return [*rows, *late]


def _history(state: CardState) -> list[BaseMessage]:
    """Return the loop so far as messages: what the agent called, and what it was answered."""
    messages: list[BaseMessage] = []
    for step in state["steps"]:
        calls = [{**call, "type": "tool_call"} for call in step["calls"]]
        messages.append(AIMessage(step["text"], tool_calls=calls))
        if not calls:
            messages += [HumanMessage(reminder) for reminder in step["results"]]
            continue
        messages += [
            ToolMessage(result, tool_call_id=call["id"], name=call["name"])
            for call, result in zip(step["calls"], step["results"], strict=True)
        ]
    return messages


def mutate(services: Services) -> Node[CardState]:
    """Carries out the calls of the newest step on the staged copy; sets `card`, `edits`, `brake`, `report`, results."""

    def mutate(state: CardState, runtime: Runtime[MemoryContext]) -> Update:
        context = services.context(runtime)
        *done, step = state["steps"]
        desk = Desk(
            card=parse_card(state["card"]).card,
            edits=list(state["edits"]),
            brake=dict(state["brake"]),
            report={},
            context=edit_context(services, context, state["handles"], date.fromisoformat(state["today"])),
        )
        results = answer_calls(services, context, desk, step["calls"])
        if not results:
            reminder = "call an editing tool, or finish when nothing is left to do"
            results = [get_prompt("repair", state["language"]).text(error=reminder)]
        return {
            "steps": [*done, {**step, "results": results}],
            "card": render_card(desk.card),
            "edits": desk.edits,
            "brake": desk.brake,
            "report": desk.report,
        }

    return mutate


def is_over(services: Services, state: CardState) -> bool:
    """Whether the loop ends: finished, out of steps or time, or twice no call at all."""
    steps = state["steps"]
    silent = len(steps) > 1 and not steps[-1]["calls"] and not steps[-2]["calls"]
    spent = len(steps) >= services.settings.card_steps or time.time() >= state["stop_at"]
    return bool(state["report"]) or silent or spent


def finish(services: Services) -> Node[CardState]:
    """Reads the staged copy; sets `card_run`: what is to be installed, and clears what only the loop needed."""

    def finish(state: CardState, runtime: Runtime[MemoryContext]) -> Update:
        context = services.context(runtime)
        run = {
            "base": state["base"],
            "card": None,
            "edits": state["edits"],
            "triggers": state["triggers"],
            "summary": state["report"].get("summary", ""),
            "reasoning": state["report"].get("reasoning", ""),
            "partial": not state["report"],
            **_ending(state),
        }
        outcome = _staged(services, context, state, run)
        return {"card_run": outcome, "evidence": [], "steps": [], "legacy": [], "before": "", "card": ""}

    return finish


def _ending(state: CardState) -> Update:
    """Return how the loop ended: `failure` is set when something outside the agent cut it short."""
    if failure := state["failure"]:
        return {"failure": failure["code"], "reason": failure["detail"]}
    if state["report"]:
        return {"failure": None, "reason": ""}
    if time.time() >= state["stop_at"]:
        return {"failure": Failure.DEADLINE.value, "reason": "out of time before the agent called finish"}
    if not state["edits"]:
        return {"failure": Failure.UNFINISHED.value, "reason": "the agent ended without an edit and without finish"}
    return {"failure": None, "reason": "the agent ended without finish; its valid edits are kept"}


def _staged(services: Services, context: MemoryContext, state: CardState, run: Update) -> Update:
    """Return the run with its status, diff and the card to install, if any."""
    before, after = parse_card(state["before"]).card, parse_card(state["card"]).card
    changed = after.substance() != before.substance()
    if not changed and not state["migrated"]:
        status = "failed" if run["failure"] else "no_change"
        return {**run, "status": status, "diff": [], "counts": {}}
    text = render_card(_stamped(services, context, state, after))
    run = {
        **run,
        "status": "changed",
        "card": text,
        "diff": line_diff(render_card(before), render_card(after)),
        "counts": change_counts(before, after),
    }
    guard = shrink_guard(before, after, context.agent)
    if guard is None or services.review:
        return {**run, "reason": guard or run["reason"]}
    return {**run, "status": "rejected", "card": None, "reason": guard}


def _stamped(services: Services, context: MemoryContext, state: CardState, card: Card) -> Card:
    """Return the card with the header of this run: the slice and the time of the newest evidence behind it."""
    turn = services.store.turn(context.space, state["turn"])
    if turn is None:
        slice_id = next((row["slice"] for row in reversed(state["triggers"]) if row.get("slice")), "")
        closed = services.store.slice(context.space, slice_id)
        return replace(card, slice_id=slice_id, updated=closed.end if closed else services.clock())
    return replace(card, slice_id=turn.slice_id, updated=turn.event_time)


def review(state: CardState) -> Update:
    """Asks a person: interrupts with the diff. Resume with `{"action": "accept" | "edit" | "reject", …}`."""
    run, agent = state["card_run"], state["agent"]
    shown = {name: run[name] for name in ("card", "diff", "summary", "reason", "partial")}
    return {"decision": ask_person(shown, {"card": lambda text: card_faults(text, agent)})}


def card_faults(text: str, agent: str) -> list[str]:
    """Return what makes a reviewer's text no valid card, one sentence each."""
    parsed = parse_card(text)
    header = [f"the header line with {STAMP!r} is missing"] if parsed.legacy or not text.strip() else []
    return [*header, *parsed.problems, *parsed.card.problems(agent)]


def decide(services: Services) -> Node[CardState]:
    """Reads the reviewer's answer; sets `card_run` to what was decided."""

    def decide(state: CardState, runtime: Runtime[MemoryContext]) -> Update:
        run, decision = state["card_run"], state["decision"]
        if decision["action"] == "reject":
            reason = decision.get("reason") or "rejected in review"
            return {"card_run": {**run, "status": "rejected", "card": None, "reason": reason}}
        if decision["action"] == "edit":
            return {"card_run": edited_card(services, services.context(runtime), run, decision["card"])}
        return {"card_run": run}

    return decide


def edited_card(services: Services, context: MemoryContext, run: Update, text: str) -> Update:
    """Return the run with the card as a reviewer wrote it."""
    head = services.store.head(context.space, CARD_PATH)
    diff = line_diff(head.text if head else "", text)
    return {
        **run,
        "card": render_card(parse_card(text).card),
        "diff": diff,
        "edits": [*run["edits"], BY_A_PERSON],
    }


def rebase(services: Services, context: MemoryContext, run: Update) -> Update:
    """Return a staged run applied to the card as it is now; edits that no longer fit are left out.

    What a person wrote in a review was written on the old card: it can't be applied again, and the run has failed.
    """
    if BY_A_PERSON in run["edits"]:
        why = "the card changed while it was reviewed"
        return {**run, "status": "failed", "failure": Failure.CONFLICT.value, "card": None, "reason": why}
    head = services.store.head(context.space, CARD_PATH)
    before = parse_card(head.text if head else "").card
    staged = parse_card(run["card"]).card
    today = (staged.updated or services.clock()).astimezone(services.zone(context)).date()
    after, edits = CARD_EDITS.replay(before, run["edits"], edit_context(services, context, {}, today))
    changed = after.substance() != before.substance()
    text = render_card(replace(after, slice_id=staged.slice_id, updated=staged.updated))
    return {
        **run,
        "base": head.revision if head else 0,
        "status": "changed" if changed else "no_change",
        "card": text if changed else None,
        "edits": edits,
        "diff": line_diff(render_card(before), render_card(after)),
        "counts": change_counts(before, after),
    }


def card_meta(run: Update) -> Update:
    """Return what is kept beside a card revision: the edits with their refs prove every line of it."""
    return {name: run[name] for name in ("edits", "summary", "reasoning", "partial", "triggers", "counts")}
