"""How every turn begins: `receive → pressure → [evolution]`, then whatever comes next."""

from __future__ import annotations

from typing import Any

from langgraph.graph import START, StateGraph

from previously.graphs.evolution import create_evolution_graph
from previously.nodes import host
from previously.nodes.pressure import pressure
from previously.nodes.services import Services
from previously.state.channels import HostState


def add_opening(builder: StateGraph[Any, Any, Any, Any], services: Services, *, then: str) -> None:
    """Add the steps before the answer to a graph whose state has the channels of `HostState`; `then` follows."""

    def after_pressure(state: HostState) -> str:
        return "evolution" if state["due"] else then

    builder.add_node("receive", host.receive(services))
    builder.add_node("pressure", pressure(services))
    builder.add_node("evolution", create_evolution_graph(services))
    builder.add_edge(START, "receive")
    builder.add_edge("receive", "pressure")
    builder.add_conditional_edges("pressure", after_pressure, ["evolution", then])
    builder.add_edge("evolution", then)
