"""After the reply: `record → gather → analyze → score → [due?] → card → install`, once more for each job left over."""

from __future__ import annotations

import time
from typing import Any

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from previously.graphs.card import create_card_graph
from previously.nodes import housekeeping
from previously.nodes.installing import install
from previously.nodes.services import Services
from previously.state.channels import HousekeepingInput, HousekeepingOutput, HousekeepingState
from previously.state.context import MemoryContext


def create_housekeeping_graph(
    services: Services, *, checkpointer: Any = None
) -> CompiledStateGraph[HousekeepingState, MemoryContext, HousekeepingInput, HousekeepingOutput]:
    """Return the graph that handles one turn: one analysis, at most one run of the card, one commit.

    Input: `messages` and `turn` from a host graph, or `job`, the key of a backlog row. Output: `memory`, the account.
    With deferred housekeeping it stops after the durable record and leaves the rest to the backlog.
    """
    builder = StateGraph(
        HousekeepingState,
        input_schema=HousekeepingInput,
        output_schema=HousekeepingOutput,
        context_schema=MemoryContext,
    )
    builder.add_node("record", housekeeping.record(services))
    builder.add_node("gather", housekeeping.gather(services))
    builder.add_node("analyze", housekeeping.analyze(services))
    builder.add_node("score", housekeeping.score(services))
    builder.add_node("card", create_card_graph(services))
    builder.add_node("install", install(services))

    def after_record(state: HousekeepingState) -> str:
        return END if state.get("memory", {}).get("status") == "deferred" else "gather"

    def after_score(state: HousekeepingState) -> str:
        return "card" if state["triggers"] else "install"

    def after_install(state: HousekeepingState) -> str:
        return "gather" if state["again"] and time.time() < state["deadline_at"] else END

    builder.add_edge(START, "record")
    builder.add_conditional_edges("record", after_record, ["gather", END])
    builder.add_edge("gather", "analyze")
    builder.add_edge("analyze", "score")
    builder.add_conditional_edges("score", after_score, ["card", "install"])
    builder.add_edge("card", "install")
    builder.add_conditional_edges("install", after_install, ["gather", END])
    return builder.compile(checkpointer=checkpointer, name="housekeeping")
