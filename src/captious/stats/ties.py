"""When are two metric scores a tie? Find the threshold that agrees best with human ties."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from captious.errors import StatisticsError
from captious.stats.columns import finite_pair, number_labels
from captious.stats.pairwise import Averaging
from captious.stats.resample import Floats, Integers

# Three arrays of eight bytes per pair: about a gigabyte.
MAX_PAIRS = 40_000_000


class TieCalibration(NamedTuple):
    """The best threshold, acc_eq with it, and acc_eq without (threshold 0)."""

    epsilon: float
    accuracy: float
    accuracy_untied: float
    pairs: int


class Pairs(NamedTuple):
    """All pairs within groups: the metric's distance, +1/0/-1 agreement, and the group."""

    distance: Floats
    agreement: Floats
    human_tie: Floats
    group: Integers


def calibrate_ties(
    metric: ArrayLike, human: ArrayLike, *, groups: ArrayLike | None = None, average: Averaging = "pairs"
) -> TieCalibration:
    """Find the threshold epsilon that maximises acc_eq (Deutsch, Foster and Freitag 2023).

    Two scores tie when they differ by at most epsilon. Candidates are 0 and every distance between
    two compared scores; the smallest that reaches the maximum is returned. Choose epsilon on one part
    of the data and report acc_eq on another, or say that you did not.

    `groups` and `average` are those of `pairwise_accuracy`: with image ids only the captions of
    one image are compared.

    >>> calibrate_ties([0.1, 0.2, 0.9], [1, 1, 2])
    TieCalibration(epsilon=0.1, accuracy=1.0, accuracy_untied=0.6666666666666666, pairs=3)
    """
    x, y = finite_pair(metric, human)
    if average not in ("pairs", "groups"):
        raise StatisticsError(f'average: unknown "{average}". Give "pairs" or "groups".')
    pairs = _pairs_within(x, y, groups)
    n = pairs.distance.size
    if n == 0:
        return TieCalibration(float("nan"), float("nan"), float("nan"), 0)
    weight, whole = _pair_weights(pairs.group, average)
    strict = pairs.agreement > 0
    order = np.argsort(pairs.distance, kind="stable")
    # Each pair counts as right by its order until epsilon reaches its distance, then by its tie.
    gain = (pairs.human_tie - strict)[order] * weight[order]
    distance = pairs.distance[order]
    last_of_distance = np.flatnonzero(np.append(np.diff(distance) > 0, True))
    by_order = float((strict * weight).sum())
    accuracy = by_order + np.cumsum(gain)[last_of_distance]
    candidates = distance[last_of_distance]
    if candidates[0] > 0:
        candidates, accuracy = np.append(0.0, candidates), np.append(by_order, accuracy)
    accuracy = np.minimum(accuracy / whole, 1.0)
    # Sums in another order may differ in the last bits; equal accuracies take the smallest epsilon.
    best = int(np.flatnonzero(accuracy >= accuracy.max() - 1e-12)[0])
    return TieCalibration(float(candidates[best]), float(accuracy[best]), float(accuracy[0]), n)


def _pairs_within(x: Floats, y: Floats, groups: ArrayLike | None) -> Pairs:
    labels = number_labels(np.zeros(x.size, int) if groups is None else groups, x.size, "groups")
    sizes = np.bincount(labels.index, minlength=labels.count).tolist()
    total = sum(size * (size - 1) // 2 for size in sizes)
    if total > MAX_PAIRS:
        raise StatisticsError(
            f"metric: {total} pairs are too many to calibrate. Compare within images (groups=), "
            "or give a sample of the rows."
        )
    order = np.argsort(labels.index, kind="stable")
    first, second = [], []
    start = 0
    for size in sizes:
        i, j = np.triu_indices(size, 1)
        first.append(order[start + i])
        second.append(order[start + j])
        start += size
    a = np.concatenate(first) if first else np.zeros(0, dtype=np.int64)
    b = np.concatenate(second) if second else np.zeros(0, dtype=np.int64)
    gap_x, gap_y = x[a] - x[b], y[a] - y[b]
    agreement = np.sign(gap_x) * np.sign(gap_y)
    return Pairs(np.abs(gap_x), agreement, (gap_y == 0).astype(np.float64), labels.index[a])


def _pair_weights(group: Integers, average: Averaging) -> tuple[Floats, float]:
    if average == "pairs":  # whole numbers, so that sums are exact
        return np.ones(group.size), float(group.size)
    sizes = np.bincount(group)
    return 1.0 / sizes[group], float(np.count_nonzero(sizes))
