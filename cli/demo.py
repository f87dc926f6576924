"""`previously demo`: an example conversation, watched as memory takes it in, then what memory made of it."""

from __future__ import annotations

import tempfile
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from previously.cli import show
from previously.config import OFFLINE
from previously.prompts.registry import language_code
from previously.replay import replay
from previously.state.context import MemoryContext
from previously.transcripts import Transcript, load_transcripts

if TYPE_CHECKING:
    from langchain_core.messages import AnyMessage
    from rich.console import Console

    from previously.cli.options import Options
    from previously.memory import Previously

_SAID = 100
"""Characters of a message that are shown."""


class _Example(NamedTuple):
    file: str
    space: str
    timezone: str


_EXAMPLES = {
    "en": _Example("alex.jsonl", "alex", "Europe/Berlin"),
    "zh-Hans": _Example("xiaoai.jsonl", "xiaoai", "Asia/Shanghai"),
}


def run_demo(console: Console, options: Options) -> None:
    """Replay the example of a language into a fresh folder, or into the home that was named."""
    language = language_code(options.language or "en")
    example = _EXAMPLES[language]
    home = (options.home or Path(tempfile.mkdtemp(prefix="previously-demo-"))).expanduser().absolute()
    model = options.model or OFFLINE
    with as_file(files("previously") / "examples" / example.file) as file:
        transcript = load_transcripts(file)[0]
    context = MemoryContext(space=example.space, timezone=options.timezone or example.timezone, language=language)
    database = options.database or str(home / "memory.db")
    with options.open(home=home, database=database, model=model, chroma=str(home / "index")) as memory:
        by = "by rules, without a key or a network" if model == OFFLINE else f"by {model}"
        show.say(console, f"A conversation of {len(transcript.messages)} messages, remembered {by}.", "bold")
        _watch(console, memory, transcript, context)
        _conclude(console, memory, example.space)
        _places(console, memory, example.space, database)


def _watch(console: Console, memory: Previously, transcript: Transcript, context: MemoryContext) -> None:
    """Print each slice with what the user said in it, and what the card made of that."""
    done, slice_id = 0, ""
    for step in replay(memory, transcript, context, close=True):
        for message in transcript.messages[done : step.done]:
            slice_id = _heard(console, memory, context.space, message, slice_id)
        done = step.done
        for row in step.events:
            show.event(console, {**row, "diff": []}, indent="      ")
        if step.account and not step.events:
            show.say(console, "      the conversation is over: the last slice is closed and reviewed", "dim")
            show.account(console, step.account, indent="      ")


def _heard(console: Console, memory: Previously, space: str, message: AnyMessage, slice_id: str) -> str:
    """Print one message; return the slice that it is in."""
    turn = memory.services.store.turn(space, str(message.id))
    if turn is None:
        return slice_id
    if turn.slice_id != slice_id:
        show.heading(console, f"slice {turn.ref.slice_id}")
    who = turn.speaker or turn.role
    style = "" if turn.role == "user" else "dim"
    show.say(console, f"  #{turn.number} {who}: {show.shortened(turn.text, _SAID)}", style)
    return turn.slice_id


def _conclude(console: Console, memory: Previously, space: str) -> None:
    show.heading(console, "How the card evolved")
    for change in memory.changes(space):
        show.change(console, change)
    if runs := [run for run in memory.evolutions(space).runs if run.status != "no_change"]:
        show.heading(console, "What the evolution loop did")
        for run in runs:
            show.run(console, run, why=True)
    show.heading(console, "The card")
    show.say(console, str(memory.card(space)).rstrip("\n"))
    show.heading(console, "The timeline")
    show.timeline(console, memory.timeline(space))
    jobs = memory.backlog(space)
    show.heading(console, "The backlog")
    show.backlog(console, jobs) if jobs else show.say(console, "Nothing is owed.", "dim")


def _places(console: Console, memory: Previously, space: str, database: str) -> None:
    show.heading(console, "Where it is")
    places = {"database": database}
    if mirror := memory.services.mirror:
        places["mirror"] = str(mirror.folder(space))
    for name, place in places.items():
        show.say(console, f"  {name}: {place}")
    show.say(
        console, f"  to see the proof of each line: previously --home {memory.home} card --space {space} --why", "dim"
    )
