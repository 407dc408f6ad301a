"""Scene graphs: the objects, attributes and relations that a parsed caption names."""

from captious.text.scene_graph.dependencies import Edge, Graph, read_graph
from captious.text.scene_graph.discourse import clauses, discourse_tuples
from captious.text.scene_graph.enhance import enhance
from captious.text.scene_graph.rules import Tuple, graph_tuples, scene_tuples

__all__ = [
    "Edge",
    "Graph",
    "Tuple",
    "clauses",
    "discourse_tuples",
    "enhance",
    "graph_tuples",
    "read_graph",
    "scene_tuples",
]
