"""In which order steps happen: one builder a module, edges and routing only."""

from previously.graphs.card import create_card_graph
from previously.graphs.evolution import create_evolution_graph
from previously.graphs.host import create_host_graph
from previously.graphs.housekeeping import create_housekeeping_graph

__all__ = ("create_card_graph", "create_evolution_graph", "create_host_graph", "create_housekeeping_graph")
