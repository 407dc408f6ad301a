"""SPICE: scene graphs of captions, merged, compared and explained."""

from captious.metrics.spice.categories import CATEGORIES
from captious.metrics.spice.graph import SceneGraph
from captious.metrics.spice.metric import SceneExplanation, Spice, explain
from captious.metrics.spice.score import Counts, Explanation, explain_tuples, score_tuples

__all__ = [
    "CATEGORIES",
    "Counts",
    "Explanation",
    "SceneExplanation",
    "SceneGraph",
    "Spice",
    "explain",
    "explain_tuples",
    "score_tuples",
]
