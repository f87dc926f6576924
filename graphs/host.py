"""A host agent with memory: `receive → pressure → [evolution] → brief → agent ⇄ tools → housekeeping`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.tools import BaseTool
from langgraph.graph import END, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.prebuilt import ToolNode, tools_condition

from previously.graphs.housekeeping import create_housekeeping_graph
from previously.graphs.opening import add_opening
from previously.nodes import host
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
    add_opening(builder, services, then="brief")
    builder.add_node("brief", host.brief(services))
    builder.add_node("agent", host.agent(model, tools, system_prompt))
    builder.add_node("housekeeping", create_housekeeping_graph(services))
    builder.add_edge("brief", "agent")
    if tools:
        builder.add_node("tools", ToolNode(list(tools)))
        builder.add_conditional_edges("agent", tools_condition, {"tools": "tools", END: "housekeeping"})
        builder.add_edge("tools", "agent")
    else:
        builder.add_edge("agent", "housekeeping")
    builder.add_edge("housekeeping", END)
    return builder.compile(checkpointer=checkpointer, store=store, name="host")
