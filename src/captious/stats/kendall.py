"""The five kinds of pairs that every rank comparison counts, and Kendall's tau from them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from captious.stats.columns import finite_pair
from captious.stats.resample import Floats, Integers


class PairCounts(NamedTuple):
    """How many pairs of rows are of each kind.

    They are in the same order by metric and by people, in opposite order, tied by the metric only,
    by people only, or by both.
    """

    agree: int
    disagree: int
    metric_tie: int
    human_tie: int
    both_tie: int

    @property
    def total(self) -> int:
        """All pairs."""
        return sum(self)


def count_pairs(metric: ArrayLike, human: ArrayLike) -> PairCounts:
    """Count the five kinds among all pairs of rows, in n log n time (after Knight 1966).

    >>> count_pairs([1, 2, 2, 4], [1, 2, 2, 0])
    PairCounts(agree=2, disagree=3, metric_tie=0, human_tie=0, both_tie=1)
    """
    return count_finite_pairs(*finite_pair(metric, human))


def count_finite_pairs(x: Floats, y: Floats) -> PairCounts:
    """Count as `count_pairs` does, for columns that are known to be finite."""
    x_level, y_level = (np.unique(column, return_inverse=True)[1] for column in (x, y))
    order = np.lexsort((y_level, x_level))
    x_level, y_level = x_level[order], y_level[order]
    new_cell = (np.diff(x_level, prepend=-1) != 0) | (np.diff(y_level, prepend=-1) != 0)
    both = _pairs_in(np.bincount(np.cumsum(new_cell) - 1)) if x.size else 0
    tied_x, tied_y = _pairs_in(np.bincount(x_level)), _pairs_in(np.bincount(y_level))
    disagree = inversions(y_level)
    agree = x.size * (x.size - 1) // 2 - tied_x - tied_y + both - disagree
    return PairCounts(agree, disagree, tied_x - both, tied_y - both, both)


def inversions(levels: Integers) -> int:
    """Count the pairs i < j with levels[i] > levels[j], for whole numbers from 0.

    Two levels differ first in some bit. Among those that agree in all higher bits, an inversion is
    a 1 before a 0; one cumulative sum per bit counts them.

    >>> inversions(np.array([2, 0, 1, 1]))
    3
    """
    total = 0
    for bit in range(int(levels.max(initial=0)).bit_length()):
        prefix, value = levels >> (bit + 1), (levels >> bit) & 1
        order = np.argsort(prefix, kind="stable")
        value = value[order]
        new_group = np.diff(prefix[order], prepend=-1) != 0
        ones_before = np.cumsum(value) - value
        before_group = ones_before[new_group][np.cumsum(new_group) - 1]
        total += int((ones_before - before_group)[value == 0].sum())
    return total


def tau_b(pairs: PairCounts) -> float:
    """Return tau-b, (agree - disagree) / sqrt(untied by metric * untied by people).

    >>> round(tau_b(PairCounts(4, 1, 1, 0, 0)), 6)
    0.547723
    """
    untied_metric = pairs.total - pairs.metric_tie - pairs.both_tie
    untied_human = pairs.total - pairs.human_tie - pairs.both_tie
    if not untied_metric or not untied_human:
        return float("nan")
    surplus = pairs.agree - pairs.disagree
    return float(surplus / np.sqrt(untied_metric) / np.sqrt(untied_human))


def tau_c(pairs: PairCounts, n: int, classes: int) -> float:
    """Return tau-c for n rows, with `classes` the smaller number of different values.

    >>> round(tau_c(PairCounts(4, 1, 1, 0, 0), n=4, classes=3), 6)
    0.5625
    """
    if classes < 2:
        return float("nan")
    return 2 * (pairs.agree - pairs.disagree) / (n**2 * (classes - 1) / classes)


def _pairs_in(sizes: Integers) -> int:
    return int((sizes * (sizes - 1) // 2).sum())
