"""The tools of the Previously Agent: the checked edits of the card, the reading tools, and `finish`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from previously.nodes.ask import ToolSpec
from previously.nodes.evidence import turn_rows
from previously.nodes.services import Services
from previously.prompts.frame import cut_middle, frame
from previously.state.card import Card
from previously.state.card_edits import CARD_EDITS
from previously.state.context import MemoryContext
from previously.state.edit import EditContext
from previously.state.errors import InvalidInput
from previously.state.paths import CARD_PATH
from previously.state.ref import Ref

Update = dict[str, Any]
_RESULT_LIMIT = 12_000
"""Characters of one reading tool's result."""


class _Arguments(BaseModel):
    model_config = ConfigDict(extra="ignore")


class ReadSlice(_Arguments):
    """Read what was said in a slice: all of it, some turns by number, the last few, or those from a date on."""

    slice: str = Field(description="a slice as cited in a ref, e.g. 2026/08/11/1426")
    turns: list[int] | None = Field(None, description="numbers of the turns to read, from 1")
    last: int | None = Field(None, ge=1, description="how many turns from the end")
    date: str | None = Field(None, description="only turns from this local date on, YYYY-MM-DD")


class ReadCognitionLog(_Arguments):
    """Read what the assistant did during a slice: tools called, results, errors."""

    slice: str = Field(description="a slice as cited in a ref")


class ReadCard(_Arguments):
    """Read the card as it stood at the end of an earlier slice."""

    slice: str = Field(description="a slice as cited in a ref")


class Search(_Arguments):
    """Find turns of this user's conversations by what was said."""

    query: str = Field(min_length=1, description="words to look for")
    k: int = Field(5, ge=1, le=20, description="how many turns at the most")


class Finish(_Arguments):
    """End the run. Call it once every edit is in, also when nothing was worth changing."""

    reasoning: str = Field(description="why these edits and no others, for the log")
    summary: str = Field("", description="one sentence for the user on what changed; empty when nothing did")


@dataclass(kw_only=True)
class Desk:
    """The staged copy and what was done to it so far in this run."""

    card: Card
    edits: list[Update]
    brake: dict[str, int]
    report: Update
    context: EditContext


def answer_calls(services: Services, context: MemoryContext, desk: Desk, calls: list[Update]) -> list[str]:
    """Carry out the calls of one step in order and return an answer for each.

    `finish` ends the run only when nothing in the same step was refused: the agent has to see a refusal first.
    """
    results: list[str] = []
    for call in calls:
        if desk.report:
            results.append("REJECTED: the run was finished by an earlier call; nothing after it is applied")
        elif call["name"] == "finish" and any(result.startswith("REJECTED") for result in results):
            results.append("REJECTED: a call in the same step was refused; settle that first, then call finish")
        else:
            results.append(_answer(services, context, desk, call["name"], call["args"]))
    return results


def _answer(services: Services, context: MemoryContext, desk: Desk, name: str, args: Update) -> str:
    if name in CARD_EDITS:
        applied = CARD_EDITS.apply(desk.card, name, args, desk.context, desk.brake)
        desk.card = applied.document
        if applied.op:
            desk.edits.append(applied.op)
        return applied.message
    if name not in _READING and name != "finish":
        known = ", ".join([*CARD_EDITS, *_READING, "finish"])
        return f"REJECTED: there is no tool {name!r}; the tools are {known}"
    try:
        if name == "finish":
            desk.report = Finish.model_validate(args).model_dump()
            return "OK — finished"
        model, run = _READING[name]
        return cut_middle(run(services, context, model.model_validate(args)), _RESULT_LIMIT)
    except ValidationError as error:
        faults = "; ".join(f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in error.errors())
        return f"REJECTED: {faults}"
    except InvalidInput as error:
        return f"REJECTED: {error}"


def _slice_id(services: Services, context: MemoryContext, text: str) -> str:
    slice_id = Ref.parse(text).slice_id
    if services.store.slice(context.space, slice_id) is None:
        raise InvalidInput("slice", f"{text} is not a slice of this user")
    return slice_id


def _read_slice(services: Services, context: MemoryContext, args: ReadSlice) -> str:
    turns = services.store.turns(context.space, slice_id=_slice_id(services, context, args.slice))
    zone = services.zone(context)
    if args.date:
        turns = [turn for turn in turns if turn.event_time.astimezone(zone).date().isoformat() >= args.date]
    if args.turns:
        turns = [turn for turn in turns if turn.number in args.turns]
    if args.last:
        turns = turns[-args.last :]
    return frame("turns", _by_ref(turn_rows(turns, zone, services.settings.turn_characters)))


def _by_ref(rows: list[Update]) -> list[Update]:
    """Leave out the handles, which belong to the evidence of the run: what is read in addition is cited by its ref."""
    return [{name: value for name, value in row.items() if name != "id"} for row in rows]


def _read_cognition_log(services: Services, context: MemoryContext, args: ReadCognitionLog) -> str:
    slice_id = _slice_id(services, context, args.slice)
    notes = services.store.annotations(context.space, kind="cognition", slice_id=slice_id)
    return frame("cognition", [note.data for note in notes])


def _read_card(services: Services, context: MemoryContext, args: ReadCard) -> str:
    item = services.store.slice(context.space, _slice_id(services, context, args.slice))
    revision = item.card_revision if item else None
    document = services.store.document(context.space, CARD_PATH, revision) if revision else None
    lines = document.text.split("\n") if document else []
    return frame("card", [{"line": line} for line in lines])


def _search(services: Services, context: MemoryContext, args: Search) -> str:
    found = services.index.search(context.space, args.query, k=args.k)
    turns = services.store.turns(context.space, ids=[hit.turn_id for hit in found.hits])
    return frame("turns", _by_ref(turn_rows(turns, services.zone(context), services.settings.turn_characters)))


_READING: dict[str, tuple[type[_Arguments], Callable[[Services, MemoryContext, Any], str]]] = {
    "read_slice": (ReadSlice, _read_slice),
    "read_cognition_log": (ReadCognitionLog, _read_cognition_log),
    "read_card": (ReadCard, _read_card),
    "search": (Search, _search),
}

CARD_TOOLS: tuple[ToolSpec, ...] = (
    *(ToolSpec(name=name, description=edit.description, arguments=edit.arguments) for name, edit in CARD_EDITS.items()),
    *(ToolSpec(name=name, description=model.__doc__ or "", arguments=model) for name, (model, _) in _READING.items()),
    ToolSpec(name="finish", description=Finish.__doc__ or "", arguments=Finish),
)
