"""Commands that take conversations in: a demonstration, a chat, a transcript."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from previously.cli import show
from previously.cli.options import Space, options_of
from previously.state.context import DEFAULT_AGENT


def demo(context: typer.Context) -> None:
    """Replay an example conversation by rules, without a key; show the card, what evolved, where the files are."""
    from previously.cli.demo import run_demo  # noqa: PLC0415 - loads the graphs

    run_demo(show.out(), options_of(context))


def chat(
    context: typer.Context,
    space: Space,
    *,
    thread: Annotated[str, typer.Option(help="The conversation; it goes on where it stopped.")] = "chat",
    chat_model: Annotated[
        str | None, typer.Option(help="Who answers, as provider:name.", show_default="the model of memory work")
    ] = None,
    system: Annotated[str, typer.Option(help="The agent's own instructions.")] = "",
) -> None:
    """Talk to an agent that remembers you. /help lists what else you can type."""
    from previously.cli.chat import Chat  # noqa: PLC0415 - loads the graphs
    from previously.cli.checkpoints import thread_id  # noqa: PLC0415
    from previously.config import open_model  # noqa: PLC0415

    run = options_of(context).context(space)
    run = run.at(thread=thread_id(run.space, thread))
    with options_of(context).open() as memory:
        model = open_model(chat_model) if chat_model else memory.services.model
        Chat(console=show.out(), memory=memory, model=model, context=run, system=system).run()


def replay(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="JSONL, ChatGPT's conversations.json, or LangChain messages as JSON.")],
    space: Space,
    *,
    close: Annotated[bool, typer.Option("--close/--no-close", help="End the last slice and review it.")] = True,
    thread: Annotated[str | None, typer.Option(help="Name of the conversation.", show_default="from the file")] = None,
) -> None:
    """Take a transcript in, each message at its own time. Goes on where it stopped, and repeats nothing."""
    from previously.cli.replaying import run_replay  # noqa: PLC0415 - loads the graphs

    run_replay(show.out(), options_of(context), file, space, close=close, thread=thread)


def signal(
    context: typer.Context,
    kind: Annotated[str, typer.Argument(help="interaction_regenerate or interaction_interrupt.")],
    space: Space,
    *,
    thread: Annotated[str | None, typer.Option(help="The conversation.", show_default="the newest")] = None,
    agent: Annotated[str, typer.Option(help="The agent whose answer it was.")] = DEFAULT_AGENT,
    detail: Annotated[str, typer.Option(help="What there is to say about it, one line.")] = "",
) -> None:
    """Record what a user did with the newest answer: a fact for the next analysis, not a score."""
    run = options_of(context).context(space, agent=agent)
    with options_of(context).look(space) as memory:
        newest = memory.services.store.turns(run.space, newest_first=True, limit=1)
        run = run.at(thread=thread or next((turn.thread for turn in newest), None))
        told = "recorded" if memory.signal(kind, run, detail=detail) else "nothing was said in that thread yet"
        show.say(show.out(), told, "dim")
