"""What captions mean: similarity of sentences and alignment of tokens, from one encoder run.

The tokens of the candidate look for their best partner among all tokens of all references, and the
references' tokens for theirs in the candidate; learned weights say which tokens matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from captious.corpus.columns import FloatArray, IntArray
from captious.models.encoders import sentence as encoders
from captious.models.encoders.long_texts import CHUNK

MEANING_FEATURES = (  # in the order of `meaning_features`
    "sentence",  # cosine with the mean of the references' sentence vectors
    "agreement",  # mean cosine between two references; 1 for a single one
    "precision_best",  # weighted mean of each candidate token's best partner in any reference
    "recall_mean",  # weighted mean of each reference token's best partner, mean over references
)
Floats = NDArray[np.float32]


class Meant(NamedTuple):
    """A caption, or a window of a long one: its vector, the vectors of its tokens and their weights."""

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


class Meanings(NamedTuple):
    """Of each text its windows, none where it has no word, and the first token that is new in each.

    `beyond` counts tokens beyond the limit.
    """

    windows: list[list[Meant]]
    starts: list[list[int]]
    beyond: IntArray


def read_meanings(
    encoder: encoders.Encoder, texts: Sequence[str], weights: TokenWeights, long: str = CHUNK
) -> Meanings:
    """Vectors of texts, a window at a time."""
    cut = encoders.text_windows(encoder, texts, encoders.sentence_limit(encoder), long)
    states, offsets = encoders.token_states(encoder, cut.rows, encoder.layers)
    windows: list[list[Meant]] = [[] for _ in texts]
    starts: list[list[int]] = [[] for _ in texts]
    for owner, fresh in zip(cut.owner.tolist(), cut.fresh.tolist(), strict=True):
        starts[owner].append(starts[owner][-1] + fresh if starts[owner] else fresh)
    starts = [[0, *ends[:-1]] for ends in starts]
    if not len(states):
        return Meanings(windows, starts, cut.beyond)
    inner = ~np.isin(np.concatenate(cut.rows), list(encoder.special))
    counted = states
    if cut.context.any():
        before = _context(offsets, cut.context + encoder.ends[0], encoder.ends[0])
        inner &= ~before
        counted = np.where(before[:, None], np.float32(0), states)
    # All texts at once: five calls of NumPy for each text took as long as a layer of the encoder.
    sums = np.add.reduceat(counted, offsets[:-1], axis=0)
    sentences = sums / np.linalg.norm(sums, axis=1, keepdims=True)
    units = states / np.linalg.norm(states, axis=1, keepdims=True)
    says = weights.of(states)
    rows = np.append(0, np.cumsum(inner))[offsets]
    units, says = units[inner], says[inner]
    for row, (start, stop) in enumerate(zip(rows[:-1].tolist(), rows[1:].tolist(), strict=True)):
        if stop > start:
            windows[cut.owner[row]].append(Meant(sentences[row], units[start:stop], says[start:stop]))
    return Meanings(windows, starts, cut.beyond)


def _context(offsets: IntArray, last: IntArray, first: int) -> NDArray[np.bool_]:
    """Which tokens of a column are at places `first` to `last` of their row."""
    places = np.arange(offsets[-1]) - np.repeat(offsets[:-1], np.diff(offsets))
    found: NDArray[np.bool_] = (places >= first) & (places < np.repeat(last, np.diff(offsets)))
    return found


def joined(windows: Sequence[Meant]) -> Meant | None:
    """A text from its windows: all its tokens, and the mean of the windows' vectors by their tokens."""
    if len(windows) < 2:
        return windows[0] if windows else None
    total = np.sum([own.sentence * len(own.tokens) for own in windows], axis=0)
    return Meant(
        np.asarray(total / np.linalg.norm(total), dtype=np.float32),
        np.concatenate([own.tokens for own in windows]),
        np.concatenate([own.weights for own in windows]),
    )


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
