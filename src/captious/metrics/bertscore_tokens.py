"""Tokens of texts that are read in windows, and the greedy matching of BERTScore."""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from captious.corpus.columns import FloatArray, IntArray
from captious.models.encoders.long_texts import Ids, Windows
from captious.models.encoders.sentence import WHOLE, Encoder

_PART = re.compile(r"\w+|[^\w\s]+")
_CELLS_AT_A_TIME = 1 << 26  # cosines of tokens: 256 MB


class Tokens(NamedTuple):
    """The windows of texts, which places of each count, and each text's tokens that do, in order."""

    cut: Windows
    kept: list[slice]
    ids: Ids


def tokens_of(cut: Windows, ends: tuple[int, int]) -> Tokens:
    """Tokens of texts: of a window neither its context nor special tokens inside the text."""
    before, after = ends
    offsets = cut.offsets
    kept = [
        slice(
            0 if row == offsets[owner] else before + int(cut.context[row]),
            len(ids) - (0 if row + 1 == offsets[owner + 1] else after),
        )
        for row, (ids, owner) in enumerate(zip(cut.rows, cut.owner.tolist(), strict=True))
    ]
    if len(cut.rows) == len(cut.beyond):
        return Tokens(cut, kept, cut.rows)
    ids: Ids = [[] for _ in cut.beyond]
    for row, owner in enumerate(cut.owner.tolist()):
        ids[owner] += cut.rows[row][kept[row]]
    return Tokens(cut, kept, ids)


def words_of(text: str, encoder: Encoder) -> list[tuple[tuple[int, int] | None, int]]:
    """The words of a text and what is between them: each one's place, None of no word, and its tokens.

    Together they have as many tokens as the text where the encoder cuts words one by one, as WordPiece does.
    """
    parts = list(_PART.finditer(text))
    rows = encoder.encode([part[0] for part in parts], WHOLE)
    counts = [len(row) - sum(encoder.ends) for row in rows]
    return [
        (part.span() if part[0][0].isalnum() else None, count)
        for part, count in zip(parts, counts, strict=True)
        if count
    ]


def match_pairs(
    states: NDArray[np.float32],
    offsets: IntArray,
    weights: FloatArray,
    candidates: IntArray,
    references: IntArray,
) -> tuple[FloatArray, FloatArray]:
    """Greedy matching of token vectors: weighted means of each token's best cosine.

    Pairs whose texts have the same two lengths are matched together, so that nothing is padded.
    """
    lengths = np.diff(offsets)
    kinds = lengths[candidates] * (int(lengths.max(initial=0)) + 1) + lengths[references]
    precision, recall = np.zeros(len(candidates)), np.zeros(len(candidates))
    order = np.argsort(kinds, kind="stable")
    cuts = np.flatnonzero(np.diff(kinds[order])) + 1
    for rows in np.split(order, cuts) if len(order) else ():
        cells = int(lengths[candidates[rows[0]]]) * int(lengths[references[rows[0]]])
        size = max(1, min(256, _CELLS_AT_A_TIME // max(cells, 1)))
        for start in range(0, len(rows), size):
            part = rows[start : start + size]
            ours = _rows(offsets, candidates[part])
            theirs = _rows(offsets, references[part])
            own, other = _best_cosines(states[ours], states[theirs])
            precision[part] = _weighted_mean(own, weights[ours])
            recall[part] = _weighted_mean(other, weights[theirs])
    return precision, recall


def _best_cosines(
    ours: NDArray[np.float32], theirs: NDArray[np.float32]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Each token's best cosine, of both sides; of very long texts some of our tokens at a time."""
    step = max(1, _CELLS_AT_A_TIME // max(1, len(ours) * theirs.shape[1]))
    own, other = [], None
    for start in range(0, max(1, ours.shape[1]), step):
        cosines = ours[:, start : start + step] @ theirs.transpose(0, 2, 1)
        own.append(cosines.max(axis=2))
        best = cosines.max(axis=1)
        other = best if other is None else np.maximum(other, best)
    assert other is not None
    return np.concatenate(own, axis=1), other


def _rows(offsets: IntArray, texts: IntArray) -> IntArray:
    """Rows of the tokens of texts that are equally long: one line per text."""
    length = int(offsets[texts[0] + 1] - offsets[texts[0]])
    return np.asarray(offsets[texts][:, None] + np.arange(length))


def _weighted_mean(values: NDArray[np.float32], weights: FloatArray) -> FloatArray:
    totals = weights.sum(axis=1)
    sums = (values.astype(np.float64) * weights).sum(axis=1)
    means = np.zeros(len(sums))
    np.divide(sums, totals, out=means, where=totals > 0)
    return np.clip(means, 0.0, 1.0, out=means)
