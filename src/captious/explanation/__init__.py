"""Why a caption got its score.

Transport plans of `vifidel` and `wmd`, scene graphs of `spice`, occlusion of words and image regions
for `clipscore`, `mcipscore` and `pacscore`; the places that other metrics mark; for all other metrics of
text, what the score loses without each word.
"""

from captious.explanation.drawing import style_sheet
from captious.explanation.left_out import LeftOutExplanation
from captious.explanation.marked import MarkedExplanation
from captious.explanation.occlusion import OcclusionExplanation
from captious.explanation.pages import fragment, page
from captious.explanation.run import BY_IMAGE, EXPLAINED, can_explain, explain, explain_rows, usual_metric
from captious.explanation.scene import GraphExplanation, Statement
from captious.explanation.svg import AnyExplanation, in_words, picture
from captious.explanation.transport import Explanation, Flow, Word
from captious.metrics.word_space import NEAR

__all__ = [
    "BY_IMAGE",
    "EXPLAINED",
    "NEAR",
    "AnyExplanation",
    "Explanation",
    "Flow",
    "GraphExplanation",
    "LeftOutExplanation",
    "MarkedExplanation",
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
    "usual_metric",
]
