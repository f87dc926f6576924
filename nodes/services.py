"""What nodes work with: the stores, the model and the limits, opened once and handed to every graph."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, Protocol, TypeVar
from zoneinfo import ZoneInfo

from langchain_core.language_models import BaseChatModel
from langgraph.runtime import Runtime

from previously.nodes.breaker import Breaker
from previously.state.commit import Commit, Committed
from previously.state.context import DEFAULT_THREAD, MemoryContext, zone
from previously.state.errors import InvalidInput
from previously.state.settings import Settings
from previously.stores.database import Store, machine_clock
from previously.stores.mirror import Mirror, MirrorError
from previously.stores.search.index import SearchError, SearchIndex
from previously.stores.tokens import TokenCounter

_log = logging.getLogger("previously")


Housekeeping = Literal["inline", "deferred"]
State_contra = TypeVar("State_contra", contravariant=True)


class Node(Protocol[State_contra]):
    """A step of a graph: reads the state, returns what it changes."""

    def __call__(self, state: State_contra, *, runtime: Runtime[MemoryContext]) -> dict[str, Any]:
        """Do the step."""


@dataclass(frozen=True, kw_only=True)
class Services:
    """The open stores, the model of memory work and its limits. One for each `Previously` object."""

    store: Store
    model: BaseChatModel
    """Answers the analysis and the editing steps; the host's own model is not here."""
    index: SearchIndex
    mirror: Mirror | None = None
    settings: Settings = field(default_factory=Settings)
    language: str | None = None
    """Default language of prompts and memory text; a call's own `language` wins, `None` follows the user's text."""
    housekeeping: Housekeeping = "inline"
    review: bool = False
    """Interrupt with the diff before a commit changes the card."""
    clock: Callable[[], datetime] = machine_clock
    breaker: Breaker = field(default_factory=Breaker)
    count_tokens: TokenCounter = field(default_factory=TokenCounter)

    def context(self, runtime: Runtime[Any]) -> MemoryContext:
        """Return the run's context with language, thread and time filled in.

        Reads `runtime.context`: a `MemoryContext`, an object or mapping that holds one under `memory`, or the fields
        themselves as a mapping. Raises `InvalidInput` naming `space` when there is none.
        """
        context = _find_context(runtime.context)
        info = runtime.execution_info
        thread = context.thread or (info.thread_id if info else None) or DEFAULT_THREAD
        return context.at(thread=thread, now=context.now or self.clock(), language=context.language or self.language)

    def zone(self, context: MemoryContext) -> ZoneInfo:
        """Return the zone that renders times for this context: its own, else the space's."""
        return zone("timezone", context.timezone or self.store.timezone(context.space))

    def install(self, commit: Commit) -> Committed:
        """Commit, then bring the projections up to date. A projection that fails is caught up by the next commit."""
        committed = self.store.commit(commit)
        self.project(commit.space)
        return committed

    def project(self, space: str) -> None:
        """Catch the mirror and the index up with the database."""
        if self.mirror is not None:
            try:
                self.mirror.sync(space)
            except MirrorError as error:
                _log.warning("the mirror of a space could not be brought up to date: %s", error)
        try:
            self.index.catch_up(space)
        except SearchError as error:
            _log.warning("the search index of a space could not be brought up to date: %s", error)


def _find_context(context: object) -> MemoryContext:
    if isinstance(context, MemoryContext):
        return context
    inner = context.get("memory") if isinstance(context, dict) else getattr(context, "memory", None)
    if inner is not None:
        return _find_context(inner)
    if isinstance(context, dict):
        known = MemoryContext.__dataclass_fields__
        return MemoryContext(**{name: value for name, value in context.items() if name in known})
    raise InvalidInput("space", "no memory context in this run: pass context=MemoryContext(space=…) when you invoke")
