"""BLEU-1 to BLEU-4 as coco-caption computes them (Papineni et al. 2002; Chen et al. 2015)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from captious.corpus import Corpus
from captious.corpus.columns import FloatArray, IntArray
from captious.errors import UnknownNameError
from captious.metrics.base import Metric, reference_count_label
from captious.metrics.batch import Batch
from captious.metrics.matching import matches_of, pair_starts
from captious.metrics.registry import register
from captious.text.ngrams import MAX_ORDER
from captious.text.tokens import require_tokeniser, tokeniser_label

# coco-caption's own smoothing: no precision is quite zero, no denominator is.
NUMERATOR_GUARD = 1e-15
DENOMINATOR_GUARD = 1e-9
REFERENCE_LENGTHS = ("closest", "shortest", "average")

# Columns of the statistics: clipped matches of order 1 to 4, n-grams guessed of order 1 to 4,
# candidate length, reference length.
MATCHES = slice(0, MAX_ORDER)
GUESSES = slice(MAX_ORDER, 2 * MAX_ORDER)
LENGTH, REFERENCE_LENGTH = 2 * MAX_ORDER, 2 * MAX_ORDER + 1


def bleu_statistics(batch: Batch, tokeniser: str, reference_length: str) -> FloatArray:
    """The ten sufficient statistics of BLEU for every example."""
    key = ("bleu statistics", tokeniser, reference_length)
    return batch.once(key, lambda: _count(batch, tokeniser, reference_length))


def _count(batch: Batch, tokeniser: str, reference_length: str) -> FloatArray:
    lengths = batch.tokens(tokeniser).lengths
    own = lengths[batch.candidate_text]
    statistics = np.empty((len(batch), 2 * MAX_ORDER + 2))
    statistics[:, MATCHES] = matches_of(batch, tokeniser).clipped
    statistics[:, GUESSES] = np.maximum(own[:, None] - np.arange(MAX_ORDER), 0)
    statistics[:, LENGTH] = own
    statistics[:, REFERENCE_LENGTH] = _reference_lengths(batch, lengths, reference_length)
    return statistics


def _reference_lengths(batch: Batch, lengths: IntArray, kind: str) -> FloatArray:
    examples, texts = batch.pairs()
    starts = pair_starts(batch)
    theirs = lengths[texts]
    if not len(starts):
        return np.zeros(0)
    if kind == "shortest":
        return np.minimum.reduceat(theirs, starts).astype(np.float64)
    if kind == "average":
        return np.asarray(np.add.reduceat(theirs, starts) / batch.corpus.reference_counts)
    # Of two equally close lengths the shorter: order by distance, then by length.
    distances = np.abs(theirs - lengths[batch.candidate_text][examples])
    above_any = int(theirs.max()) + 1
    closest = np.minimum.reduceat(distances * above_any + theirs, starts)
    return np.asarray(closest % above_any, dtype=np.float64)


@dataclass(frozen=True)
class Bleu(Metric):
    """BLEU up to the order of the subclass.

    With m_n clipped matches and g_n guesses of order n, c and r the candidate's and the closest
    reference's length, all summed over the corpus:
    (prod_n (m_n + 1e-15) / (g_n + 1e-9)) ^ (1/N) * min(1, exp(1 - r / c)).

    >>> from captious.corpus import Corpus
    >>> from captious.metrics import resolve
    >>> corpus = Corpus.from_lists(["the the the the"], [["the cat is here"]])
    >>> metric = resolve("bleu1[tokeniser=space]")
    >>> metric.score_examples(Batch(corpus), None).round(2).tolist()
    [0.25]
    """

    order: ClassVar[int] = MAX_ORDER
    summary: ClassVar[str] = "clipped n-gram precision with a brevity penalty, as in coco-caption"
    citation: ClassVar[str] = "Papineni et al. 2002"

    reference_length: str = "closest"
    tokeniser: str = "ptb"

    def __post_init__(self) -> None:
        if self.reference_length not in REFERENCE_LENGTHS:
            raise UnknownNameError(
                f"reference_length of {self.name}", self.reference_length, REFERENCE_LENGTHS
            )
        require_tokeniser(self.tokeniser)

    def statistics(self, batch: Batch, knowledge: Any) -> FloatArray:
        """Clipped matches 1-4, guesses 1-4, candidate length, reference length."""
        return bleu_statistics(batch, self.tokeniser, self.reference_length)

    def corpus_score(self, summed: FloatArray) -> FloatArray:
        """BLEU from summed statistics; a single example's are summed over one."""
        precision = self._precisions(summed) ** (1.0 / self.order)
        return np.asarray(precision * _penalty(summed), dtype=np.float64)

    def single_scores(self, statistics: FloatArray) -> list[float]:
        """BLEU of each row as a corpus of its own; only the root is taken of one number at a time."""
        roots = [one ** (1.0 / self.order) for one in self._precisions(statistics).tolist()]
        found: list[float] = (np.array(roots) * _penalty(statistics)).tolist()
        return found

    def _precisions(self, summed: FloatArray) -> FloatArray:
        """The product of the precisions of all orders."""
        matches = summed[..., MATCHES][..., : self.order] + NUMERATOR_GUARD
        guesses = summed[..., GUESSES][..., : self.order] + DENOMINATOR_GUARD
        product: FloatArray = np.prod(matches / guesses, axis=-1)
        return product

    def facts(self, corpus: Corpus, knowledge: Any) -> dict[str, str]:
        """References, tokeniser, rule of the reference length."""
        return {
            "refs": reference_count_label(corpus),
            "tok": tokeniser_label(self.tokeniser),
            "reflen": self.reference_length,
        }


def _penalty(summed: FloatArray) -> FloatArray:
    """The brevity penalty."""
    ratio = (summed[..., LENGTH] + NUMERATOR_GUARD) / (summed[..., REFERENCE_LENGTH] + DENOMINATOR_GUARD)
    return np.asarray(np.exp(1.0 - 1.0 / np.minimum(ratio, 1.0)))


@register("bleu1")
@dataclass(frozen=True)
class Bleu1(Bleu):
    """BLEU of single words."""

    title: ClassVar[str] = "BLEU-1"
    order: ClassVar[int] = 1


@register("bleu2")
@dataclass(frozen=True)
class Bleu2(Bleu):
    """BLEU of words and pairs."""

    title: ClassVar[str] = "BLEU-2"
    order: ClassVar[int] = 2


@register("bleu3")
@dataclass(frozen=True)
class Bleu3(Bleu):
    """BLEU up to three words."""

    title: ClassVar[str] = "BLEU-3"
    order: ClassVar[int] = 3


@register("bleu4")
@dataclass(frozen=True)
class Bleu4(Bleu):
    """BLEU up to four words."""

    title: ClassVar[str] = "BLEU-4"
    order: ClassVar[int] = 4
