"""Steps of a host agent's turn around its own model: record first, brief the prompt, answer."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage
from langchain_core.runnables import Runnable, RunnableLambda
from langchain_core.tools import BaseTool
from langgraph.runtime import Runtime

from previously.nodes.recording import answered_turn, record_messages
from previously.nodes.services import Node, Services
from previously.nodes.signals import newest_user_turn, record_given
from previously.prompts.frame import escape_tags, frame
from previously.prompts.registry import get_prompt, language_of
from previously.state.card import Card, parse_card, render_card
from previously.state.card_time import annotate_card, overdue, stale_now
from previously.state.channels import Brief, HostState
from previously.state.commit import Colleague
from previously.state.context import MemoryContext
from previously.state.direction import hypothesis_line, parse_direction, render_portrait
from previously.state.event import event
from previously.state.paths import CARD_PATH, DIRECTION_PATH, playbook_path
from previously.state.playbook import PLAYBOOK_LIMIT, parse_playbook

NOTE_NAME = "memory"
"""Name of the message that carries the turn's note to the model; nobody said it and it is never stored."""


def receive(services: Services) -> Node[HostState]:
    """Reads `messages` and `signals`; stores what is new of them before anything else; sets `turn` and `opens`."""

    def receive(state: HostState, runtime: Runtime[MemoryContext]) -> dict[str, Any]:
        context = services.context(runtime)
        signals = state.get("signals") or []
        about = newest_user_turn(services, context) if signals else None  # whose answer the user has reacted to
        recorded = record_messages(services, state["messages"], context, answering=True)
        record_given(services, context, signals, about)
        turn = answered_turn(services, state["messages"], context)
        for slice_id in recorded.closed:
            runtime.stream_writer(event("slice", "changed", reason="closed", slice=slice_id))
        runtime.stream_writer(event("turn", "recorded", turn=turn.id if turn else "", new=len(recorded.new)))
        return {"turn": turn.id if turn else "", "opens": turn is not None and turn.number == 1, "signals": []}

    return receive


def brief(services: Services) -> Node[HostState]:
    """Reads direction and card of the space; sets `brief`: the block for the stable prefix, the note for this turn."""

    def brief(state: HostState, runtime: Runtime[MemoryContext]) -> dict[str, Any]:
        context = services.context(runtime)
        return {"brief": compose_brief(services, context, state.get("turn", ""))}

    return brief


def compose_brief(services: Services, context: MemoryContext, turn_id: str) -> Brief:
    """Return what memory adds to the prompt of one turn.

    Relative times in the block count from the start of the turn's slice, so the block keeps its bytes within a slice;
    what is overdue or stale by the turn's own time goes into the note.
    """
    head = services.store.head(context.space, CARD_PATH)
    direction = services.store.head(context.space, DIRECTION_PATH)
    if head is None and direction is None:
        return Brief(block="", note="", tokens=0)
    card = parse_card(head.text).card if head else None
    turn = services.store.turn(context.space, turn_id)
    active = services.store.slice(context.space, turn.slice_id) if turn else None
    now = turn.event_time if turn else context.now or services.clock()
    start = active.start if active else now
    language = context.language or language_of(turn.text if turn else head.text if head else "")
    # what changes least often stands first, so that the prompts of many turns share it
    parts = [_direction_block(direction.text, language) if direction else ""]
    parts += [_block(services, context, card, start, language) if card else ""]
    block = "\n\n".join(filter(None, parts))
    note = _note(services, context, card, now, language) if card else ""
    return Brief(block=block, note=note, tokens=services.count_tokens(block) + services.count_tokens(note))


def _direction_block(text: str, language: str) -> str:
    """Return the portrait and the open guesses for the prompt; `""` while the direction says nothing."""
    parsed = parse_direction(text)
    if parsed.direction.empty:
        return ""
    guesses = "\n".join(map(hypothesis_line, parsed.direction.hypotheses))
    portrait = escape_tags(render_portrait(parsed.direction))
    return get_prompt("direction_block", language).text(portrait=portrait, hypotheses=escape_tags(guesses))


def compose_playbook(services: Services, context: MemoryContext, colleague: Colleague) -> str:
    """Return what a colleague's user prompt is told on how to work for this user; `""` while there is no playbook."""
    head = services.store.head(context.space, playbook_path(colleague, context.agent))
    content = parse_playbook(head.text).content if head else ""
    if not content:
        return ""
    language = context.language or language_of(content)
    return get_prompt("playbook_block", language).text(playbook=escape_tags(content[:PLAYBOOK_LIMIT]))


def _block(services: Services, context: MemoryContext, card: Card, start: datetime, language: str) -> str:
    as_of = start.astimezone(services.zone(context)).date()
    text = escape_tags(annotate_card(render_card(card, context.agent), as_of, language))
    return get_prompt("memory_block", language).text(card=text, as_of=as_of.isoformat())


def _note(services: Services, context: MemoryContext, card: Card, now: datetime, language: str) -> str:
    today = now.astimezone(services.zone(context)).date()
    late = [{"section": "horizon", "text": item.text, "by": str(item.by)} for item in overdue(card, today)]
    stale = [{"section": "now", "text": item.text, "since": str(item.since or "")} for item in stale_now(card, today)]
    if not late and not stale:
        return ""
    return get_prompt("turn_brief", language).text(items=frame("items", [*late, *stale]), today=today.isoformat())


def with_memory(messages: Sequence[AnyMessage], brief: Brief | None, system: str = "") -> list[AnyMessage]:
    """Return the prompt: the host's constitution, the block, the history, the note. The history is not edited.

    A system message that stands first in the history counts as the host's constitution too.
    """
    rest = list(messages)
    parts = [system]
    if rest and isinstance(rest[0], SystemMessage):
        parts.append(rest.pop(0).text)
    parts.append(brief["block"] if brief else "")
    head = "\n\n".join(part for part in parts if part)
    if brief and brief["note"]:
        last = max((i for i, message in enumerate(rest) if isinstance(message, HumanMessage)), default=-1)
        rest.insert(last + 1, HumanMessage(brief["note"], name=NOTE_NAME))
    return [SystemMessage(head), *rest] if head else rest


def agent(model: BaseChatModel, tools: Sequence[BaseTool], system: str) -> Runnable[HostState, dict[str, Any]]:
    """Reads `messages` and `brief`; asks the host's own model, whose tokens stream as the host's; adds its message."""
    bound: Runnable[Any, AIMessage] = model.bind_tools(list(tools)) if tools else model

    def prompt(state: HostState) -> list[AnyMessage]:
        return with_memory(state["messages"], state.get("brief"), system)

    def answer(state: HostState) -> dict[str, Any]:
        return {"messages": [bound.invoke(prompt(state))]}

    async def aanswer(state: HostState) -> dict[str, Any]:
        return {"messages": [await bound.ainvoke(prompt(state))]}

    return RunnableLambda(answer, aanswer, name="agent")
