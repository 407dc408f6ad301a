"""CIDEr-D, the number that papers print as CIDEr (Vedantam et al. 2015; coco-caption)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from captious.corpus import Corpus
from captious.corpus.columns import FloatArray, IntArray
from captious.corpus.types import NO_REFERENCES
from captious.errors import InputError, UnknownNameError
from captious.metrics.base import Metric, reference_count_label
from captious.metrics.batch import Batch
from captious.metrics.document_frequency import (
    CORPUS,
    DocumentFrequencies,
    count_documents,
    load_table,
    merge_tables,
)
from captious.metrics.matching import matches_of, ngrams_of
from captious.metrics.registry import register
from captious.text.lookup import chunks
from captious.text.ngrams import MAX_ORDER, NgramTable
from captious.text.tokens import require_tokeniser, tokeniser_label

SCALE = 10.0  # Vedantam et al. 2015, section 6: so that CIDEr-D is of the size of other metrics
DOCUMENTS = ("images", "examples")
_MATCHES = 1 << 21  # matches weighed at once, to bound memory
_HARDLY = 0.01  # of a score, left by the penalty on lengths
_CHUNK = 1 << 16  # n-grams weighed at once: few enough for the processor's cache


@dataclass(frozen=True)
class TfIdfMetric(Metric):
    """What CIDEr-D and CIDEr share: n-grams weighted by their rarity across images."""

    fewest_images: ClassVar[int] = 2

    n: int = MAX_ORDER
    df: str = CORPUS
    documents: str = "images"
    tokeniser: str = "ptb"

    def __post_init__(self) -> None:
        if not 1 <= self.n <= MAX_ORDER:
            raise InputError(f"{self.name}: n is {self.n}; it must be from 1 to {MAX_ORDER}.")
        if self.documents not in DOCUMENTS:
            raise UnknownNameError(f"documents of {self.name}", self.documents, DOCUMENTS)
        require_tokeniser(self.tokeniser)

    @property
    def columns(self) -> str:
        """Name of the token columns whose n-grams are weighted."""
        return self.tokeniser

    @property
    def corpus_wide(self) -> bool:
        """Whether the corpus itself, not a saved table, says how rare an n-gram is."""
        return self.df == CORPUS

    @property
    def counts_documents(self) -> bool:
        """Whether an image is one document, however many captions it has."""
        return self.documents == "images"

    def collect(self, batch: Batch) -> DocumentFrequencies | None:
        """Document frequencies of the batch's references; batches hold whole images."""
        if self.df != CORPUS:
            return None
        key = ("document frequencies", self.columns, self.documents)
        return batch.once(key, lambda: self._count(batch))

    def _count(self, batch: Batch) -> DocumentFrequencies:
        references = batch.corpus.references
        used = np.bincount(
            batch.corpus.references_of[batch.corpus.references_of >= 0], minlength=len(references)
        )
        weights = used if self.documents == "examples" else (used > 0).astype(np.int64)
        table = ngrams_of(batch, self.columns)
        counts = count_documents(table, batch.reference_text, references.offsets, weights)
        return DocumentFrequencies(table.index, counts, int(weights.sum()), self.columns)

    def merge(self, parts: Sequence[DocumentFrequencies | None]) -> DocumentFrequencies:
        """One table of all batches, or the table of the option `df`."""
        if self.df != CORPUS:
            return self._table()
        return merge_tables([part for part in parts if part is not None])

    def _table(self) -> DocumentFrequencies:
        table = load_table(self.df)
        if table.tokeniser != self.columns:
            raise InputError(
                f"{self.df}: counts tokens of the tokeniser {table.tokeniser}; "
                f"{self.name} uses {self.columns}. Build the table with the same tokeniser."
            )
        if table.order < self.n:
            raise InputError(
                f"{self.df}: counts n-grams up to {table.order}; {self.name} needs {self.n}. "
                f"Build the table with --n {self.n}."
            )
        return table

    def check(self, corpus: Corpus, knowledge: DocumentFrequencies) -> None:
        """Refuse a corpus of one image: every n-gram would weigh log(1 / 1) = 0."""
        self.check_documents(knowledge)

    def check_documents(self, knowledge: DocumentFrequencies) -> None:
        """Refuse frequencies of fewer than two documents."""
        if knowledge.documents < 2:
            raise InputError(
                f"{self.name} weights n-grams by how rare they are across images, but the "
                f"references cover {knowledge.documents} image(s). Score more images, "
                "or give document frequencies:",
                python=f'metrics=["{self.name}[df=FILE]"].',
                command=f"--df FILE or {self.name}[df=FILE].",
            )

    def facts(self, corpus: Corpus, knowledge: DocumentFrequencies) -> dict[str, str]:
        """References, tokeniser, document frequencies, longest n-gram."""
        facts = {"refs": reference_count_label(corpus), "tok": tokeniser_label(self.columns)}
        facts["df"] = knowledge.label
        if self.documents != "images" and self.df == CORPUS:
            facts["documents"] = self.documents
        return facts | {"n": str(self.n)}

    def similarities(self, batch: Batch, knowledge: DocumentFrequencies, *, clip: bool) -> FloatArray:
        """Cosine of each (example, reference) pair's weighted n-grams, one column per order."""
        self.check_documents(knowledge)
        table = ngrams_of(batch, self.columns)
        idf = knowledge.inverse(table.index)
        examples, texts = batch.pairs()
        dots = self._dot_products(batch, table, idf, clip=clip)
        norms = ngram_norms(table, idf)
        scale = norms[batch.candidate_text[examples]] * norms[texts]
        cosines = np.zeros_like(dots)
        np.divide(dots, scale, out=cosines, where=scale > 0)
        return cosines[:, : self.n]

    def _dot_products(self, batch: Batch, table: NgramTable, idf: FloatArray, *, clip: bool) -> FloatArray:
        matches = matches_of(batch, self.columns)
        size = len(batch.pairs()[0])
        dots = np.zeros(size * MAX_ORDER)
        for start in range(0, len(matches.pairs), _MATCHES):
            part = slice(start, start + _MATCHES)
            ours, theirs = matches.candidate_counts[part], matches.reference_counts[part]
            grams = matches.grams[part]
            counts = (np.minimum(ours, theirs) if clip else ours).astype(np.float64) * theirs
            cells = matches.pairs[part].astype(np.int64) * MAX_ORDER + table.index.orders_of(grams)
            first = int(cells[0]) if len(cells) else 0
            sums = np.bincount(cells - first, counts * idf[grams] ** 2)
            dots[first : first + len(sums)] += sums
        return dots.reshape(size, MAX_ORDER)

    def mean_over_references(self, batch: Batch, pair_scores: FloatArray) -> FloatArray:
        """Mean of each example's pairs."""
        examples, _ = batch.pairs()
        sums = np.bincount(examples, pair_scores, minlength=len(batch))
        return np.asarray(sums / np.maximum(batch.corpus.reference_counts, 1))


def ngram_norms(table: NgramTable, idf: FloatArray) -> FloatArray:
    """Euclidean length of each text's weighted n-grams, one column per order."""
    norms = np.zeros((len(table), MAX_ORDER))
    for part in chunks(table.sizes + 1, _CHUNK):
        first, last = int(table.offsets[part.start]), int(table.offsets[part.stop])
        grams = table.grams[first:last]
        weights = table.counts[first:last] * idf[grams]
        rows = np.repeat(np.arange(part.stop - part.start), table.sizes[part])
        squares = np.bincount(
            rows * MAX_ORDER + table.index.orders_of(grams),
            weights * weights,
            minlength=(part.stop - part.start) * MAX_ORDER,
        )
        norms[part] = np.sqrt(squares).reshape(-1, MAX_ORDER)
    return norms


def pair_count_lengths(lengths: IntArray) -> IntArray:
    """Lengths as coco-caption's penalty measures them: in pairs of neighbouring tokens."""
    return np.maximum(lengths - 1, 0)


@register("cider")
@dataclass(frozen=True)
class CiderD(TfIdfMetric):
    """CIDEr-D: clipped tf-idf cosine with a Gaussian penalty on the difference in length.

    With g_n the tf-idf vector of a text's n-grams (raw counts times log(N / documents)), c the
    candidate, s_j its m references, and l(.) the number of token pairs:
    10 / (m n_max) sum_j sum_n exp(-(l(c) - l(s_j))^2 / (2 sigma^2))
    min(g_n(c), g_n(s_j)) . g_n(s_j) / (|g_n(c)| |g_n(s_j)|).

    >>> corpus = Corpus.from_lists(["a dog runs", "two cats"], [["a dog runs"], ["two red cats"]])
    >>> metric = CiderD(tokeniser="space")
    >>> batch = Batch(corpus)
    >>> metric.score_examples(batch, metric.merge([metric.collect(batch)])).round(3).tolist()
    [7.5, 2.013]
    """

    title: ClassVar[str] = "CIDEr"
    summary: ClassVar[str] = "CIDEr-D as in coco-caption: similarity of tf-idf n-grams"
    citation: ClassVar[str] = "Vedantam et al. 2015"
    bounds: ClassVar[tuple[float, float]] = (0.0, SCALE)

    sigma: float = 6.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.sigma > 0:
            raise InputError(f"{self.name}: sigma is {self.sigma}; it must be above 0.")

    def score_examples(self, batch: Batch, knowledge: DocumentFrequencies) -> FloatArray:
        """CIDEr-D of each example."""
        cosines = self.similarities(batch, knowledge, clip=True)
        lengths = pair_count_lengths(ngrams_of(batch, self.columns).lengths)
        examples, texts = batch.pairs()
        difference = (lengths[batch.candidate_text[examples]] - lengths[texts]).astype(np.float64)
        penalty = np.exp(-(difference**2) / (2 * self.sigma**2))
        return SCALE * self.mean_over_references(batch, cosines.mean(axis=1) * penalty)

    def notes(self, corpus: Corpus, knowledge: Any) -> list[str]:
        """Say where the penalty on lengths leaves hardly anything of the scores: of long captions."""
        far = self.sigma * math.sqrt(2 * math.log(1 / _HARDLY))
        words = np.array([text.count(" ") for text in corpus.references.values])
        offsets = corpus.references.offsets.tolist()
        lost = sum(
            bool((np.abs(words[offsets[own] : offsets[own + 1]] - text.count(" ")) > far).all())
            for text, own in zip(corpus.captions, corpus.references_of.tolist(), strict=True)
            if own != NO_REFERENCES
        )
        if lost * 10 < max(len(corpus), 1):
            return []
        return [
            f"{self.name}: {lost:,} of {len(corpus):,} captions are more than {far:.0f} words longer or "
            "shorter than all their references: CIDEr-D's penalty on lengths leaves less than "
            f"{_HARDLY:.0%} of their scores. cider_original has no such penalty."
        ]

    def facts(self, corpus: Corpus, knowledge: Any) -> dict[str, str]:
        """As the signature of both, and sigma."""
        return super().facts(corpus, knowledge) | {"sigma": str(self.sigma)}
