"""Why a caption got its score.

Transport plans of `vifidel` and `wmd`, scene graphs of `spice`, occlusion of words and image regions
for `clipscore`, `mcipscore` and `pacscore`.
"""

from captious.explain.drawing import style_sheet
from captious.explain.occlusion import OcclusionExplanation
from captious.explain.pages import fragment, page
from captious.explain.run import BY_IMAGE, EXPLAINED, can_explain, explain, explain_rows
from captious.explain.scene import GraphExplanation, Statement
from captious.explain.svg import AnyExplanation, in_words, picture
from captious.explain.transport import NEAR, Explanation, Flow, Word

__all__ = [
    "BY_IMAGE",
    "EXPLAINED",
    "NEAR",
    "AnyExplanation",
    "Explanation",
    "Flow",
    "GraphExplanation",
    "OcclusionExplanation",
    "Statement",
    "Word",
    "can_explain",
    "explain",
    "explain_rows",
    "fragment",
    "in_words",
    "page",
    "picture",
    "style_sheet",
]
