"""Fitness deltas as feedback in LangSmith, where it is watching: beside the turn, never in its way."""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from langchain_core.runnables import RunnableConfig
from langchain_core.tracers import LangChainTracer

_log = logging.getLogger("previously")

Rows = Sequence[Mapping[str, Any]]


def send_feedback(config: RunnableConfig, scores: Rows) -> None:
    """Tell LangSmith of deltas as `fitness.<bucket>` of the turn's root run, when it traces this run. Never raises.

    `scores` are rows of bucket, delta and evidence; deltas of 0 are not sent. It happens in a thread of its own, since
    the client may ask the server first.
    """
    tracer, root = _tracing(config)
    rows = [row for row in scores if row["delta"]]
    if tracer is not None and root is not None and rows:
        threading.Thread(target=_send, args=(tracer, root, rows), name="previously-feedback", daemon=True).start()


def _tracing(config: RunnableConfig) -> tuple[LangChainTracer | None, UUID | None]:
    """Return the tracer among a run's callbacks, and the root of the trace that the run belongs to."""
    manager: Any = config.get("callbacks")
    handlers = manager if isinstance(manager, list) else getattr(manager, "handlers", ())
    tracer = next((handler for handler in handlers if isinstance(handler, LangChainTracer)), None)
    parent = getattr(manager, "parent_run_id", None)
    if tracer is None or parent is None:
        return tracer, None
    known = tracer.order_map.get(parent)
    return tracer, known[0] if known else None


def _send(tracer: LangChainTracer, root: UUID, rows: Rows) -> None:
    client: Any = tracer.client
    try:
        project = _project_id(client, tracer.project_name)
        for row in rows:
            client.create_feedback(
                key=f"fitness.{row['bucket']}",
                score=row["delta"],
                comment=row["evidence"],
                run_id=root,
                trace_id=root,
                session_id=project,
            )
    except Exception as error:  # noqa: BLE001 - whatever a client raises, it is no matter of the turn
        _log.warning("a fitness score could not be sent to LangSmith: %s", type(error).__name__)


def _project_id(client: Any, name: str | None) -> Any:
    """Return the id of the project that is traced to, `None` where the server does not tell (yet)."""
    try:
        return client.read_project(project_name=name).id
    except Exception:  # noqa: BLE001 - as above
        return None
