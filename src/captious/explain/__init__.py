"""Why a caption got its score: transport plans of `vifidel` and `wmd`, scene graphs of `spice`."""

from captious.explain.drawing import style_sheet
from captious.explain.pages import fragment, page
from captious.explain.run import EXPLAINED, AnyExplanation, can_explain, explain, explain_rows
from captious.explain.scene import GraphExplanation, Statement
from captious.explain.svg import in_words, picture
from captious.explain.transport import NEAR, Explanation, Flow, Word

__all__ = [
    "EXPLAINED",
    "NEAR",
    "AnyExplanation",
    "Explanation",
    "Flow",
    "GraphExplanation",
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
