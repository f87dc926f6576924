"""`Previously`: opens the stores, hands out graphs, nodes and middleware, and answers what memory holds."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from contextlib import ExitStack
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, Literal, ParamSpec, Self, TypeVar, cast, get_args
from uuid import uuid4

from langchain_core.embeddings import Embeddings
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AnyMessage, MessageLikeRepresentation, convert_to_messages
from langchain_core.tools import BaseTool
from langgraph.graph.state import CompiledStateGraph

from previously.config import load_config, open_model
from previously.graphs.evolution import create_evolution_graph
from previously.graphs.host import create_host_graph
from previously.graphs.housekeeping import create_housekeeping_graph
from previously.graphs.intake import create_intake_graph
from previously.looking import Looking
from previously.nodes import host
from previously.nodes.housekeeping import inline_owner
from previously.nodes.pressure import check, job_key, pressure, run_owner
from previously.nodes.recording import record_messages
from previously.nodes.services import Housekeeping, Node, Services
from previously.nodes.signals import record_interaction
from previously.state.by_hand import faults, writable
from previously.state.channels import HostState
from previously.state.commit import Commit, Committed, Job, Put
from previously.state.context import DEFAULT_THREAD, MemoryContext, normal_id
from previously.state.errors import InvalidInput, NotFound
from previously.state.paths import CARD_PATH
from previously.state.settings import Settings
from previously.state.slice import Recorded
from previously.stores.database import Store, machine_clock
from previously.stores.mirror import Mirror
from previously.stores.search.index import SearchIndex

if TYPE_CHECKING:
    from previously.middleware import PreviouslyMiddleware

P = ParamSpec("P")
R = TypeVar("R")
Json = dict[str, Any]
_RECENT = 20
"""Turns in which the newest of the user's is looked for."""


def _threaded(
    method: Callable[Concatenate[Previously, P], R],
) -> Callable[Concatenate[Previously, P], Coroutine[Any, Any, R]]:
    """Return the async face of a blocking method: the same call, in a thread."""

    async def call(self: Previously, /, *args: P.args, **kwargs: P.kwargs) -> R:
        return await asyncio.to_thread(method, self, *args, **kwargs)

    call.__name__ = f"a{method.__name__}"
    call.__doc__ = f"Async face of `{method.__name__}`: the same, without blocking the loop."
    return call


class Previously(Looking):
    """The memory of all spaces in one home. Thread-safe; open one and share it; close it, or use it in `with`."""

    def __init__(
        self,
        home: str | Path | None = None,
        *,
        model: str | BaseChatModel | None = None,
        database: str | Path | None = None,
        chroma: str | None = None,
        embeddings: Embeddings | Literal[False] | None = None,
        language: str | None = None,
        mirror: bool = True,
        housekeeping: Housekeeping = "inline",
        review: bool = False,
        settings: Settings | None = None,
        clock: Callable[[], datetime] | None = None,
    ) -> None:
        """Open the stores under `home` (default: `PREVIOUSLY_HOME`, else `.previously`).

        `model` works on memory: a chat model, `provider:name`, or `offline` (rules, no key; the default). `database` is
        a path or a SQLAlchemy URL. `embeddings` let search go by meaning: any LangChain model, by default one that is
        embedded, `False` for none. `mirror` keeps the Markdown tree. `housekeeping` is `inline` or `deferred`; with
        `review` every change of card, direction and playbooks waits for a person, who is asked in a graph with a
        checkpointer. Raises `InvalidInput` naming the argument.
        """
        config = load_config(home, model=model, database=database, chroma=chroma, language=language)
        self.home = config.home
        self._checkpointers: list[Any] = []
        self._closing = ExitStack()
        if housekeeping not in get_args(Housekeeping):
            raise InvalidInput("housekeeping", f"{housekeeping!r} is not one of {', '.join(get_args(Housekeeping))}")
        if review and housekeeping == "deferred":
            raise InvalidInput("review", "needs housekeeping='inline': work in the background has nobody to ask")
        clock = clock or machine_clock
        memory_model = open_model(config.model)
        store = self._closing.enter_context(Store.open(config.database, clock=clock))
        index = SearchIndex(store, embeddings=embeddings, chroma=config.chroma or self.home / "index")
        self._closing.callback(index.close)
        self.services = Services(
            store=store,
            model=memory_model,
            index=index,
            mirror=Mirror(self.home / "mirror", store) if mirror else None,
            settings=settings or Settings(),
            language=config.language,
            housekeeping=housekeeping,
            review=review,
            clock=clock,
        )

    def close(self) -> None:
        """Close the stores. What is owed stays in the backlog."""
        self._closing.close()

    def __enter__(self) -> Self:
        """Return the memory itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the stores."""
        self.close()

    # Graphs and their pieces

    def host_graph(
        self,
        model: BaseChatModel,
        tools: Sequence[BaseTool] = (),
        *,
        system_prompt: str = "",
        checkpointer: Any = None,
        store: Any = None,
    ) -> CompiledStateGraph[Any, MemoryContext, Any, Any]:
        """Return an agent around `model` and `tools` that remembers its user: see `create_host_graph`."""
        self._checkpointers.append(checkpointer)
        return create_host_graph(
            self.services, model, tools, system_prompt=system_prompt, checkpointer=checkpointer, store=store
        )

    @property
    def receive(self) -> Node[HostState]:
        """The node that stores the user's turn first; put it at the start of a graph of your own."""
        return host.receive(self.services)

    @property
    def brief(self) -> Node[HostState]:
        """The node that sets `brief`, for `with_memory` in an agent node of your own."""
        return host.brief(self.services)

    @property
    def pressure(self) -> Node[HostState]:
        """The node that checks, before the answer, whether evolution is due; it goes behind `receive`, sets `due`."""
        return pressure(self.services)

    @cached_property
    def evolution(self) -> CompiledStateGraph[Any, MemoryContext, Any, Any]:
        """The graph of one evolution run; go there from `pressure` when the state's `due` is not empty."""
        return create_evolution_graph(self.services)

    @cached_property
    def housekeeping(self) -> CompiledStateGraph[Any, MemoryContext, Any, Any]:
        """The housekeeping graph; put it behind the agent of a graph of your own."""
        return create_housekeeping_graph(self.services)

    @cached_property
    def intake(self) -> CompiledStateGraph[Any, MemoryContext, Any, Any]:
        """The graph that takes in messages with their replies."""
        return create_intake_graph(self.services)

    @property
    def middleware(self) -> PreviouslyMiddleware:
        """Middleware for `langchain.agents.create_agent`; needs the extra `previously[langchain]`."""
        from previously.middleware import PreviouslyMiddleware  # noqa: PLC0415 - an extra

        return PreviouslyMiddleware(self.services)

    # Doing

    def record(self, messages: Sequence[MessageLikeRepresentation], context: MemoryContext) -> Recorded:
        """Store the new turns of a thread's history, durably; the model work they need goes to the backlog.

        `messages` is the history, oldest first, in any form that LangChain takes. Raises `InvalidInput` for others.
        """
        if isinstance(messages, str):
            raise InvalidInput("messages", "must be a list of messages, not one text")
        try:
            history = convert_to_messages(messages)
        except (ValueError, TypeError, NotImplementedError) as error:
            raise InvalidInput("messages", f"must be messages as LangChain takes them: {error}") from None
        return record_messages(self.services, cast("list[AnyMessage]", history), self._filled(context))

    def signal(self, kind: str, context: MemoryContext, *, detail: str = "", id: str | None = None) -> bool:  # noqa: A002
        """Record what the user did with the newest answer of a thread: a fact for the next analysis, not a score.

        `kind` is `interaction_regenerate` or `interaction_interrupt`; `id` tells two facts about one answer apart.
        False when the user has said nothing in the thread yet. Raises `InvalidInput` naming what is wrong.
        """
        return record_interaction(self.services, self._filled(context), kind, detail=detail, key=id) is not None

    def evolve(self, context: MemoryContext) -> Json | None:
        """Make an evolution run now if one is due and may run; return its account.

        A host graph checks this by itself before each answer; the end of a slice and `work` do so too.
        """
        context = self._filled(context)
        turns = self.services.store.turns(context.space, newest_first=True, limit=_RECENT)
        turn_id = next((turn.id for turn in turns if turn.role == "user"), "")
        found = check(self.services, context, turn_id, boundary=False)
        if found.skip:
            return {"status": "skipped", "reason": found.skip, "due": found.due}
        if not found.due:
            self.services.store.drop(context.space, job_key(context.agent))  # owed once, and no longer
            return None
        state = {"due": found.due, "turn": turn_id, "run": found.run}
        done = self.evolution.invoke(state, context=context)
        return done.get("evolution") or self._left_to_review(context.space, run_owner(turn_id))

    def close_slice(self, context: MemoryContext) -> Json | None:
        """End the open slice of the thread, have it marked and the card reviewed; return the account.

        An evolution run that is due by then is made at once; its account is under `evolved`.
        """
        context = self._filled(context)
        store = self.services.store
        if active := store.active_slice(context.space, context.thread or ""):
            store.close_slice(context.space, active.slice_id, "user_explicit", agent=context.agent)
        owner, now = inline_owner(context.thread), self.services.clock()
        owed = store.owed(space=context.space, thread=context.thread, kind="slice", due_at=now, owner=owner, limit=1)
        if not owed:
            self.services.project(context.space)  # a process that was killed may have left it behind
            return None
        account = self._run_job(owed[0], owner, context)
        return {**account, "evolved": self.evolve(context)}

    def work_now(self, space: str | None = None, *, limit: int | None = None) -> list[Json]:
        """Do the model work that is owed and due, oldest first, at most `limit` jobs; return the accounts.

        An evolution run that this makes due follows, with an account of its own.

        Any number of workers may run at once, also in other processes: a job belongs to one of them for a while.
        """
        owner = f"worker:{uuid4()}"
        accounts: list[Json] = []
        seen: set[tuple[str, str]] = set()
        touched: dict[tuple[str, str], MemoryContext] = {}
        while limit is None or len(accounts) < limit:
            due = self.services.store.owed(space=space, due_at=self.services.clock())
            job = next((job for job in due if (job.space, job.key) not in seen), None)
            if job is None:
                break
            seen.add((job.space, job.key))
            context = MemoryContext(space=job.space, thread=job.thread, agent=job.agent)
            if job.kind != "evolution":
                accounts.append(self._run_job(job, owner, context))
            touched[job.space, job.agent] = context
        evolved = filter(None, map(self.evolve, touched.values()))
        return [*accounts, *(account for account in evolved if account["status"] != "skipped")]

    def _run_job(self, job: Job, owner: str, context: MemoryContext) -> Json:
        state = {"job": job.key, "owner": owner}
        done = self.housekeeping.invoke(state, context=context)
        return done.get("memory") or self._left_to_review(job.space, owner)

    def _left_to_review(self, space: str, owner: str) -> Json:
        """Give back what a person has to look at first, whom nobody can ask here; return the account of that."""
        for job in self.services.store.owed(space=space):
            if job.owner == owner:
                self.services.store.release(space, job.key, owner)
        return {"status": "waiting", "reason": "a person has to review it: the next turn of a checkpointed graph asks"}

    def _filled(self, context: MemoryContext) -> MemoryContext:
        if not isinstance(context, MemoryContext):
            raise InvalidInput("context", f"must be a MemoryContext(space=…), got {context!r}")
        return context.at(
            thread=context.thread or DEFAULT_THREAD,
            now=context.now or self.services.clock(),
            language=context.language or self.services.language,
        )

    def write_card(self, space: str, text: str, *, reason: str, base: int | None = None) -> Committed:
        """Install a card that a person wrote, as a new revision; the old one stays.

        `base` is the revision that it was written on (default: the newest). A card that breaks the format raises
        `InvalidInput` with its faults; one of an older format is taken as it is and migrated at the next boundary.
        """
        return self.write(space, CARD_PATH, text, reason=reason, base=base)

    def write(self, space: str, path: str, text: str, *, reason: str, base: int | None = None) -> Committed:
        """Install a document that a person wrote, as `write_card` does: the card, the direction or a playbook."""
        space = normal_id("space", space)
        if not writable(path):
            raise InvalidInput(
                "path", f"{path!r} is written by code only: the card, the direction and playbooks may be"
            )
        if problems := faults(path, text):
            raise InvalidInput("card" if path == CARD_PATH else path, "; ".join(problems))
        head = self.services.store.head(space, path)
        commit = Commit(
            space=space,
            key=f"by-hand:{uuid4()}",
            kind="adopt",
            at=self.services.clock(),
            base={path: base if base is not None else head.revision if head else 0},
            documents=(Put(path=path, text=text, meta={"summary": reason, "edits": []}),),
            result={"reason": reason},
        )
        return self.services.install(commit)

    def adopt(self, space: str, path: str) -> Committed:
        """Make an external edit of a mirrored document a new revision of it; see `edits`."""
        mirror = self._mirror()
        space = normal_id("space", space)
        edit = next((edit for edit in mirror.edits(space) if edit.path == path), None)
        if edit is None:
            raise NotFound(f"{path} has no external edit in this space: `previously review` lists them")
        if not edit.adoptable:
            raise InvalidInput("path", edit.reason)
        return self.write(space, path, mirror.adopt(space, path), reason="adopted from the mirror")

    def discard(self, space: str, path: str) -> str:
        """Write the stored text back over an external edit; return the text that was given up."""
        return self._mirror().discard(normal_id("space", space), path)

    def retry(self, space: str, key: str) -> None:
        """Make an owed or dead job due now, with all its attempts."""
        self.services.store.retry(normal_id("space", space), key)

    def rebuild(self, space: str) -> None:
        """Delete and rebuild what is derived from the database: the mirror and the index of the space."""
        space = normal_id("space", space)
        if self.services.mirror:
            self.services.mirror.rebuild(space)
        self.services.index.rebuild(space)

    def erase(self, space: str) -> int:
        """Remove a space everywhere: database, backlog, index, mirror and checkpoints; return the rows removed."""
        space = normal_id("space", space)
        threads = self.services.store.threads(space, only=True)
        for saver in filter(None, self._checkpointers):
            for thread in threads:
                saver.delete_thread(thread)
        if self.services.mirror:
            self.services.mirror.erase(space)
        self.services.index.erase(space)
        return self.services.store.erase(space)

    arecord = _threaded(record)
    aclose_slice = _threaded(close_slice)
    work = _threaded(work_now)
    aerase = _threaded(erase)
