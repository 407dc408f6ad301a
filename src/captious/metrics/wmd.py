"""Word Mover's Distance between a caption and its references (Kusner et al. 2015)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from captious.corpus import Corpus
from captious.corpus.columns import FloatArray
from captious.errors import InputError, UnknownNameError
from captious.metrics.base import Limit, reference_count_label
from captious.metrics.batch import Batch
from captious.metrics.registry import register
from captious.metrics.word_space import Transported, VectorMetric, WordSpace
from captious.text.transport import lower_bound, transport, upper_bound

AGGREGATES = ("best", "worst", "mean")


class WordCounts(NamedTuple):
    """Content words that were met, and how many of them have no vector."""

    counted: int
    missing: int


@register("wmd")
@dataclass(frozen=True)
class WordMovers(VectorMetric):
    """exp(-WMD): how little the caption's words must move to become a reference's.

    WMD is the least sum_ij T_ij |x_i - x_j|^p over plans T that turn one normalised bag of content
    words into the other. The similarity exp(-WMD) and the nearest reference are as in Kilickaya et
    al. 2017; `agg=worst` takes the farthest (Madhyastha et al. 2019, table 1), `agg=mean` the mean.
    Captions or references without content words score 0.

    >>> corpus = Corpus.from_lists(["a dog runs"] * 2, [["the puppy is running"], ["a red bus"]])
    >>> metric, batch = WordMovers(), Batch(corpus)
    >>> near, far = metric.score_examples(batch, metric.collect(batch))
    >>> bool(near > far)
    True
    """

    title: ClassVar[str] = "WMD"
    summary: ClassVar[str] = "Word Mover's Distance as a similarity, exp(-WMD)"
    citation: ClassVar[str] = "Kusner et al. 2015; Kilickaya et al. 2017"
    longest: ClassVar[Limit | None] = Limit(5_000, "words")  # takes 16 s if all differ

    agg: str = "best"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.agg not in AGGREGATES:
            raise UnknownNameError(f"agg of {self.name}", self.agg, AGGREGATES)

    @property
    def corpus_wide(self) -> bool:
        """What it collects goes into notes and signature, not into scores."""
        return False

    def collect(self, batch: Batch) -> WordCounts:
        """Content words of the batch, and those without a vector."""
        return WordCounts(*self.word_counts(batch, self.space(batch)))

    def merge(self, parts: Sequence[WordCounts]) -> WordCounts:
        """Counts of all batches."""
        return WordCounts(sum(p.counted for p in parts), sum(p.missing for p in parts))

    def facts(self, corpus: Corpus, knowledge: WordCounts) -> dict[str, str]:
        """References, words and vectors, and which reference counts."""
        facts = {"refs": reference_count_label(corpus)}
        return facts | self.word_facts(corpus, *knowledge) | {"agg": self.agg}

    def score_examples(self, batch: Batch, knowledge: WordCounts) -> FloatArray:
        """exp(-WMD) of each example to the reference or references that count."""
        space = self.space(batch)
        examples, texts = batch.pairs()
        starts = np.searchsorted(examples, np.arange(len(batch) + 1)).tolist()
        scores = np.zeros(len(batch))
        for row, caption in enumerate(batch.candidate_text.tolist()):
            own = texts[starts[row] : starts[row + 1]].tolist()
            scores[row] = self._score(space, caption, own)
        return scores

    def _score(self, space: WordSpace, caption: int, references: list[int]) -> float:
        problems = self._problems(space, caption, references)
        if self.agg == "mean":
            return float(np.mean([np.exp(-_distance(problem)) for problem in problems]))
        if any(problem is None for problem in problems) and self.agg == "worst":
            return 0.0
        solvable = [problem for problem in problems if problem is not None]
        if not solvable:
            return 0.0
        find = _nearest if self.agg == "best" else _farthest
        return float(np.exp(-find(solvable)))

    def _problems(self, space: WordSpace, caption: int, references: list[int]) -> list[_Problem | None]:
        """A transport problem for each reference, their costs from one product of matrices."""
        rows, weights = space.texts.bag(caption)
        bags = [space.texts.bag(reference) for reference in references]
        if not len(rows):
            return [None] * len(bags)
        costs = self.costs(space, rows, np.concatenate([own for own, _ in bags]))
        problems: list[_Problem | None] = []
        start = 0
        for own, shares in bags:
            end = start + len(own)
            problems.append(_Problem(weights, shares, costs[:, start:end]) if len(own) else None)
            start = end
        return problems

    def lay_out(self, batch: Batch, knowledge: WordCounts, row: int) -> Transported:
        """The plan that made one example's score, against the reference that counts."""
        space = self.space(batch)
        examples, texts = batch.pairs()
        caption = int(batch.candidate_text[row])
        own: list[int] = texts[examples == row].tolist()
        distances = [_distance(problem) for problem in self._problems(space, caption, own)]
        chosen = own[int(np.argmax(distances) if self.agg == "worst" else np.argmin(distances))]
        return self._laid_out(space, batch.texts[chosen], chosen, caption)

    def _laid_out(self, space: WordSpace, text: str, reference: int, caption: int) -> Transported:
        one, a = space.texts.bag(reference)
        other, b = space.texts.bag(caption)
        if not len(one) or not len(other):
            raise InputError("the caption or its reference has no word with a vector to move.")
        costs = self.costs(space, one, other)
        return Transported(
            sources=[space.words[i] for i in one.tolist()],
            targets=[space.words[i] for i in other.tolist()],
            source_weights=a,
            target_weights=b,
            costs=costs,
            cosines=space.cosines(one, other),
            plan=transport(a, b, costs),
            source_penalties=None,
            target_penalties=None,
            reference=text,
            left_out=[],
        )


class _Problem(NamedTuple):
    a: FloatArray
    b: FloatArray
    costs: FloatArray


def _distance(problem: _Problem | None) -> float:
    return float("inf") if problem is None else transport(*problem).cost


def _nearest(problems: list[_Problem]) -> float:
    """Smallest distance; a problem whose lower bound is no smaller is never solved."""
    bounds = [lower_bound(*problem) for problem in problems]
    best = float("inf")
    for place in np.argsort(bounds).tolist():
        if bounds[place] >= best:
            break
        best = min(best, transport(*problems[place]).cost)
    return best


def _farthest(problems: list[_Problem]) -> float:
    """Largest distance; a problem whose upper bound is no larger is never solved."""
    bounds = [upper_bound(*problem) for problem in problems]
    worst = 0.0
    for place in np.argsort(bounds)[::-1].tolist():
        if bounds[place] <= worst:
            break
        worst = max(worst, transport(*problems[place]).cost)
    return worst


def word_movers_distances(pairs: Sequence[tuple[str, str]], metric: WordMovers | None = None) -> FloatArray:
    """WMD of each pair of texts; infinite where one has no content word with a vector.

    >>> word_movers_distances([("a dog", "the dog"), ("a dog", "")]).tolist()
    [0.0, inf]
    """
    metric = metric or WordMovers()
    batch = Batch(Corpus.from_lists([a for a, _ in pairs], [[b] for _, b in pairs]))
    space = metric.space(batch)
    # Pairs that share their first text share one product of matrices.
    rows_of: dict[int, list[int]] = {}
    for row, caption in enumerate(batch.candidate_text.tolist()):
        rows_of.setdefault(caption, []).append(row)
    references = batch.pairs()[1]
    distances = np.empty(len(pairs))
    for caption, rows in rows_of.items():
        problems = metric._problems(space, caption, references[rows].tolist())
        distances[rows] = [_distance(problem) for problem in problems]
    return distances
