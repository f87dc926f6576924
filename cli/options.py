"""What commands are told on the command line, and the memory that it opens. Loads nothing heavy early."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from previously.state.errors import NotFound, PreviouslyError

if TYPE_CHECKING:
    from previously.memory import Previously
    from previously.state.context import MemoryContext

_SPACE_HELP = "Whose memory: the id of one user."
Space = Annotated[str, typer.Option("--space", "-s", envvar="PREVIOUSLY_SPACE", help=_SPACE_HELP, show_default=False)]
AnySpace = Annotated[
    str | None,
    typer.Option("--space", "-s", envvar="PREVIOUSLY_SPACE", help="Only this user's memory.", show_default="all"),
]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]


@dataclass(frozen=True, kw_only=True)
class Options:
    """The options of the program itself; what is `None` comes from the environment, then from the defaults."""

    home: Path | None = None
    database: str | None = None
    model: str | None = None
    language: str | None = None
    timezone: str | None = None

    def open(self, **changes: Any) -> Previously:
        """Open the memory to work on it, making it where there is none."""
        from previously.memory import Previously  # noqa: PLC0415 - takes seconds to import

        given = {"database": self.database, "model": self.model, "language": self.language, **changes}
        return Previously(given.pop("home", self.home), **given)

    def look(self, space: str | None = None) -> Previously:
        """Open a memory that is there, to look at it or to tidy it: needs no model, and makes nothing."""
        from previously.config import OFFLINE, load_config  # noqa: PLC0415

        config = load_config(self.home, database=self.database)
        if "://" not in str(config.database) and not Path(config.database).expanduser().is_file():
            raise NotFound(f"there is no memory at {config.database}: name its folder with --home or PREVIOUSLY_HOME")
        memory = self.open(model=OFFLINE)
        if space is not None and normal(space) not in memory.services.store.spaces():
            memory.close()
            raise NotFound(f"{config.database} has no space {space!r}: `previously doctor` lists the spaces")
        return memory

    def context(self, space: str, **more: Any) -> MemoryContext:
        """Return the context of a run on a space. Raises `InvalidInput` for a language or a zone that is unknown."""
        from previously.prompts.registry import language_code  # noqa: PLC0415
        from previously.state.context import MemoryContext  # noqa: PLC0415

        language = language_code(self.language) if self.language else None
        return MemoryContext(space=space, language=language, timezone=self.timezone, **more)


def normal(space: str) -> str:
    """Return the one spelling of a space's id."""
    from previously.state.context import normal_id  # noqa: PLC0415

    return normal_id("space", space)


def options_of(context: typer.Context) -> Options:
    """Return the program's own options."""
    found: Options = context.obj
    return found


class Program(typer.core.TyperGroup):
    """The program: its own options may stand anywhere on the line, and an error of ours is one line."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put the program's own options first, where the parser wants them."""
        mine = {name for param in self.params for name in param.opts if name != "--help" and not _is_flag(param)}
        return list(super().parse_args(ctx, _first(args, mine)))

    def invoke(self, ctx: Any) -> Any:
        """Run a command; exit with 1 when it can't be done."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise  # whoever reads has had enough
        except (PreviouslyError, OSError) as error:
            typer.secho(f"previously: {error}", err=True, fg=typer.colors.RED)
            raise typer.Exit(1) from None


def _is_flag(param: Any) -> bool:
    return bool(getattr(param, "is_flag", False))


def _first(args: Sequence[str], names: set[str]) -> list[str]:
    front, rest, left = list[str](), list[str](), iter(args)
    for arg in left:
        name, has_value, _ = arg.partition("=")
        if arg == "--":
            rest += [arg, *left]
        elif name in names and not has_value:
            value = next(left, None)
            if value is None:
                raise typer.BadParameter("needs a value", param_hint=name)
            front += [arg, value]
        elif name in names:
            front.append(arg)
        else:
            rest.append(arg)
    return [*front, *rest]
