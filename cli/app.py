"""The program and its commands."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import previously
from previously.cli import care, look, talk
from previously.cli.options import Options, Program

app = typer.Typer(
    name="previously",
    cls=Program,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Long-term memory that cites evidence. Its own options, such as --home, may stand anywhere on the line.",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:  # noqa: FBT001 - the form of a callback
    if wanted:
        typer.echo(f"previously {previously.__version__}")
        raise typer.Exit


@app.callback()
def program(
    context: typer.Context,
    *,
    home: Annotated[Path | None, typer.Option(help="Folder of the memory. (env PREVIOUSLY_HOME)")] = None,
    database: Annotated[
        str | None, typer.Option(help="SQLite file or SQLAlchemy URL. (env PREVIOUSLY_DATABASE_URL)")
    ] = None,
    model: Annotated[str | None, typer.Option(help="provider:name, or offline. (env PREVIOUSLY_MODEL)")] = None,
    language: Annotated[
        str | None, typer.Option(help="en or zh; else the user's own. (env PREVIOUSLY_LANGUAGE)")
    ] = None,
    timezone: Annotated[
        str | None, typer.Option(envvar="PREVIOUSLY_TIMEZONE", help="The user's zone, e.g. Europe/Berlin.")
    ] = None,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Keep the options for the command."""
    del version
    context.obj = Options(home=home, database=database, model=model, language=language, timezone=timezone)


for _panel, _commands in {
    "Talk": (talk.demo, talk.chat, talk.replay, talk.signal),
    "Look": (look.card, look.evolution, look.timeline, look.slice_, look.review),
    "Care": (care.backlog, care.work, care.rebuild, care.erase, care.doctor),
}.items():
    for _command in _commands:
        app.command(_command.__name__.rstrip("_"), rich_help_panel=_panel)(_command)


def main() -> None:
    """Run the program."""
    app()
