"""A conversation that was held elsewhere: the host graph's own steps without an agent between them.

`receive → pressure → [evolution] → housekeeping`.
"""

from __future__ import annotations

from typing import Any

from langgraph.graph import END, StateGraph
from langgraph.graph.state import CompiledStateGraph

from previously.graphs.housekeeping import create_housekeeping_graph
from previously.graphs.opening import add_opening
from previously.nodes.services import Services
from previously.state.channels import HostInput, HostState
from previously.state.context import MemoryContext


def create_intake_graph(
    services: Services, *, checkpointer: Any = None
) -> CompiledStateGraph[HostState, MemoryContext, HostInput, HostState]:
    """Return the graph that takes in messages with their replies, as replays and imports do."""
    builder = StateGraph(HostState, input_schema=HostInput, context_schema=MemoryContext)
    add_opening(builder, services, then="housekeeping")
    builder.add_node("housekeeping", create_housekeeping_graph(services))
    builder.add_edge("housekeeping", END)
    return builder.compile(checkpointer=checkpointer, name="intake")
