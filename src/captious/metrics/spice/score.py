"""SPICE: F-score of a candidate's scene graph against its references' (Anderson et al. 2016)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from captious.metrics.spice.categories import CATEGORIES, categories_of
from captious.metrics.spice.graph import Concepts, SceneGraph
from captious.text.scene_graph import Tuple
from captious.text.synsets import SynsetTable


class Counts(NamedTuple):
    """How many tuples matched, were invented by the candidate, or were missed.

    P = matched / (matched + invented), R = matched / (matched + missed), F = 2 P R / (P + R);
    a share of nothing is 0.

    >>> Counts(matched=4, invented=3, missed=13).f
    0.3333333333333333
    """

    matched: int
    invented: int
    missed: int

    @property
    def precision(self) -> float:
        """Share of the candidate's tuples that the references have."""
        return _share(self.matched, self.invented)

    @property
    def recall(self) -> float:
        """Share of the references' tuples that the candidate has."""
        return _share(self.matched, self.missed)

    @property
    def f(self) -> float:
        """Harmonic mean of precision and recall: the score."""
        precision, recall = self.precision, self.recall
        return 2 * precision * recall / (precision + recall) if self.matched else 0.0


class Explanation(NamedTuple):
    """Which tuples matched, were invented or were missed, with the words of each.

    `matched` holds the candidate's tuple and the references' tuple it found. `missed` are the
    references' tuples that nothing matched. A tuple's parts are tuples of synonyms, the word to
    show first.
    """

    matched: list[tuple[tuple[tuple[str, ...], ...], tuple[tuple[str, ...], ...]]]
    invented: list[tuple[tuple[str, ...], ...]]
    missed: list[tuple[tuple[str, ...], ...]]
    counts: Counts
    categories: dict[str, Counts]


def score_tuples(
    candidate: Iterable[Tuple], references: Sequence[Iterable[Tuple]], synsets: SynsetTable | None = None
) -> Counts:
    """Compare a candidate's tuples with those of its references.

    A tuple matches if every part shares a word or a WordNet synset with the same part of one of
    the references' tuples.

    >>> score_tuples([("dog",), ("dog", "black")], [[("puppy",)], [("dog", "dark"), ("ball",)]])
    Counts(matched=2, invented=0, missed=2)
    """
    return compare_graphs(SceneGraph.of([candidate], synsets), SceneGraph.of(references, synsets))


def compare_graphs(candidate: SceneGraph, references: SceneGraph) -> Counts:
    """Counts of a candidate's graph against its references' merged graph."""
    return _counts(sum(map(bool, candidate.found_in(references))), len(candidate), len(references))


def compare_categories(candidate: SceneGraph, references: SceneGraph) -> tuple[Counts, dict[str, Counts]]:
    """Counts over all tuples, and over the tuples of each category."""
    found = candidate.found_in(references)
    matched = [parts for parts, keys in zip(candidate.tuples(), found, strict=True) if keys]
    overall = _counts(len(matched), len(candidate), len(references))
    return overall, _count_categories(matched, candidate.tuples(), references.tuples())


def _counts(matched: int, own: int, theirs: int) -> Counts:
    # Two concepts of the candidate may match one of the references.
    return Counts(matched, own - matched, max(theirs - matched, 0))


def explain_tuples(
    candidate: Iterable[Tuple], references: Sequence[Iterable[Tuple]], synsets: SynsetTable | None = None
) -> Explanation:
    """What matched, what was invented, what was missed, over all and by category.

    >>> told = explain_tuples([("cat", "red"), ("hat",)], [[("cat",), ("dog",)]])
    >>> told.invented, told.missed
    ([(('cat',), ('red',)), (('hat',),)], [(('dog',),)])
    """
    own, theirs = SceneGraph.of([candidate], synsets), SceneGraph.of(references, synsets)
    found = own.found_in(theirs)
    reached = {key for keys in found for key in keys}
    pairs = [(parts, keys[0]) for parts, keys in zip(own.tuples(), found, strict=True) if keys]
    return Explanation(
        matched=[(_words(parts), _words(theirs.concepts(key))) for parts, key in pairs],
        invented=[_words(p) for p, keys in zip(own.tuples(), found, strict=True) if not keys],
        missed=[_words(theirs.concepts(key)) for key in theirs.numbered() if key not in reached],
        counts=_counts(len(pairs), len(own), len(theirs)),
        categories=_count_categories([parts for parts, _ in pairs], own.tuples(), theirs.tuples()),
    )


def _count_categories(
    matched: list[Concepts], own: list[Concepts], theirs: list[Concepts]
) -> dict[str, Counts]:
    hits, mine, all_theirs = ([categories_of(parts) for parts in tuples] for tuples in (matched, own, theirs))
    counts: dict[str, Counts] = {}
    for category in CATEGORIES:
        right, named, wanted = (
            sum(category in kinds for kinds in group) for group in (hits, mine, all_theirs)
        )
        counts[category] = _counts(right, named, wanted)
    return counts


def _share(part: int, rest: int) -> float:
    return part / (part + rest) if part + rest else 0.0


def _words(parts: Concepts) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(concept.words) for concept in parts)
