"""The Previously Agent: `read → previously_agent ⇄ mutate → finish [→ review → decide]`."""

from __future__ import annotations

from typing import Any

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from previously.nodes import card
from previously.nodes.services import Services
from previously.state.channels import CardInput, CardOutput, CardState
from previously.state.context import MemoryContext


def create_card_graph(
    services: Services, *, review: bool | None = None, checkpointer: Any = None
) -> CompiledStateGraph[CardState, MemoryContext, CardInput, CardOutput]:
    """Return the graph that edits a staged copy of the card.

    Input: `triggers` (rows of kind boundary, request or migration), `turn` and `deadline_at`. Output: `card_run`, the
    staged outcome with its edits and diff. Nothing is committed here: the graph that called it does that. `review`
    (default: that of the services) asks a person about the diff; a graph that asks later itself switches it off.
    """
    builder = StateGraph(CardState, input_schema=CardInput, output_schema=CardOutput, context_schema=MemoryContext)
    builder.add_node("read", card.read(services))
    builder.add_node("previously_agent", card.previously_agent(services))
    builder.add_node("mutate", card.mutate(services))
    builder.add_node("finish", card.finish(services))
    builder.add_node("review", card.review)
    builder.add_node("decide", card.decide(services))

    asks = services.review if review is None else review

    def after_agent(state: CardState) -> str:
        return "finish" if state["failure"] else "mutate"

    def after_mutate(state: CardState) -> str:
        return "finish" if card.is_over(services, state) else "previously_agent"

    def after_finish(state: CardState) -> str:
        return "review" if asks and state["card_run"]["diff"] else END

    builder.add_edge(START, "read")
    builder.add_edge("read", "previously_agent")
    builder.add_conditional_edges("previously_agent", after_agent, ["mutate", "finish"])
    builder.add_conditional_edges("mutate", after_mutate, ["previously_agent", "finish"])
    builder.add_conditional_edges("finish", after_finish, ["review", END])
    builder.add_edge("review", "decide")
    builder.add_edge("decide", END)
    return builder.compile(checkpointer=checkpointer, name="card")
