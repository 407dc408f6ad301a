"""Similarity of sentence vectors (Reimers and Gurevych 2019)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from captious.corpus import Corpus
from captious.corpus.columns import FloatArray, IntArray
from captious.errors import UnknownNameError
from captious.metrics.base import Limit, Metric, reference_count_label
from captious.metrics.batch import Batch
from captious.metrics.registry import register
from captious.models.encoders import sentence as encoders
from captious.models.encoders.vector_cache import Vectors, cached_vectors
from captious.models.locate import MINILM

AGGREGATES = ("max", "mean", "mean_embedding")
_PAIRS_AT_A_TIME = 1 << 13  # bounds memory


@register("sentsim")
@dataclass(frozen=True)
class SentenceSimilarity(Metric):
    """Cosine of a candidate's sentence vector with those of its references.

    With e(.) a text's vector of length 1, c the candidate and s_1 … s_m its references:
    max_j e(c) . e(s_j), or the mean over j, or (`agg=mean_embedding`) the cosine of e(c) with the
    mean of the e(s_j). A cosine below 0 counts as 0, as does a caption without a word.

    >>> SentenceSimilarity(agg="mean").encoder
    'all-MiniLM-L6-v2'
    """

    title: ClassVar[str] = "SentSim"
    summary: ClassVar[str] = "cosine of sentence vectors of caption and references (MiniLM)"
    citation: ClassVar[str] = "Reimers and Gurevych 2019"
    neural: ClassVar[bool] = True
    longest: ClassVar[Limit | None] = Limit(256, "tokens", ("truncate",), "truncate")
    dotted: ClassVar[str] = "agg"

    agg: str = "max"
    encoder: str = MINILM
    backend: str = "auto"
    cache: bool = False  # keep vectors on disk; changes the time, never the number

    def __post_init__(self) -> None:
        if self.agg not in AGGREGATES:
            raise UnknownNameError(f"agg of {self.name}", self.agg, AGGREGATES)
        encoders.check_backend(self.backend)

    def weights(self) -> tuple[str, ...]:
        """The encoder's weights."""
        return (self.encoder,)

    def ready(self) -> None:
        """The encoder's weights and what runs them."""
        encoders.ready(self.encoder, self.backend)

    def score_examples(self, batch: Batch, knowledge: Any) -> FloatArray:
        """Similarity of each example's caption to its references."""
        vectors, known = sentence_vectors_of(batch, self.encoder, self.backend, self.cache)
        examples, texts = batch.pairs()
        if self.agg == "mean_embedding":
            scores = _cosines_with_means(vectors, known, batch.candidate_text, examples, texts)
        else:
            cosines = _cosines(vectors, batch.candidate_text[examples], texts)
            cosines[~known[texts]] = 0.0
            cosines = np.maximum(cosines, 0.0)
            if self.agg == "max":
                scores = np.zeros(len(batch))
                np.maximum.at(scores, examples, cosines)
            else:
                sums = np.bincount(examples, cosines, minlength=len(batch))
                scores = sums / batch.corpus.reference_counts
        scores[~known[batch.candidate_text]] = 0.0
        return np.clip(scores, 0.0, 1.0)

    def facts(self, corpus: Corpus, knowledge: Any) -> dict[str, str]:
        """References, how they are joined, the encoder with its weights, what ran it."""
        label, backend = encoders.label_of(self.encoder, self.backend)
        refs = reference_count_label(corpus)
        return {"refs": refs, "agg": self.agg, "enc": label, "backend": backend}


def sentence_vectors_of(batch: Batch, encoder: str, backend: str, cache: bool = False) -> Vectors:
    """Sentence vector of every text of the batch, made once, and whether the text has a word."""

    def encode(texts: Sequence[str]) -> Vectors:
        return encoders.sentence_vectors(encoders.load_encoder(encoder, backend), texts)

    def make() -> Vectors:
        if not cache:
            return encode(batch.texts)
        return cached_vectors(" ".join(encoders.label_of(encoder, backend)), batch.texts, encode)

    return batch.once(("sentence vectors", encoder, backend), make)


def _cosines(vectors: NDArray[np.float32], first: IntArray, second: IntArray) -> FloatArray:
    """Dot products of rows of `vectors`, in double precision."""
    found = np.empty(len(first))
    for start in range(0, len(first), _PAIRS_AT_A_TIME):
        part = slice(start, start + _PAIRS_AT_A_TIME)
        ours, theirs = vectors[first[part]].astype(np.float64), vectors[second[part]]
        found[part] = np.einsum("ij,ij->i", ours, theirs.astype(np.float64))
    return found


def _cosines_with_means(
    vectors: NDArray[np.float32],
    known: NDArray[np.bool_],
    candidates: IntArray,
    examples: IntArray,
    texts: IntArray,
) -> FloatArray:
    """Cosine of each candidate with the mean vector of its references that have a word."""
    found = np.zeros(len(candidates))
    used = known[texts]
    examples, texts = examples[used], texts[used]
    size = max(1, _PAIRS_AT_A_TIME // 4)
    for start in range(0, len(candidates), size):
        stop = min(start + size, len(candidates))
        first, last = np.searchsorted(examples, [start, stop])
        sums = np.zeros((stop - start, vectors.shape[1]))
        np.add.at(sums, examples[first:last] - start, vectors[texts[first:last]])
        norms = np.linalg.norm(sums, axis=1)
        dots = np.einsum("ij,ij->i", sums, vectors[candidates[start:stop]].astype(np.float64))
        np.divide(dots, norms, out=found[start:stop], where=norms > 0)
    return found
