"""How memory looks in a terminal. What users and models wrote is printed as text: no markup of ours, no control codes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from previously.state.commit import Job
    from previously.views import CardChange, TimelineView

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_SIDES = {"+": "green", "-": "red"}
_STATUS = {"changed": "green", "rejected": "yellow", "failed": "red", "dead": "red", "owed": "yellow"}


def out() -> Console:
    """Return the console of a command's result."""
    return Console(highlight=False)


def aside() -> Console:
    """Return the console of progress and questions: standard error."""
    return Console(stderr=True, highlight=False)


def plain(text: str) -> str:
    """Return a text without codes that a terminal would obey."""
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text.replace("\r\n", "\n"))


def shortened(text: str, limit: int) -> str:
    """Return a text as one line of at most `limit` characters."""
    line = " ".join(plain(text).split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def say(console: Console, text: str, style: str = "", *, end: str = "\n") -> None:
    """Print a text as it is."""
    console.print(Text(plain(text), style=style), soft_wrap=True, end=end)


def heading(console: Console, text: str) -> None:
    """Print the title of a part."""
    console.print()
    say(console, text, "bold")


def diff(console: Console, lines: Iterable[str], indent: str = "  ") -> None:
    """Print lines that went and came."""
    for line in lines:
        say(console, f"{indent}{line}", _SIDES.get(line[:1], "dim"))


def change(console: Console, item: CardChange) -> None:
    """Print one evolution: what, why, the diff, and what it rests on."""
    say(console, item.title, "bold")
    if item.reasons:
        say(console, f"  because: {'; '.join(item.reasons)}", "dim")
    diff(console, item.lines)
    if item.refs:
        say(console, f"  evidence: {', '.join(map(str, item.refs))}", "cyan")


def event(console: Console, row: dict[str, Any], indent: str = "  ") -> None:
    """Print what a run told, when it is about the card, a slice or a failure."""
    kind, status = row["kind"], row["status"]
    told = row["summary"] or row["reason"]
    if kind == "evolution" and status != "started":
        said = status.replace("_", " ")
        say(console, f"{indent}card {said}{': ' if told else ''}{told}", _STATUS.get(status, "dim"))
        diff(console, row.get("diff") or [], indent + "  ")
    elif status == "failed":
        say(console, f"{indent}{kind} failed, still owed: {row['reason']}", "red")


def table(*columns: str) -> Table:
    """Return an empty table; a column that is cut would hide what is to be copied, so the first is never broken."""
    made = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for number, column in enumerate(columns):
        made.add_column(column, no_wrap=number == 0, overflow="fold")
    return made


def row(made: Table, cells: Sequence[object], style: str = "") -> None:
    """Add a row of texts."""
    made.add_row(*(Text(plain(str(cell)), style=style) for cell in cells))


def timeline(console: Console, view: TimelineView, limit: int | None = None) -> None:
    """Print the slices, newest first."""
    from previously.views import local_span  # noqa: PLC0415 - loads the card's format

    made = table("slice", "time", "about", "turns", "topics", "tone")
    for item in view.slices[:limit]:
        tone = "open" if item.status == "active" else item.tone or "unmarked"
        row(made, (item.ref, local_span(item), view.about(item), item.turn_count, ", ".join(item.tags), tone))
    console.print(made)
    if limit is not None and len(view.slices) > limit:
        say(console, f"{len(view.slices) - limit} older slices are not shown", "dim")


def backlog(console: Console, jobs: Sequence[Job]) -> None:
    """Print what is owed."""
    made = table("key", "space", "status", "attempts", "not before", "why")
    for job in jobs:
        why = f"{job.failure.value}: {job.detail}" if job.failure else "not done yet"
        at = f"{job.next_at:%Y-%m-%d %H:%M} UTC"
        row(made, (job.key, job.space, job.status, job.attempts, at, why), _STATUS.get(job.status, ""))
    console.print(made)


def account(console: Console, result: dict[str, Any]) -> None:
    """Print what one piece of memory work did."""
    if failure := result.get("failure"):
        event(console, {"kind": "analysis", "status": "failed", "summary": "", "reason": failure["detail"]})
    if evolution := result.get("evolution"):
        event(console, {"kind": "evolution", **evolution})
