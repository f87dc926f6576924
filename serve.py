"""The graphs as LangGraph's own server loads them: `langgraph.json` names these factories."""

from __future__ import annotations

from functools import cache
from typing import Any

from langchain_core.language_models import BaseChatModel
from langgraph.graph.state import CompiledStateGraph

from previously.config import load_config, open_model
from previously.memory import Previously
from previously.state.context import MemoryContext

Graph = CompiledStateGraph[Any, MemoryContext, Any, Any]


@cache
def memory() -> Previously:
    """Return the memory of this server process, configured by its environment: see `load_config`."""
    return Previously()


def host() -> Graph:
    """Return the host graph around the configured model, without tools."""
    model: BaseChatModel = open_model(load_config().model)
    return memory().host_graph(model)


def housekeeping() -> Graph:
    """Return the graph that does the memory work of one turn, or of one owed job."""
    return memory().housekeeping


def intake() -> Graph:
    """Return the graph that takes in messages with their replies."""
    return memory().intake
