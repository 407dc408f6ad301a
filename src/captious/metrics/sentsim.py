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
from captious.metrics.base import Limit, reference_count_label
from captious.metrics.batch import Batch
from captious.metrics.image_notes import Noted, OfTexts
from captious.metrics.registry import register
from captious.models.encoders import sentence as encoders
from captious.models.encoders.long_texts import CHUNK, LONG
from captious.models.encoders.sentence import LONGEST_SENTENCE, SentenceVectors
from captious.models.encoders.wordpiece import is_english, unread_shares
from captious.models.locate import MINILM
from captious.text.languages import ANY

AGGREGATES = ("max", "mean", "mean_embedding")
_PAIRS_AT_A_TIME = 1 << 13  # bounds memory


@register("sentsim")
@dataclass(frozen=True)
class SentenceSimilarity(OfTexts):
    """Cosine of a candidate's sentence vector with those of its references.

    With e(.) a text's vector of length 1, c the candidate and s_1 … s_m its references:
    max_j e(c) . e(s_j), or the mean over j, or (`agg=mean_embedding`) the cosine of e(c) with the
    mean of the e(s_j). A cosine below 0 counts as 0, as does a caption without a word.

    Where c or s has windows (`long=chunk`), c_k with n_k tokens and s_l with m_l, the cosine becomes
    the lower of sum_k n_k max_l e(c_k) . e(s_l) / sum_k n_k and sum_l m_l max_k e(c_k) . e(s_l) / sum_l m_l:
    what the caption adds and what it leaves out both count. It is the cosine where both have one.

    >>> SentenceSimilarity(agg="mean").encoder
    'all-MiniLM-L6-v2'
    """

    title: ClassVar[str] = "SentSim"
    summary: ClassVar[str] = "cosine of sentence vectors of caption and references (MiniLM)"
    citation: ClassVar[str] = "Reimers and Gurevych 2019"
    neural: ClassVar[bool] = True
    longest: ClassVar[Limit | None] = Limit(LONGEST_SENTENCE, "tokens", LONG, CHUNK)
    dotted: ClassVar[str] = "agg"

    agg: str = "max"
    encoder: str = MINILM
    backend: str = "auto"
    long: str = CHUNK
    cache: bool = False  # keep vectors on disk; changes the time, never the number

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.agg not in AGGREGATES:
            raise UnknownNameError(f"agg of {self.name}", self.agg, AGGREGATES)
        encoders.check_backend(self.backend)

    def languages(self) -> tuple[str, ...]:
        """English for encoders with an English vocabulary, any for others."""
        return ("en",) if is_english(self.encoder) else (ANY,)

    def unread(self, texts: Sequence[str]) -> FloatArray:
        """What the encoder cannot read of each text."""
        return unread_shares(self.encoder, self.backend, texts)

    def way_out(self, code: str) -> str:
        """An encoder of many languages."""
        return "NAME[encoder=FOLDER], with a multilingual encoder"

    def weights(self) -> tuple[str, ...]:
        """The encoder's weights."""
        return (self.encoder,)

    def ready(self) -> None:
        """The encoder's weights and what runs them."""
        encoders.ready(self.encoder, self.backend)

    def score_examples(self, batch: Batch, knowledge: Any) -> FloatArray:
        """Similarity of each example's caption to its references."""
        made = self._vectors(batch)
        known = made.known
        examples, texts = batch.pairs()
        if self.agg == "mean_embedding":
            scores = _cosines_with_means(made.pooled, known, batch.candidate_text, examples, texts)
        else:
            cosines = _text_cosines(made, batch.candidate_text[examples], texts)
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

    def beyond(self, batch: Batch) -> IntArray:
        """Tokens of each text beyond the limit."""
        return self._vectors(batch).beyond

    def windows(self) -> str:
        """The label of the windows that a long text is read in."""
        return encoders.windows_of(encoders.sentence_limit(encoders.load_encoder(self.encoder, self.backend)))

    def _vectors(self, batch: Batch) -> SentenceVectors:
        return sentence_vectors_of(batch, self.encoder, self.backend, self.long, self.cache)

    def facts(self, corpus: Corpus, knowledge: Noted) -> dict[str, str]:
        """References, how they are joined, the encoder with its weights, long texts, what ran it."""
        label, backend = encoders.label_of(self.encoder, self.backend)
        refs = reference_count_label(corpus)
        facts = {"refs": refs, "agg": self.agg, "enc": label}
        return facts | self.long_facts(knowledge) | {"backend": backend}


def sentence_vectors_of(
    batch: Batch, encoder: str, backend: str, long: str = CHUNK, cache: bool = False
) -> SentenceVectors:
    """Sentence vectors of every text of the batch, made once."""

    def make() -> SentenceVectors:
        kept = " ".join(encoders.label_of(encoder, backend)) if cache else ""
        return encoders.sentence_vectors(encoders.load_encoder(encoder, backend), batch.texts, long, kept)

    return batch.once(("sentence vectors", encoder, backend, long), make)


def _text_cosines(made: SentenceVectors, first: IntArray, second: IntArray) -> FloatArray:
    """Cosine of each pair of texts; of those with windows the lower mean of their best cosines."""
    found = _cosines(made.rows, made.offsets[first], made.offsets[second])
    several = np.diff(made.offsets) > 1
    for pair in np.flatnonzero(several[first] | several[second]).tolist():
        found[pair] = _window_cosine(made, int(first[pair]), int(second[pair]))
    return found


def _window_cosine(made: SentenceVectors, first: int, second: int) -> float:
    ours, theirs = (slice(*made.offsets[text : text + 2].tolist()) for text in (first, second))
    cosines = made.rows[ours].astype(np.float64) @ made.rows[theirs].T.astype(np.float64)
    added = cosines.max(axis=1) @ made.shares[ours]
    left_out = cosines.max(axis=0) @ made.shares[theirs]
    return float(min(added, left_out))


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
