"""One evolution run: `gather → evaluate → validate → [card] → [playbooks] → [review] → settle → commit`."""

from __future__ import annotations

from typing import Any

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from previously.graphs.card import create_card_graph
from previously.nodes import evolution, settling
from previously.nodes.services import Services
from previously.state.channels import EvolutionInput, EvolutionOutput, EvolutionState
from previously.state.context import MemoryContext


def create_evolution_graph(
    services: Services, *, checkpointer: Any = None
) -> CompiledStateGraph[EvolutionState, MemoryContext, EvolutionInput, EvolutionOutput]:
    """Return the graph that adapts memory to its user when the check before an answer found pressure.

    Input: `due` and `turn`, as `nodes.pressure` sets them, which has taken the lease. Output: `evolution`, the account.
    A proposal that breaks a rule is rejected as a whole; nothing is written before the one commit at the end.
    """
    builder = StateGraph(
        EvolutionState, input_schema=EvolutionInput, output_schema=EvolutionOutput, context_schema=MemoryContext
    )
    builder.add_node("gather", evolution.gather(services))
    builder.add_node("evaluate", evolution.evaluate(services))
    builder.add_node("validate", evolution.validate(services))
    builder.add_node("card", create_card_graph(services, review=False))
    builder.add_node("playbooks", evolution.write_playbooks(services))
    builder.add_node("check_playbooks", evolution.check_playbooks(services))
    builder.add_node("review", settling.review(services))
    builder.add_node("decide", settling.decide(services))
    builder.add_node("settle", settling.settle(services))
    builder.add_node("commit", settling.commit(services))

    def after_evaluate(state: EvolutionState) -> str:
        return "settle" if state["failure"] else "validate"

    def after_validate(state: EvolutionState) -> str:
        if state["refused"]:
            return "settle"
        return "card" if state["verdict"]["card"] and state["triggers"] else after_card(state)

    def after_card(state: EvolutionState) -> str:
        failed = state["card_run"].get("failure")
        return "playbooks" if state["verdict"]["playbooks"] and not failed else after_playbooks(state)

    def after_asked(state: EvolutionState) -> str:
        return "settle" if state["failure"] else "check_playbooks"

    def after_playbooks(state: EvolutionState) -> str:
        failed = state["failure"] or state["card_run"].get("failure")
        return "review" if services.review and settling.changes(state) and not failed else "settle"

    builder.add_edge(START, "gather")
    builder.add_edge("gather", "evaluate")
    builder.add_conditional_edges("evaluate", after_evaluate, ["validate", "settle"])
    builder.add_conditional_edges("validate", after_validate, ["card", "playbooks", "review", "settle"])
    builder.add_conditional_edges("card", after_card, ["playbooks", "review", "settle"])
    builder.add_conditional_edges("playbooks", after_asked, ["check_playbooks", "settle"])
    builder.add_conditional_edges("check_playbooks", after_playbooks, ["review", "settle"])
    builder.add_edge("review", "decide")
    builder.add_edge("decide", "settle")
    builder.add_edge("settle", "commit")
    builder.add_edge("commit", END)
    return builder.compile(checkpointer=checkpointer, name="evolution")
