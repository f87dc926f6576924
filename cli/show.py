"""How memory looks in a terminal. What users and models wrote is printed as text: no markup, no control codes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from previously.views import Diff

if TYPE_CHECKING:
    from previously.state.commit import Job
    from previously.views import CardChange, EvolutionRun, LedgerView, TimelineView

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_SIDES = {"+": "green", "-": "red"}
_CARD = {
    "changed": "card changed",
    "no_change": "card looked at, no change",
    "skipped": "card not looked at",
    "rejected": "card not changed, the change was rejected",
    "failed": "card not changed, the work failed and is still owed",
}
_RUN = {
    "changed": "evolution run, something changed",
    "no_change": "evolution run, nothing had to change",
    "skipped": "evolution is due, but waits",
    "rejected": "evolution run, its proposal was rejected",
    "failed": "evolution run failed, it is still due",
}
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


def ledger(console: Console, view: LedgerView) -> None:
    """Print the nets and the scores behind them."""
    if not view.rows:
        say(console, "No score counts at present.", "dim")
        return
    for bucket, net in view.net.items():
        say(console, f"{bucket}: {net:+d} (evolution is due at {view.pressure})")
    made = table("bucket", "delta", "said in", "the user's words")
    for cells in view.rows:
        row(made, cells)
    console.print(made)


def run(console: Console, item: EvolutionRun, *, why: bool) -> None:
    """Print one evolution run: what came of it, and with `why` what it read."""
    say(console, item.title, _STATUS.get(item.status, "bold"))
    reading = item.evidence if why else []
    for line in [*(f"  read: {words}" for words in reading), *(f"  rejected: {reason}" for reason in item.reasons)]:
        say(console, line, "dim")
    diff(console, item.diff.lines)
    usage = item.account["usage"]
    if why:
        told = f"{usage['calls']} model calls, {usage['input_tokens']:,} tokens in, {usage['output_tokens']:,} out"
        say(console, f"  cost: {told}. {item.account['reasoning']}", "dim")


def event(console: Console, row: dict[str, Any], indent: str = "  ") -> None:
    """Print what a run told, when it is about the card, a slice or a failure."""
    kind, status = row["kind"], row["status"]
    told = row["summary"] or row["reason"]
    if kind == "evolution" and status != "started":
        said = (_RUN if row.get("due") else _CARD).get(status, status)
        say(console, f"{indent}{said}: {told}".removesuffix(": "), _STATUS.get(status, "dim"))
        diff(console, Diff.of(row.get("diff") or []).lines, indent + "  ")
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
    """Print the slices, newest first, two lines each: what it was about; when, how long, which topics."""
    for item in view.slices[:limit]:
        say(console, f"{item.ref}  {view.about(item)}")
        say(console, f"    {' · '.join(filter(None, view.facts(item)))}", "dim")
    if not view.slices:
        say(console, "There are no slices yet.", "dim")
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


def account(console: Console, result: dict[str, Any], indent: str = "  ") -> None:
    """Print what one piece of memory work did."""
    if failure := result.get("failure"):
        event(console, {"kind": "analysis", "status": "failed", "summary": "", "reason": failure["detail"]}, indent)
    run_account = result if result.get("due") else None
    for told in filter(None, [result.get("evolution"), result.get("evolved"), run_account]):
        event(console, {"kind": "evolution", "summary": "", "due": [], **told}, indent)
