"""Where a caption says the tuples of its scene graph."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from captious.corpus.findings import Place
from captious.metrics.spice.categories import COUNT, RELATION, categories_of
from captious.metrics.spice.graph import Concepts
from captious.text.lemma import lemma
from captious.text.places import PlacedWord, placed_words

_TAGS = ("NN", "NNS", "VBG", "VBN", "VBZ")  # by which a word may have become the lemma of a tuple
Span = tuple[int, int]


def tuple_places(caption: str, tuples: Iterable[Concepts]) -> list[Place]:
    """A place for each tuple that the caption says: its object, its attribute, its relation.

    Tuples hold lemmas: "dogs" is where ("dog",) is said. An attribute or a relation is marked where it is
    nearest to its object; a relation of no word of the caption from its subject to its object. A tuple whose
    words the caption does not have (a pronoun's object) is left out.

    >>> from captious.metrics.spice.graph import SceneGraph
    >>> graph = SceneGraph.of([[("dog", "two"), ("dog", "mat", "on")]])
    >>> caption = "Two Dogs are on mats."
    >>> [(caption[place.start:place.end], place.kind) for place in tuple_places(caption, graph.tuples())]
    [('Dogs', 'object'), ('Two', 'count'), ('mats', 'object'), ('on', 'relation')]
    """
    words = placed_words(caption)
    forms = [{one.word, *(lemma(one.word, tag) for tag in _TAGS)} for one in words]
    found: dict[tuple[Span, str], Place] = {}
    for parts in tuples:
        spans = [_said(words, forms, concept.words) for concept in parts]
        kinds = categories_of(parts)
        kind = COUNT if COUNT in kinds else kinds[0]
        for span in _marked(kind, spans):
            evidence = " - ".join(concept.words[0] for concept in parts)
            found.setdefault((span, kind), Place(*span, kind, evidence=evidence))
    return list(found.values())


def _marked(kind: str, spans: Sequence[list[Span]]) -> list[Span]:
    """The places of a tuple whose parts are said at `spans`: all of an object, one of other tuples."""
    *owners, own = spans
    if not owners:
        return own
    near = [span for owner in owners for span in owner]
    if own:
        return [min(own, key=lambda span: min((abs(span[0] - other[0]) for other in near), default=0))]
    if kind == RELATION and all(owners):
        (first, last), (start, end) = owners[0][0], owners[1][0]
        return [(min(first, start), max(last, end))]
    return []


def _said(words: Sequence[PlacedWord], forms: Sequence[set[str]], names: Iterable[str]) -> list[Span]:
    """Where one of a concept's names, of one word or several, is said."""
    found = []
    for name in names:
        parts = name.split()
        for place in range(len(words) - len(parts) + 1):
            if parts and all(part in forms[place + at] for at, part in enumerate(parts)):
                found.append((words[place].start, words[place + len(parts) - 1].end))
    return found
