"""`previously replay`: progress while it runs, then what came of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from previously.cli import show
from previously.replay import Step, replay
from previously.transcripts import Transcript, load_transcripts

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import Console

    from previously.cli.options import Options
    from previously.memory import Previously
    from previously.state.context import MemoryContext

_COLUMNS = (
    TextColumn("{task.description}"),
    BarColumn(),
    MofNCompleteColumn(),
    TextColumn("messages"),
    TimeRemainingColumn(),
)
_TITLE = 40


def run_replay(console: Console, options: Options, file: Path, space: str, *, close: bool, thread: str | None) -> None:
    """Take in every conversation of a file."""
    transcripts = load_transcripts(file, timezone=options.timezone)
    if thread and len(transcripts) > 1:
        raise typer.BadParameter(f"names one conversation, the file holds {len(transcripts)}", param_hint="--thread")
    if thread:
        transcripts = [replace(transcripts[0], thread=thread)]
    with options.open() as memory:
        context = options.context(space)
        before = len(memory.evolutions(context.space).runs)
        counts = _take_in(memory, transcripts, context, close=close)
        _sum_up(console, memory, context.space, transcripts, counts)
        runs = [run for run in memory.evolutions(context.space).runs[before:] if run.status != "no_change"]
        if runs:
            show.heading(console, "What evolved, and why")
        for run in runs:
            show.run(console, run, why=True)


def _take_in(
    memory: Previously, transcripts: Sequence[Transcript], context: MemoryContext, *, close: bool
) -> Counter[str]:
    counts: Counter[str] = Counter()
    with Progress(*_COLUMNS, console=show.aside()) as progress:
        for transcript in transcripts:
            title = show.shortened(transcript.title or transcript.thread, _TITLE)
            task = progress.add_task(title, total=len(transcript.messages))
            done = 0
            for step in replay(memory, transcript, context, close=close):
                counts += _counted(step, closing=step.done == done)
                done = step.done
                progress.update(task, completed=done)
                for row in step.events:
                    if row["status"] in {"changed", "failed", "rejected"} and row["kind"] != "slice":
                        show.event(progress.console, {**row, "diff": []}, indent="")
    return counts


def _counted(step: Step, *, closing: bool) -> Counter[str]:
    accounts = [step.account, *step.account.get("also", []), step.account.get("evolved") or {}]
    usage = Counter[str]()
    for account in accounts:
        usage.update(account.get("usage", {}))
    return usage + Counter(
        taken=not step.repeated and not closing,
        closed=closing,
        repeated=step.repeated,
        failed=sum(account.get("status") == "failed" for account in accounts),
        evolved=sum((account.get("evolution") or {}).get("status") == "changed" for account in accounts),
    )


def _sum_up(
    console: Console, memory: Previously, space: str, transcripts: Sequence[Transcript], counts: Counter[str]
) -> None:
    total = sum(len(transcript.messages) for transcript in transcripts)
    if not counts["taken"] and not counts["closed"]:
        show.say(console, f"Nothing was new: all {total} messages are in the memory of {space} already.")
    else:
        known = f", {counts['repeated']} were there already" if counts["repeated"] else ""
        ended = f"; {counts['closed']} slices closed at the end" if counts["closed"] else ""
        show.say(console, f"{counts['taken']} exchanges taken in{known}{ended}. {total} messages in all.", "green")
        tokens = f"{counts['input_tokens']:,} tokens in, {counts['output_tokens']:,} out"
        show.say(console, f"The card changed {counts['evolved']} times. {counts['calls']} model calls, {tokens}.")
    slices, owed = len(memory.timeline(space).slices), len(memory.backlog(space))
    show.say(console, f"{slices} slices, card revision {memory.card(space).revision}, {owed} jobs owed.")
    if owed:
        show.say(console, "`previously backlog` says why; `previously work` does what is due.", "yellow")
