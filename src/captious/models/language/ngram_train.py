"""Interpolated modified Kneser-Ney smoothing (Kneser and Ney 1995; Chen and Goodman 1998).

The longest n-grams count how often they occur. Shorter ones count how many different tokens stand
before them, because a word that follows one word only should not be likely after others; those that
begin a caption have nothing before them and count their occurrences. From each count c a discount
is taken, D1, D2 or D3 for c of 1, 2, and 3 or more, and the mass so gained goes to the n-gram that
lacks the first token: p(w | h) = (c(hw) - D) / c(h) + gamma(h) p(w | h'). The shortest are
interpolated with a uniform distribution over all words, the end and the unknown word.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from captious.errors import InputError
from captious.models.language.ngram import BEGIN, SPECIAL, FloatArray, IntArray, NgramModel, stream_of
from captious.text.lookup import ABSENT, numbered
from captious.text.tokens import token_table

MAX_ORDER = 6
# For captions too few to estimate discounts from, as KenLM's fallback has them (Heafield 2013).
FALLBACK_DISCOUNTS = (0.5, 1.0, 1.5)


class _Level(NamedTuple):
    """The n-grams of one order: key, count, and the n-gram that lacks the first token."""

    keys: IntArray
    counts: IntArray
    suffixes: IntArray
    begins: NDArray[np.bool_]


def train(captions: Sequence[str], order: int = 3, tokeniser: str = "ptb") -> NgramModel:
    """Estimate a model of captions.

    >>> model = train(["a dog runs", "a dog sleeps", "a cat sleeps"], order=2)
    >>> likely, unlikely = model.likelihoods(["a dog sleeps", "sleeps a dog"]).logs
    >>> bool(likely > unlikely)
    True
    """
    if not 1 <= order <= MAX_ORDER:
        raise InputError(f"the order of an n-gram model is {order}; it must be 1 to {MAX_ORDER}.")
    table = token_table(captions, tokeniser)
    if not len(table.ids):
        raise InputError("the captions contain no word to learn from.")
    numbers = np.arange(len(table.vocabulary), dtype=np.int64) + SPECIAL
    stream, _ = stream_of(table, numbers, slice(0, len(table)))
    size = len(table.vocabulary) + SPECIAL
    levels = _adjusted(_count(stream, size, order))
    logs, backoffs = _estimate(levels, size)
    return NgramModel(
        words=table.vocabulary,
        keys=tuple(level.keys for level in levels[1:]),
        logs=tuple(logs),
        backoffs=tuple(backoffs),
        captions=len(captions),
        tokeniser=tokeniser,
    )


def discounts(counts: IntArray) -> FloatArray:
    """D1, D2 and D3 from how many n-grams have the counts 1 to 4 (Chen and Goodman, equation 26).

    With n_i n-grams of count i and Y = n_1 / (n_1 + 2 n_2): D_i = i - (i + 1) Y n_(i+1) / n_i.

    >>> discounts(np.repeat([1, 2, 3, 4], [40, 20, 10, 5])).tolist()
    [0.5, 1.25, 2.0]
    """
    n = np.bincount(np.clip(counts, 0, 5), minlength=6).astype(np.float64)[1:5]
    if np.all(n > 0):
        y = n[0] / (n[0] + 2 * n[1])
        i = np.arange(1, 4)
        found: FloatArray = i - (i + 1) * y * n[1:] / n[:-1]
        if np.all((found >= 0) & (found <= i)):
            return found
    return np.array(FALLBACK_DISCOUNTS)


def _count(stream: IntArray, size: int, order: int) -> list[_Level]:
    """Every order's n-grams and how often each occurs."""
    rows = stream
    first = np.zeros(size, dtype=bool)
    first[BEGIN] = True
    counts = np.bincount(stream, minlength=size)
    levels = [_Level(np.arange(size), counts, np.zeros(size, dtype=np.int64), first)]
    for _ in range(order - 1):
        contexts = np.append(ABSENT, rows[:-1])
        contexts[stream == BEGIN] = ABSENT
        whole = np.flatnonzero(contexts >= 0)
        keys, places = numbered(contexts[whole] * size + stream[whole])
        suffixes = np.empty(len(keys), dtype=np.int64)
        suffixes[places] = rows[whole]
        begins = np.empty(len(keys), dtype=bool)
        begins[places] = levels[-1].begins[contexts[whole]]
        levels.append(_Level(keys, np.bincount(places, minlength=len(keys)), suffixes, begins))
        rows = np.full(len(stream), ABSENT, dtype=np.int64)
        rows[whole] = places
    return levels


def _adjusted(levels: list[_Level]) -> list[_Level]:
    """Counts of all but the longest: how many different tokens precede the n-gram."""
    found = []
    for level, above in pairwise(levels):
        before = np.bincount(above.suffixes, minlength=len(level.keys))
        found.append(level._replace(counts=np.where(level.begins, level.counts, before)))
    found.append(levels[-1])
    unigrams = found[0].counts.copy()
    unigrams[BEGIN] = 0  # the begin is given, never predicted
    return [found[0]._replace(counts=unigrams), *found[1:]]


def _estimate(levels: list[_Level], size: int) -> tuple[list[FloatArray], list[FloatArray]]:
    """Log-probabilities of every order, and log back-off weights of every context."""
    lower = np.full(1, 1.0 / (size - 1))  # every token but the begin, equally likely
    probabilities, weights = [], []
    for place, level in enumerate(levels):
        shortest = place == 0
        contexts = np.zeros(size, dtype=np.int64) if shortest else level.keys // size
        count = 1 if shortest else len(levels[place - 1].keys)
        taken = np.append(0.0, discounts(level.counts))[np.minimum(level.counts, 3)]
        totals = np.bincount(contexts, level.counts, minlength=count)
        gained = np.bincount(contexts, taken, minlength=count)
        gamma = np.ones(count)
        np.divide(gained, totals, out=gamma, where=totals > 0)
        lower = (level.counts - taken) / totals[contexts] + gamma[contexts] * lower[level.suffixes]
        probabilities.append(lower)
        weights.append(gamma)
    smallest = np.finfo(np.float64).tiny  # a discount of 0 leaves no mass, and no finite logarithm
    logs = [np.log(np.maximum(values, smallest)) for values in probabilities]
    return logs, [np.log(np.maximum(values, smallest)) for values in weights[1:]]
