"""A host agent with memory: `receive → pressure → [evolution] → brief → agent ⇄ tools → housekeeping`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.tools import BaseTool
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.prebuilt import ToolNode, tools_condition

from previously.graphs.evolution import create_evolution_graph
from previously.graphs.housekeeping import create_housekeeping_graph
from previously.nodes import host
from previously.nodes.pressure import pressure
from previously.nodes.services import Services
from previously.state.channels import HostInput, HostState
from previously.state.context import MemoryContext


def create_host_graph(
    services: Services,
    model: BaseChatModel,
    tools: Sequence[BaseTool] = (),
    *,
    system_prompt: str = "",
    checkpointer: Any = None,
    store: Any = None,
) -> CompiledStateGraph[HostState, MemoryContext, HostInput, HostState]:
    """Return an agent around `model` and `tools` that remembers its user.

    Invoke it with `{"messages": [...]}` and `context=MemoryContext(space=…)`. The user's turn is stored before the
    model is asked, the card stands behind `system_prompt`, and the reply is out before memory work begins.
    """
    builder = StateGraph(HostState, input_schema=HostInput, context_schema=MemoryContext)
    builder.add_node("receive", host.receive(services))
    builder.add_node("pressure", pressure(services))
    builder.add_node("evolution", create_evolution_graph(services))
    builder.add_node("brief", host.brief(services))
    builder.add_node("agent", host.agent(model, tools, system_prompt))
    builder.add_node("housekeeping", create_housekeeping_graph(services))

    def after_pressure(state: HostState) -> str:
        return "evolution" if state["due"] else "brief"

    builder.add_edge(START, "receive")
    builder.add_edge("receive", "pressure")
    builder.add_conditional_edges("pressure", after_pressure, ["evolution", "brief"])
    builder.add_edge("evolution", "brief")
    builder.add_edge("brief", "agent")
    if tools:
        builder.add_node("tools", ToolNode(list(tools)))
        builder.add_conditional_edges("agent", tools_condition, {"tools": "tools", END: "housekeeping"})
        builder.add_edge("tools", "agent")
    else:
        builder.add_edge("agent", "housekeeping")
    builder.add_edge("housekeeping", END)
    return builder.compile(checkpointer=checkpointer, store=store, name="host")
