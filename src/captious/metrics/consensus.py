"""How important words are to the references (Madhyastha et al. 2019, equation 4)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from captious.corpus.columns import FloatArray, IntArray
from captious.metrics.word_space import WordSpace


class ReferenceWords(NamedTuple):
    """Content words of one list of references end to end, and where each reference begins.

    `units` are their vectors of length 1, as columns.
    """

    units: FloatArray
    starts: IntArray


def penalties(
    space: WordSpace, one: IntArray, other: IntArray, words: ReferenceWords
) -> tuple[FloatArray, FloatArray]:
    """Equation 4 for object labels and for words of the caption.

    Where no reference has a content word all penalties are 1, which is equation 3.
    """
    both = np.concatenate([one, other])
    if not len(words.starts):
        return np.ones(len(one)), np.ones(len(other))
    nearest = np.maximum.reduceat(space.units[both] @ words.units, words.starts, axis=1)
    # Rounding can leave a cosine above 1 by a hair.
    rho = np.maximum(1.0 - nearest, 0.0).sum(axis=1) / (2.0 * len(words.starts))
    return rho[: len(one)], rho[len(one) :]
