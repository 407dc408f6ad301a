"""A coefficient with its interval: the weights of the distinct rows are resampled, nothing else.

A *statistic* here is a function from weights `(resamples, patterns)` to values `(resamples,)`. The
data themselves are one row of weights (how often each pattern occurs), a bootstrap resample of
items is another. Where items belong to clusters (all captions of one image), whole clusters are
drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from captious.errors import StatisticsError
from captious.stats.ratings import Floats, Integers, Patterns, as_ratings, complete_rows, number, patterns
from captious.stats.resample import (
    DEFAULT_SEED,
    Seed,
    bootstrap_weights,
    generator,
    percentile_interval,
    require_level,
)

Statistic = Callable[[Floats], Floats]
Clusters = Sequence[Hashable] | None

# Rows of weights that a statistic sees at once, times patterns: bounds memory, not the result.
CELLS_AT_ONCE = 2**21


class Estimate(NamedTuple):
    """A coefficient, its interval if one was requested, and the reason if it is NaN.

    `n_items` counts the items used, `undefined` the resamples without a value.
    """

    value: float
    low: float
    high: float
    level: float
    n_items: int
    n_raters: int
    resamples: int
    undefined: int
    reason: str


def undefined(reason: str, n_items: int, n_raters: int, level: float = 0.95) -> Estimate:
    """Return an estimate without a value, with the reason."""
    nan = float("nan")
    return Estimate(nan, nan, nan, level, n_items, n_raters, 0, 0, reason)


def estimate(
    statistic: Statistic,
    data: Patterns,
    *,
    reason: str,
    resamples: int = 0,
    clusters: Clusters = None,
    level: float = 0.95,
    seed: Seed = DEFAULT_SEED,
) -> Estimate:
    """Evaluate a statistic on the data and, with `resamples > 0`, on bootstrap resamples of items.

    The interval is the percentile interval (Efron 1979). `reason` is told where the value on the
    data is NaN; then no interval is drawn.
    """
    require_level(level)
    n_items, n_raters = len(data.of_item), data.codes.shape[1]
    cluster_of = cluster_index(clusters, n_items)
    with np.errstate(divide="ignore", invalid="ignore"):
        value = float(statistic(data.frequencies[None, :])[0]) if n_items else float("nan")
    if np.isnan(value):
        return undefined(reason, n_items, n_raters, level)
    if resamples <= 0:
        nan = float("nan")
        return Estimate(value, nan, nan, level, n_items, n_raters, 0, 0, "")
    draws = np.concatenate(
        [_quietly(statistic, weights) for weights in _weights(data, cluster_of, resamples, seed)]
    )
    interval = percentile_interval(draws, value, level)
    return Estimate(
        value, interval.low, interval.high, level, n_items, n_raters, resamples, interval.undefined, ""
    )


def estimate_complete(
    name: str,
    ratings: ArrayLike,
    statistic_of: Callable[[Patterns], Statistic],
    *,
    reason: str,
    resamples: int = 0,
    clusters: Clusters = None,
    level: float = 0.95,
    seed: Seed = DEFAULT_SEED,
) -> Estimate:
    """`estimate` over the items that every rater rated, of which there must be two."""
    matrix = as_ratings(ratings)
    require_clusters(clusters, len(matrix))
    kept = np.flatnonzero(complete_rows(matrix))
    n_raters = matrix.shape[1]
    if n_raters < 2:
        return undefined(f"{name} needs two raters", len(kept), n_raters, level)
    if len(kept) < 2:
        few = "fewer than two items are rated by every rater"
        return undefined(few, len(kept), n_raters, level)
    data = patterns(matrix[kept])
    return estimate(
        statistic_of(data),
        data,
        reason=reason,
        resamples=resamples,
        clusters=rows_of(clusters, kept),
        level=level,
        seed=seed,
    )


def rows_of(clusters: Clusters, kept: Integers) -> list[Hashable] | None:
    """Return the clusters of the kept items, or None where there are none."""
    return None if clusters is None else [clusters[int(i)] for i in kept]


def require_clusters(clusters: Clusters, n_items: int) -> None:
    """Refuse clusters that are not one an item."""
    if clusters is not None and len(clusters) != n_items:
        raise StatisticsError(
            f"clusters: {len(clusters)} for {n_items} items. Give one cluster (image) per item."
        )


def cluster_index(clusters: Clusters, n_items: int) -> Integers:
    """The number of each item's cluster; without clusters each item is its own."""
    require_clusters(clusters, n_items)
    return np.arange(n_items) if clusters is None else number(clusters)[1]


def _weights(data: Patterns, cluster_of: Integers, resamples: int, seed: Seed) -> Iterator[Floats]:
    from scipy.sparse import csr_matrix

    n_clusters = int(cluster_of.max()) + 1
    ones = np.ones(len(cluster_of))
    pattern_by_cluster = csr_matrix((ones, (data.of_item, cluster_of)), shape=(len(data.codes), n_clusters))
    rows = max(1, CELLS_AT_ONCE // max(len(data.codes), len(data.categories)))
    for chunk in bootstrap_weights(n_clusters, resamples, generator(seed)):
        for start in range(0, len(chunk), rows):
            drawn = chunk[start : start + rows].astype(np.float64)
            yield np.ascontiguousarray((pattern_by_cluster @ drawn.T).T)


def _quietly(statistic: Statistic, weights: Floats) -> Floats:
    """Evaluate without warnings: a resample with one category divides by zero and is counted."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return statistic(weights)
