"""A conversation that was held elsewhere: the host graph's own steps without an agent between them.

`receive → pressure → [evolution] → housekeeping`.
"""

from __future__ import annotations

from typing import Any

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from previously.graphs.evolution import create_evolution_graph
from previously.graphs.housekeeping import create_housekeeping_graph
from previously.nodes import host
from previously.nodes.pressure import pressure
from previously.nodes.services import Services
from previously.state.channels import HostInput, HostState
from previously.state.context import MemoryContext


def create_intake_graph(
    services: Services, *, checkpointer: Any = None
) -> CompiledStateGraph[HostState, MemoryContext, HostInput, HostState]:
    """Return the graph that takes in messages with their replies, as replays and imports do."""
    builder = StateGraph(HostState, input_schema=HostInput, context_schema=MemoryContext)
    builder.add_node("receive", host.receive(services))
    builder.add_node("pressure", pressure(services))
    builder.add_node("evolution", create_evolution_graph(services))
    builder.add_node("housekeeping", create_housekeeping_graph(services))

    def after_pressure(state: HostState) -> str:
        return "evolution" if state["due"] else "housekeeping"

    builder.add_edge(START, "receive")
    builder.add_edge("receive", "pressure")
    builder.add_conditional_edges("pressure", after_pressure, ["evolution", "housekeeping"])
    builder.add_edge("evolution", "housekeeping")
    builder.add_edge("housekeeping", END)
    return builder.compile(checkpointer=checkpointer, name="intake")
