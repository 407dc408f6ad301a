"""METEOR's statistics of an alignment, and the score that it gives them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from captious.metrics.meteor.align import Alignment
from captious.metrics.meteor.matchers import MATCHERS, Captions, Matches
from captious.metrics.meteor.tables import Ints, Words, spans

FloatArray = NDArray[np.float64]

# Columns: words of both captions, function words of both, then for each matcher the matched
# content words of both and function words of both, then chunks and matched words of both.
COLUMNS = 4 + 4 * len(MATCHERS) + 3


@dataclass(frozen=True)
class Parameters:
    """Parameters of the score; the defaults are those of Meteor 1.5 for ranking English."""

    alpha: float = 0.85
    beta: float = 0.2
    gamma: float = 0.6
    delta: float = 0.75
    weights: tuple[float, ...] = (1.0, 0.6, 0.8, 0.6)


def statistics(
    words: Words, captions: Captions, candidate: Ints, reference: Ints, matches: Matches, alignment: Alignment
) -> FloatArray:
    """Sufficient statistics of every pair, in the order in which METEOR prints them.

    As METEOR sums them, a pair that one chunk covers whole has no chunk.
    """
    table = np.zeros((len(candidate), COLUMNS))
    function = words.function[captions.ids]
    before = np.concatenate([[0], np.cumsum(function)])
    pair, matcher = matches.pair[alignment.rows], matches.matcher[alignment.rows]
    sides = (
        (candidate, matches.candidate, matches.candidate_length),
        (reference, matches.reference, matches.reference_length),
    )
    for side, (rows, start, length) in enumerate(sides):
        first, last = captions.offsets[rows], captions.offsets[rows + 1]
        table[:, side] = last - first
        table[:, 2 + side] = before[last] - before[first]
        begin = first[pair] + start[alignment.rows]
        match, word = spans(begin, begin + length[alignment.rows])
        column = 4 + 4 * matcher[match] + 2 * function[word] + side
        cell = pair[match] * COLUMNS + column
        table += np.bincount(cell, minlength=table.size).reshape(table.shape)
        table[:, -2 + side] = np.bincount(pair[match], minlength=len(table))
    # One chunk that covers both captions is no fragment, in sums over captions too.
    whole = (alignment.chunks == 1) & (table[:, -2:] == table[:, :2]).all(axis=1)
    table[:, -3] = np.where(whole, 0, alignment.chunks)
    return table


def meteor(statistics: FloatArray, parameters: Parameters) -> FloatArray:
    """Score from statistics; works on any number of leading axes.

    With P and R the precision and recall of weighted words, where content words count delta and
    function words 1 - delta, F = P R / (alpha P + (1 - alpha) R) and the score is
    F (1 - gamma (chunks / matches)^beta) (Denkowski & Lavie 2014).

    >>> best = np.array([2, 2, 1, 1, 1, 1, 1, 1] + [0] * 12 + [0, 2, 2], dtype=float)
    >>> float(meteor(best, Parameters()))
    1.0
    """
    delta = parameters.delta
    matched = statistics[..., 4:-3].reshape(*statistics.shape[:-1], len(MATCHERS), 2, 2)
    weights = np.asarray(parameters.weights)[:, None]
    rates = []
    for side in (0, 1):
        length, functions = statistics[..., side], statistics[..., 2 + side]
        kinds = matched[..., side] * weights
        total = delta * (length - functions) + (1 - delta) * functions
        hits = delta * kinds[..., 0].sum(axis=-1) + (1 - delta) * kinds[..., 1].sum(axis=-1)
        rates.append(_ratio(hits, total))
    precision, recall = rates
    f = _ratio(precision * recall, parameters.alpha * precision + (1 - parameters.alpha) * recall)
    fragments = _ratio(statistics[..., -3], statistics[..., -2:].sum(axis=-1) / 2)
    return np.asarray(f * (1 - parameters.gamma * fragments**parameters.beta))


def _ratio(top: FloatArray, bottom: FloatArray) -> FloatArray:
    safe = np.where(bottom > 0, bottom, 1.0)
    return np.where(bottom > 0, top / safe, 0.0)
