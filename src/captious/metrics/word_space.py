"""What metrics over word vectors share: options, bags of content words, costs between words.

A batch's content words and object labels become rows of one matrix; a text or an image becomes a
bag: which rows, and how much of its mass each holds (Kusner et al. 2015's normalised bag of words).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from captious.corpus import Corpus
from captious.corpus.columns import FloatArray, IntArray
from captious.errors import InputError, UnknownNameError
from captious.metrics.base import Metric
from captious.metrics.batch import Batch
from captious.text.stop_words import LISTS, is_content_word, stop_list
from captious.text.tokens import require_tokeniser, tokeniser_label
from captious.text.transport import Plan, require_solver
from captious.text.vectors.table import DEFAULT, load_vectors, require_vectors

NORMS = ("unit", "none")
OUT_OF_VOCABULARY = ("drop", "zero", "refuse")
POWERS = (1, 2)
# Cosines of GloVe from which two words are taken to speak of one thing: person and man have .79,
# bus and street .55. It sorts words for the reader and does not change any score.
NEAR = 0.6
_SAME = 1e-12  # squared distances below are rounding of two equal vectors


class Bags(NamedTuple):
    """Bag `i` holds `rows[offsets[i]:offsets[i + 1]]` of a space, with `weights` that sum to 1."""

    offsets: list[int]
    rows: IntArray
    weights: FloatArray

    def bag(self, index: int) -> tuple[IntArray, FloatArray]:
        """Rows and weights of one bag."""
        own = slice(self.offsets[index], self.offsets[index + 1])
        return self.rows[own], self.weights[own]


class WordSpace(NamedTuple):
    """Words and labels with their vectors, and every text of a batch as a bag of them.

    `counted[i]` is how many content words text `i` has, `missing[i]` how many without a vector.
    """

    words: list[str]
    vectors: FloatArray
    units: FloatArray
    squares: FloatArray
    known: NDArray[np.bool_]
    texts: Bags
    counted: IntArray
    missing: IntArray

    def products(self, one: IntArray, other: IntArray) -> FloatArray:
        """Scalar products of some rows with others."""
        found: FloatArray = self.vectors[one] @ self.vectors[other].T
        return found

    def cosines(self, one: IntArray, other: IntArray) -> FloatArray:
        """Cosines of some rows with others; 0 with a vector of zeros."""
        found: FloatArray = self.units[one] @ self.units[other].T
        return found


class Transported(NamedTuple):
    """One solved example, for people: what went where, at what cost and for which reason.

    `sources` went to `targets`; `source_penalties` and `target_penalties` are VIFIDEL's rho, or
    None without references; `reference` is the text that was compared with, where it is one.
    """

    sources: list[str]
    targets: list[str]
    source_weights: FloatArray
    target_weights: FloatArray
    costs: FloatArray
    cosines: FloatArray
    plan: Plan
    source_penalties: FloatArray | None
    target_penalties: FloatArray | None
    reference: str | None
    left_out: list[str]


@dataclass(frozen=True)
class VectorMetric(Metric):
    """Options and bags of every metric that moves words through a space of word vectors."""

    p: int = 1
    vectors: str = DEFAULT
    norm: str = "unit"
    stop: str = "english"
    oov: str = "drop"
    tokeniser: str = "ptb"

    def __post_init__(self) -> None:
        if self.p not in POWERS:
            raise InputError(f"{self.name}: p is {self.p}; it must be 1 or 2.")
        require_tokeniser(self.tokeniser)
        for option, known in (("norm", NORMS), ("stop", LISTS), ("oov", OUT_OF_VOCABULARY)):
            if getattr(self, option) not in known:
                raise UnknownNameError(f"{option} of {self.name}", getattr(self, option), known)

    def languages(self) -> tuple[str, ...]:
        """English, unless other vectors are named."""
        return ("en",) if self.vectors == DEFAULT else super().languages()

    def ready(self) -> None:
        """POT solves the transport, and the vectors must be here."""
        require_solver()
        require_vectors(self.vectors)

    def way_out(self, code: str) -> str:
        """Vectors of that language."""
        return "NAME[vectors=FILE], with word vectors of that language"

    def space(self, batch: Batch, labels: Sequence[str] = ()) -> WordSpace:
        """The batch's content words, then `labels`, as rows of one space; made once."""
        key = ("word space", self.vectors, self.norm, self.stop, self.oov, self.tokeniser, tuple(labels))
        return batch.once(key, lambda: self._make_space(batch, labels))

    def _make_space(self, batch: Batch, labels: Sequence[str]) -> WordSpace:
        table = batch.tokens(self.tokeniser)
        stop = stop_list(self.stop)
        content = np.array([is_content_word(w, stop) for w in table.vocabulary], dtype=bool)
        places = np.cumsum(content) - 1
        words = [w for w, keep in zip(table.vocabulary, content, strict=True) if keep]
        words += labels
        vectors, known = self._vectors_of(words)
        units = _of_unit_length(vectors)
        vectors = units if self.norm == "unit" else vectors
        keep = content[table.ids] if len(table.ids) else np.zeros(0, dtype=bool)
        owners = np.repeat(np.arange(len(table)), table.lengths)[keep]
        rows = places[table.ids[keep]]
        has_vector = known[rows]
        counted = np.bincount(owners, minlength=len(table))
        missing = np.bincount(owners[~has_vector], minlength=len(table))
        used = has_vector | (self.oov == "zero")
        texts = bags_of(owners[used], rows[used], np.ones(int(used.sum())), len(table), len(words))
        squares = np.einsum("ij,ij->i", vectors, vectors)
        return WordSpace(words, vectors, units, squares, known, texts, counted, missing)

    def _vectors_of(self, words: list[str]) -> tuple[FloatArray, NDArray[np.bool_]]:
        vectors, known = load_vectors(self.vectors).resolve(words)
        if self.oov == "refuse" and not known.all():
            first = words[int(np.flatnonzero(~known)[0])]
            raise InputError(
                f'{self.name}: "{first}" and {int((~known).sum()) - 1} other words have no vector '
                f"in {self.vectors}. Use other vectors, or oov=drop."
            )
        return vectors, known

    def costs(
        self,
        space: WordSpace,
        one: IntArray,
        other: IntArray,
        one_scales: FloatArray | None = None,
        other_scales: FloatArray | None = None,
    ) -> FloatArray:
        """c(i, j) = |s_i x_i - s_j x_j|^p, the scales s being 1 where none are given."""
        ours, theirs = space.squares[one], space.squares[other]
        products = space.products(one, other)
        if one_scales is not None and other_scales is not None:
            ours, theirs = ours * one_scales**2, theirs * other_scales**2
            products = products * one_scales[:, None] * other_scales
        squared = ours[:, None] + theirs - 2 * products
        squared[squared < _SAME] = 0.0
        return squared if self.p == 2 else np.asarray(np.sqrt(squared))

    def word_counts(self, batch: Batch, space: WordSpace) -> tuple[int, int]:
        """Content words of candidates and of the references in use; how many have no vector."""
        sets = batch.used_reference_sets
        offsets = batch.corpus.references.offsets
        texts = [batch.candidate_text]
        texts += [batch.reference_text[offsets[s] : offsets[s + 1]] for s in sets.tolist() if s >= 0]
        rows = np.concatenate(texts)
        return int(space.counted[rows].sum()), int(space.missing[rows].sum())

    def word_facts(self, corpus: Corpus, counted: int, missing: int) -> dict[str, str]:
        """The part of the signature that all metrics over word vectors share."""
        return {
            "tok": tokeniser_label(self.tokeniser),
            "stop": self.stop,
            "vectors": load_vectors(self.vectors).label,
            "norm": self.norm,
            "p": str(self.p),
            "oov": f"{self.oov}:{missing}/{counted}",
        }


def _of_unit_length(vectors: FloatArray) -> FloatArray:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(lengths > 0, lengths, 1.0))


def bags_of(owners: IntArray, rows: IntArray, amounts: FloatArray, bags: int, width: int) -> Bags:
    """Join equal rows of each owner and let every bag's weights sum to 1.

    >>> bags_of(np.array([0, 0, 0, 2]), np.array([5, 3, 5, 1]), np.ones(4), 3, 6).bag(0)
    (array([3, 5]), array([0.33333333, 0.66666667]))
    """
    keys, places = np.unique(owners * max(width, 1) + rows, return_inverse=True)
    sums = np.bincount(places, weights=amounts, minlength=len(keys))
    holders = keys // max(width, 1)
    totals = np.bincount(holders, weights=sums, minlength=bags)
    offsets = np.concatenate([[0], np.cumsum(np.bincount(holders, minlength=bags))])
    weights = sums / totals[holders]
    return Bags(offsets.tolist(), keys % max(width, 1), weights)
