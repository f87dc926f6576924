"""Commands that keep memory in order: what is owed, what is derived, what is to go, what is wrong."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from previously.cli import show
from previously.cli.options import AnySpace, Space, Yes, normal, options_of

if TYPE_CHECKING:
    from previously.memory import Previously


_HAND_EDITS = "Files changed by hand will be lost (`previously review` shows them). Go on?"


class Backlog(StrEnum):
    """What may be done about the backlog."""

    LIST = "list"
    RETRY = "retry"


def backlog(
    context: typer.Context,
    action: Annotated[Backlog, typer.Argument(help="list, or retry one job.")] = Backlog.LIST,
    key: Annotated[str | None, typer.Argument(help="The job, as listed.")] = None,
    space: AnySpace = None,
    *,
    dead: Annotated[bool, typer.Option("--dead", help="Only jobs that are given up.")] = False,
) -> None:
    """List the model work that is owed and why; retry a job, also a dead one."""
    console = show.out()
    if (action is Backlog.LIST) is not (key is None):
        raise typer.BadParameter("retry takes the key of one job, list takes none")
    with options_of(context).look(space) as memory:
        if key is None:
            jobs = [job for job in memory.backlog(space) if job.status == "dead" or not dead]
            show.backlog(console, jobs) if jobs else show.say(console, "Nothing is owed.", "dim")
        elif space is None:
            raise typer.BadParameter("retry needs --space")
        else:
            memory.retry(space, key)
            show.say(console, f"{key} is due again: `previously work` does it now, else the next turn does", "green")


def work(
    context: typer.Context,
    space: AnySpace = None,
    *,
    limit: Annotated[int | None, typer.Option(min=1, help="Jobs at the most.", show_default="all")] = None,
) -> None:
    """Do the model work that is owed and due."""
    from rich.progress import Progress  # noqa: PLC0415

    done = failed = 0
    with options_of(context).open() as memory, Progress(console=show.aside(), transient=True) as progress:
        due = len(memory.services.store.owed(space=space and normal(space), due_at=memory.services.clock()))
        task = progress.add_task("working", total=min(due, limit or due))
        while limit is None or done < limit:
            accounts = memory.work_now(space, limit=1)
            if not accounts:
                break
            passes = [each for account in accounts for each in (account, *account.get("also", []))]
            done += len(passes)
            failed += sum(account.get("status") == "failed" for account in passes)
            for account in passes:
                show.account(progress.console, account)
            progress.advance(task, len(passes))
        left = len(memory.backlog(space))
    show.say(show.out(), f"{done} jobs done, {failed} of them failed; {left} owed")


def rebuild(context: typer.Context, space: Space, *, yes: Yes = False) -> None:
    """Delete what is derived from the database (mirror, index) and make it anew."""
    console = show.out()
    with options_of(context).look(space) as memory:
        if not yes and _changed_by_hand(memory, space):
            typer.confirm(_HAND_EDITS, abort=True, err=True)
        with show.aside().status("rebuilding"):
            memory.rebuild(space)
        show.say(console, f"mirror and index of {space} are built anew", "green")


def _changed_by_hand(memory: Previously, space: str) -> bool:
    from previously.stores.mirror import MirrorError  # noqa: PLC0415 - loads git

    try:
        return memory.services.mirror is not None and bool(memory.edits(space))
    except MirrorError:
        return False  # a broken mirror is what a rebuild is for


def erase(context: typer.Context, space: Space, *, yes: Yes = False) -> None:
    """Remove everything of one user: database, backlog, index, mirror and checkpoints."""
    from previously.cli.checkpoints import erase_threads  # noqa: PLC0415

    with options_of(context).look(space) as memory:
        stats = memory.services.store.stats(normal(space))
        held = ", ".join(f"{count} {name}" for name, count in stats.items() if count and name != "spaces")
        if not yes:
            typer.confirm(f"{space} has {held}. Erase all of it, for good?", abort=True, err=True)
        erase_threads(memory, normal(space))
        removed = memory.erase(space)
        show.say(show.out(), f"{removed} rows of {space} and everything made from them are gone", "green")


def doctor(context: typer.Context, space: AnySpace = None) -> None:
    """Check database, mirror, index, backlog and model; exit with 1 when something needs doing."""
    from previously.cli.checks import examine  # noqa: PLC0415

    made = show.table("what", "state", "to do")
    needed = 0
    with show.aside().status("looking"):
        for check in examine(options_of(context), space):
            needed += bool(check.todo)
            show.row(made, (check.what, check.state, check.todo or ""), "yellow" if check.todo else "")
    show.out().print(made)
    if needed:
        show.say(show.out(), f"{needed} things need doing", "yellow")
        raise typer.Exit(1)
    show.say(show.out(), "All is well.", "green")
