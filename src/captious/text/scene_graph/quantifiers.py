"""Quantifying phrases: in "a couple of dogs" the dogs are the thing, "a" their number.

Schuster et al. (2015) make the noun after "of" the head of such phrases. The words are those that
the reference implementation was seen to treat so, with the numbers and a few near words added. Its
habits are kept: the mark of quantity is the first word of the phrase, so that "a couple of dogs"
gives the attribute "a", and "with lots of dogs" gives "with".
"""

from __future__ import annotations

from captious.text.scene_graph.dependencies import Edge, Graph

QUANTITY = "qmod"

_AFTER_ARTICLE_WORDS = (
    "array assortment bit bunch couple dozen form handful heap kind lot mountain multitude number "
    "pair plethora range series slew sort string ton total type variety version wave"
)
_PLAIN_WORDS = "dozens hundreds loads lots many millions pairs plenty several thousands tons"
_BEFORE_DETERMINER_WORDS = (
    "some all both one two three four five six seven eight nine ten hundred thousand million"
)
_AFTER_ARTICLE, _PLAIN, _BEFORE_DETERMINER = (
    frozenset(listed.split()) for listed in (_AFTER_ARTICLE_WORDS, _PLAIN_WORDS, _BEFORE_DETERMINER_WORDS)
)
_QUANTIFIERS = _AFTER_ARTICLE | _PLAIN | _BEFORE_DETERMINER
_LOST_WITH_QUANTIFIER = frozenset({"amod", "compound", "nummod", "case"})


def lift_quantified(graph: Graph) -> None:
    """Put the quantified noun in the quantifier's place, with an edge `qmod` to its mark."""
    words = graph.words
    if _QUANTIFIERS.isdisjoint(words):
        return
    quantified: dict[int, int] = {}
    for label, head, dependent in graph.edges:
        # The word after the quantifier: "a lot of cars", but not "a lot full of cars".
        if label != "nmod:of" or words[head - 1] not in _QUANTIFIERS or dependent < head:
            continue
        if words[head] == "of":
            quantified[head] = min(dependent, quantified.get(head, dependent))
    for quantifier in sorted(quantified):
        _lift(graph, quantifier, quantified[quantifier])


def _lift(graph: Graph, quantifier: int, noun: int) -> None:
    word = graph.words[quantifier - 1]
    below = [edge for edge in graph.edges if edge.head == quantifier]
    lost: frozenset[str]
    if word in _AFTER_ARTICLE:
        articles = [
            e.dependent for e in below if e.label == "det" and graph.words[e.dependent - 1] in ("a", "an")
        ]
        if not articles:
            return
        mark, lost = articles[0], frozenset({"amod"})
    elif word in _PLAIN or _is_definite(graph, noun):
        before = [e.dependent for e in below if e.dependent < quantifier]
        mark, lost = min(before, default=quantifier), _LOST_WITH_QUANTIFIER
    else:
        return
    graph.edges = [*_without(graph, quantifier, noun, mark, lost), Edge(QUANTITY, noun, mark)]


def _is_definite(graph: Graph, noun: int) -> bool:
    """ "one of them", "all of the dogs", but not "one of many dogs"."""
    return graph.tags[noun - 1] == "PRP" or any(
        edge.head == noun and edge.label in ("det", "nmod:poss") for edge in graph.edges
    )


def _without(graph: Graph, quantifier: int, noun: int, mark: int, lost: frozenset[str]) -> list[Edge]:
    kept: list[Edge] = []
    placed = False
    for edge in graph.edges:
        label, head, dependent = edge
        if dependent == quantifier:
            # A word has one place: of what conjunctions have added, only the first edge moves.
            if not placed:
                kept.append(Edge(label, head, noun))
                placed = True
        elif head == quantifier and (dependent in (mark, noun) or label in lost):
            if dependent == noun and label != "nmod:of":
                kept.append(edge)
        else:
            kept.append(edge)
    return kept
