"""An explanation as a picture, whichever metric it is of.

A picture is one SVG file that needs nothing else: it has a title and a description for those who do
not see it, and says in words, signs and dashes whatever it says in colour.
"""

from __future__ import annotations

from captious.errors import InputError
from captious.explanation.graph_svg import graph_in_words, graph_picture
from captious.explanation.left_out import LeftOutExplanation, left_out_in_words
from captious.explanation.marked import MarkedExplanation, marked_in_words
from captious.explanation.occlusion import OcclusionExplanation, occlusion_in_words, occlusion_picture
from captious.explanation.plan_svg import plan_in_words, plan_picture
from captious.explanation.scene import GraphExplanation
from captious.explanation.transport import Explanation

AnyExplanation = (
    Explanation | GraphExplanation | OcclusionExplanation | MarkedExplanation | LeftOutExplanation
)


def picture(explanation: AnyExplanation, key: str = "plan", *, standalone: bool = True) -> str:
    """The explanation as SVG; `key` keeps the ids of several pictures on a page apart.

    `standalone` pictures contain their heading and style; others need a page with `style_sheet()`.

    >>> from captious.corpus import Corpus
    >>> from captious.explanation import explain
    >>> corpus = Corpus.from_lists(["a dog on a beach"], objects={"0": ["dog", "frisbee"]})
    >>> picture(explain(corpus)[0]).startswith('<svg xmlns="http://www.w3.org/2000/svg"')
    True
    """
    if isinstance(explanation, (MarkedExplanation, LeftOutExplanation)):
        raise InputError(
            f"{explanation.metric} is explained by words of the caption, which is text and no drawing.",
            command="Use --format html, table or json.",
        )
    if isinstance(explanation, OcclusionExplanation):
        return occlusion_picture(explanation, key, standalone=standalone)
    if isinstance(explanation, GraphExplanation):
        return graph_picture(explanation, key, standalone=standalone)
    return plan_picture(explanation, key, standalone=standalone)


def in_words(explanation: AnyExplanation) -> str:
    """The whole picture as sentences.

    >>> from captious.corpus import Corpus
    >>> from captious.explanation import explain
    >>> corpus = Corpus.from_lists(["a dog on a beach"], objects={"0": ["dog"]})
    >>> in_words(explain(corpus)[0])
    'dog went to dog (50% at a cost of 0.00) and beach (50% at a cost of 1.02). Unsupported: beach.'
    """
    if isinstance(explanation, MarkedExplanation):
        return marked_in_words(explanation)
    if isinstance(explanation, LeftOutExplanation):
        return left_out_in_words(explanation)
    if isinstance(explanation, OcclusionExplanation):
        return occlusion_in_words(explanation)
    if isinstance(explanation, GraphExplanation):
        return graph_in_words(explanation)
    return plan_in_words(explanation)
