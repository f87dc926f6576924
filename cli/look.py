"""Commands that show what memory holds, and let its owner decide about files changed by hand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import StrEnum
from itertools import groupby
from typing import TYPE_CHECKING, Annotated

import typer

from previously.cli import show
from previously.cli.options import Space, options_of
from previously.state.context import DEFAULT_AGENT
from previously.state.direction import hypothesis_line
from previously.state.ref import Ref

if TYPE_CHECKING:
    from rich.console import Console

    from previously.memory import Previously
    from previously.state.card_evidence import Evidence
    from previously.state.context import MemoryContext
    from previously.views import CardView

_QUOTED = 300
"""Characters of a cited turn that are shown."""


def card(
    context: typer.Context,
    space: Space,
    *,
    agent: Annotated[str, typer.Option(help="The card as this agent sees it.")] = DEFAULT_AGENT,
    at: Annotated[str | None, typer.Option(metavar="SLICE", help="The card as it stood when this slice ended.")] = None,
    why: Annotated[bool, typer.Option("--why", help="With each line, what was said that proves it.")] = False,
) -> None:
    """Show the user card; with --why, the proof of every line."""
    console = show.out()
    with options_of(context).look(space) as memory:
        view = memory.card(space, agent, slice_id=at)
        if why and view.document:
            _prove(console, memory, space, view)
        else:
            show.say(console, str(view).rstrip("\n"))


def _prove(console: Console, memory: Previously, space: str, view: CardView) -> None:
    for section, lines in groupby(view.evidence, key=lambda item: item.section):
        show.heading(console, f"## {section}")
        for item in lines:
            show.say(console, f"- {item.line}")
            show.say(console, f"    {_origin(item)}", "dim")
            for line in _cited(memory, space, item.refs):
                show.say(console, f"    {line}", "cyan")


def evolution(
    context: typer.Context,
    space: Space,
    *,
    agent: Annotated[str, typer.Option(help="The agent whose scores and playbooks are shown.")] = DEFAULT_AGENT,
    why: Annotated[bool, typer.Option("--why", help="With each line and run, what was said that proves it.")] = False,
) -> None:
    """Show the evolution loop: the ledger, the portrait and hypotheses, the playbooks, and what each run did."""
    console = show.out()
    with options_of(context).look(space) as memory:
        view = memory.evolutions(space, agent)
        show.heading(console, "Ledger of the current generation")
        show.ledger(console, view.ledger)
        show.heading(console, "Direction")
        _direction(console, memory, space, why=why)
        for colleague, text in view.playbooks.items():
            show.heading(console, f"Playbook of {colleague}")
            show.say(console, text.rstrip("\n"))
        show.heading(console, "Runs")
        for run in view.runs:
            show.run(console, run, why=why)
        if not view.runs:
            show.say(console, "There was none yet.", "dim")


def _direction(console: Console, memory: Previously, space: str, *, why: bool) -> None:
    view = memory.direction(space)
    if not why or view.document is None:
        show.say(console, str(view).rstrip("\n"))
        return
    for dimension, lines in groupby(view.direction.entries(), key=lambda pair: pair[0]):
        show.say(console, f"## {dimension}", "bold")
        for _, entry in lines:
            show.say(console, f"- {entry.text}")
            for line in _cited(memory, space, entry.refs):
                show.say(console, f"    {line}", "cyan")
    for guess in view.direction.hypotheses:
        show.say(console, hypothesis_line(guess), "dim")


def _origin(item: Evidence) -> str:
    return f"revision {item.revision}, {item.edit['tool'] if item.edit else 'written by a person'}"


def _cited(memory: Previously, space: str, refs: Iterable[Ref]) -> Iterator[str]:
    """Yield what was said at some refs."""
    store = memory.services.store
    for ref in refs:
        turn = store.turn_at(space, ref) if ref.turn else None
        if turn:
            yield f"{ref} {turn.speaker or turn.role}: “{show.shortened(turn.text, _QUOTED)}”"
        else:
            found = store.slice(space, ref.slice_id)
            yield f"{ref} " + (f"the whole slice: {found.focus}" if found else "cites nothing: run `previously doctor`")


def timeline(
    context: typer.Context,
    space: Space,
    *,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the newest.", show_default="all")] = None,
) -> None:
    """List the slices: when, what about, which topics."""
    with options_of(context).look(space) as memory:
        show.timeline(show.out(), memory.timeline(space), limit)


def slice_(
    context: typer.Context,
    slice_id: Annotated[str, typer.Argument(metavar="ID", help="As in the timeline, or any ref: 2026/08/11/1426.")],
    space: Space,
    *,
    log: Annotated[bool, typer.Option("--log", help="What the agent did, instead of what was said.")] = False,
) -> None:
    """Show one slice: its marks and what was said; a ref with #N shows that turn."""
    console = show.out()
    with options_of(context).look(space) as memory:
        item = memory.slice(space, slice_id)
        if log:
            show.say(console, _cognition(memory, space, item.slice_id))
            return
        ended = f"ended by {item.closed_by.replace('_', ' ')}" if item.closed_by else "open"
        show.say(console, f"{item.ref} · {item.turn_count} turns · {item.timezone} · {ended}", "bold")
        marks = {"focus": item.focus, "summary": item.summary, "topics": ", ".join(item.tags), "tone": item.tone}
        marks["related"] = ", ".join(str(Ref(other)) for other in item.related)
        for name, value in marks.items():
            show.say(console, f"  {name}: {value}", "dim") if value else None
        _turns(console, memory, options_of(context).context(space), slice_id)


def _turns(console: Console, memory: Previously, context: MemoryContext, cited: str) -> None:
    zone = memory.services.zone(context)
    only = Ref.parse(cited).turn
    for turn in memory.turns(context.space, cited):
        if only in {None, turn.number}:
            at = turn.event_time.astimezone(zone)
            show.heading(console, f"#{turn.number} {at:%H:%M} {turn.speaker or turn.role}")
            show.say(console, turn.text)


def _cognition(memory: Previously, space: str, slice_id: str) -> str:
    from previously.state.cognition import render_cognition  # noqa: PLC0415 - loads LangChain's messages

    store = memory.services.store
    numbers = {turn.id: turn.number for turn in store.turns(space, slice_id=slice_id)}
    notes = store.annotations(space, kind="cognition", slice_id=slice_id)
    done = [(numbers[note.turn_id], note.data) for note in notes]
    return render_cognition(str(Ref(slice_id)), done) if done else "(the agent did nothing but answer)"


class Review(StrEnum):
    """What may be done about external edits."""

    LIST = "list"
    ADOPT = "adopt"
    DISCARD = "discard"


def review(
    context: typer.Context,
    space: Space,
    action: Annotated[Review, typer.Argument(help="list, or adopt / discard one.")] = Review.LIST,
    path: Annotated[str | None, typer.Argument(help="The file, as listed.")] = None,
) -> None:
    """Show files of the mirror that were changed by hand; adopt or discard one."""
    console = show.out()
    if (action is Review.LIST) is not (path is None):
        raise typer.BadParameter("adopt and discard take the path of one file, list takes none")
    with options_of(context).look(space) as memory:
        if path is None:
            _list_edits(console, memory, space)
        elif action is Review.ADOPT:
            committed = memory.adopt(space, path)
            show.say(console, f"{path} is adopted as a new revision (commit {committed.seq})", "green")
        else:
            memory.discard(space, path)
            show.say(console, f"{path} is as memory has it; the edit is given up", "green")


def _list_edits(console: Console, memory: Previously, space: str) -> None:
    edits = memory.edits(space)
    for edit in edits:
        show.heading(console, f"{edit.path} ({edit.kind})")
        show.say(console, f"  {edit.reason or 'previously review adopt PATH makes it a revision'}", "dim")
        show.diff(console, edit.diff.splitlines())
    if not edits:
        show.say(console, "No file of the mirror was changed by hand.", "dim")
