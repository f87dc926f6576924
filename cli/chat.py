"""`previously chat`: a host agent in the terminal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from langchain_core.messages import AIMessage, HumanMessage

from previously.cli import show
from previously.cli.checkpoints import open_checkpoints
from previously.nodes.failures import detail_of, failure_of
from previously.state.errors import PreviouslyError

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from rich.console import Console

    from previously.memory import Previously
    from previously.state.context import MemoryContext

_HELP = "/card shows what I know about you, /close ends this slice, /timeline lists all, /quit leaves"


@dataclass(frozen=True, kw_only=True)
class Chat:
    """One conversation in a terminal."""

    console: Console
    memory: Previously
    model: BaseChatModel
    """Answers the user; the model of memory work is the memory's own."""
    context: MemoryContext
    """Whose memory, and with a thread that no other space has."""
    system: str = ""

    def run(self) -> None:
        """Talk until the user leaves."""
        show.say(self.console, f"You are {self.context.space}. {_HELP}.", "dim")
        with open_checkpoints(self.memory) as saver:
            graph = self.memory.host_graph(self.model, system_prompt=self.system, checkpointer=saver)
            while (text := self._ask()) is not None:
                if text.startswith("/"):
                    self._command(text[1:])
                elif text:
                    self._say(graph, text)

    def _ask(self) -> str | None:
        """Return what the user typed, `None` when they leave."""
        try:
            text = self.console.input("[bold]you[/] › ").strip()
        except (EOFError, KeyboardInterrupt):
            return None
        return None if text in {"/quit", "/exit", "/q"} else text

    def _command(self, name: str) -> None:
        if name == "card":
            show.say(self.console, str(self.memory.card(self.context.space, self.context.agent)))
        elif name == "timeline":
            show.timeline(self.console, self.memory.timeline(self.context.space))
        elif name == "close":
            account = self.memory.close_slice(self.context)
            show.say(self.console, "The slice is closed." if account else "There is no open slice.", "dim")
            show.account(self.console, account or {})
        else:
            show.say(self.console, _HELP if name == "help" else f"There is no /{name}. {_HELP}.", "dim")

    def _say(self, graph: Any, text: str) -> None:
        """Print the reply as it comes, then what memory did with the turn."""
        config = {"configurable": {"thread_id": self.context.thread}}
        modes = {"stream_mode": ["messages", "custom"], "subgraphs": True, "durability": "sync"}
        spoken = False
        try:
            for _, mode, chunk in graph.stream(
                {"messages": [HumanMessage(text)]}, config, context=self.context, **modes
            ):
                if mode == "messages" and isinstance(chunk[0], AIMessage) and chunk[0].text:
                    show.say(self.console, chunk[0].text, end="")
                    spoken = True
                elif mode == "custom":
                    spoken = self._told(chunk["previously"], spoken=spoken)
        except PreviouslyError:
            raise
        except Exception as error:  # noqa: BLE001 - a model's client may raise anything; the talk goes on
            self.console.print()
            reason = f"no answer ({failure_of(error).value}: {detail_of(error)}); what you said is recorded"
            show.say(self.console, reason, "red")
            return
        if spoken:
            self.console.print()

    def _told(self, row: dict[str, Any], *, spoken: bool) -> bool:
        """Print an event on a line of its own; return whether a reply stands unfinished on the line."""
        if spoken and row["kind"] in {"analysis", "evolution"}:
            self.console.print()
            spoken = False
        show.event(self.console, row)
        return spoken
