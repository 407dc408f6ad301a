"""What captions mean: similarity of sentences and alignment of tokens, from one encoder run.

The tokens of the candidate look for their best partner among all tokens of all references, and the
references' tokens for theirs in the candidate; learned weights say which tokens matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from captious.corpus.columns import FloatArray
from captious.models.encoders import sentence as encoders

MEANING_FEATURES = (  # in the order of `meaning_features`
    "sentence",  # cosine with the mean of the references' sentence vectors
    "agreement",  # mean cosine between two references; 1 for a single one
    "precision_best",  # weighted mean of each candidate token's best partner in any reference
    "recall_mean",  # weighted mean of each reference token's best partner, mean over references
)
Floats = NDArray[np.float32]


class Meant(NamedTuple):
    """One caption: its sentence vector, the vectors of its tokens and their weights."""

    sentence: Floats
    tokens: Floats
    weights: Floats


class TokenWeights(NamedTuple):
    """Weight of a token from its state h: log(1 + exp(w . h + b))."""

    w: Floats
    b: float

    def of(self, states: Floats) -> Floats:
        """Weights of many tokens."""
        found: Floats = np.logaddexp(0.0, states @ self.w + np.float32(self.b)).astype(np.float32)
        return found


def read_meanings(
    encoder: encoders.Encoder, texts: Sequence[str], weights: TokenWeights
) -> list[Meant | None]:
    """Vectors of texts; None for one without a word."""
    ids = encoder.encode(texts, min(encoder.longest, encoders.LONGEST_SENTENCE))
    states, offsets = encoders.token_states(encoder, ids, encoder.layers)
    if not len(states):
        return [None] * len(texts)
    # All texts at once: five calls of NumPy for each text took as long as a layer of the encoder.
    sums = np.add.reduceat(states, offsets[:-1], axis=0)
    sentences = sums / np.linalg.norm(sums, axis=1, keepdims=True)
    units = states / np.linalg.norm(states, axis=1, keepdims=True)
    says = weights.of(states)
    inner = ~np.isin(np.concatenate(ids), list(encoder.special))
    starts = np.append(0, np.cumsum(inner))[offsets]
    units, says = units[inner], says[inner]
    return [
        Meant(sentences[row], units[start:stop], says[start:stop]) if stop > start else None
        for row, (start, stop) in enumerate(zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True))
    ]


def meaning_features(candidate: Meant | None, references: Sequence[Meant | None]) -> list[float]:
    """The values of `MEANING_FEATURES` for one example; 0 where there is nothing to compare."""
    known = [r for r in references if r is not None]
    if candidate is None or not known:
        return [0.0] * len(MEANING_FEATURES)
    own = candidate.sentence.astype(np.float64)
    # Double precision: the order of the references must not show in the sums.
    total = np.sum([r.sentence.astype(np.float64) for r in known], axis=0)
    n = len(known)
    joint = float(total @ own / max(float(np.linalg.norm(total)), 1e-9))
    between = (float(total @ total) - n) / (n * (n - 1)) if n > 1 else 1.0
    return [joint, between, *_alignment(candidate, known)]


def _alignment(candidate: Meant, references: Sequence[Meant]) -> list[float]:
    """Precision over all references together, recall of each and then the mean."""
    starts = np.cumsum([0, *(len(r.tokens) for r in references[:-1])])
    theirs = np.concatenate([r.tokens for r in references]).astype(np.float64)
    cosines = candidate.tokens.astype(np.float64) @ theirs.T
    mine = candidate.weights.astype(np.float64)
    weights = np.concatenate([r.weights for r in references]).astype(np.float64)
    found = np.add.reduceat(cosines.max(axis=0) * weights, starts)
    recall: FloatArray = found / np.add.reduceat(weights, starts)
    return [float(cosines.max(axis=1) @ mine / mine.sum()), float(recall.mean())]
