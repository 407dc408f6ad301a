"""Resampling: draw whole clusters, sum their statistics, read an interval from the draws.

Captions of one image are not independent of each other, so the unit that is drawn is a *cluster*
(by default all rows of one image). A metric's score is a function of summed statistics; resampling
therefore never runs a metric again, it only weighs sums.

Reproducible by construction: every draw comes from NumPy's PCG64 generator, one resample after the
other, so the same seed gives the same draws whatever the size of a chunk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from numbers import Integral
from statistics import NormalDist
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from captious.errors import StatisticsError

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Seed = int | np.random.Generator
Score = Callable[[Floats], Floats]
IntervalMethod = Literal["percentile", "bca"]

DEFAULT_RESAMPLES = 1000
MOST_DRAWS = 10_000_000  # hours, not years
DEFAULT_SEED = 12345
CHUNK_BYTES = 32 * 2**20


class Interval(NamedTuple):
    """A value with its confidence interval; `undefined` counts resamples without a value."""

    value: float
    low: float
    high: float
    level: float
    undefined: int = 0


def generator(seed: Seed) -> np.random.Generator:
    """Return a PCG64 generator: a new one from an integer, or the one that was given.

    >>> int(generator(7).integers(100)) == int(generator(7).integers(100))
    True
    """
    if isinstance(seed, np.random.Generator):
        return seed
    if seed < 0:
        raise StatisticsError(f"the seed is {seed}; it must be 0 or more.")
    return np.random.Generator(np.random.PCG64(seed))


def finite_matrix(values: ArrayLike, name: str = "statistics") -> Floats:
    """Return `values` as a float matrix (rows, columns); refuse other shapes and non-numbers."""
    matrix = np.asarray(values, dtype=np.float64)
    if matrix.ndim == 1:
        matrix = matrix[:, None]
    if matrix.ndim != 2:
        raise StatisticsError(f"{name}: expected rows by columns, found shape {matrix.shape}.")
    bad = int(np.count_nonzero(~np.isfinite(matrix).all(axis=1)))
    if bad:
        raise StatisticsError(
            f"{name}: {bad} of {len(matrix)} rows contain NaN or infinity. Drop or fill them first."
        )
    return matrix


def require_level(level: float) -> None:
    """Refuse a confidence level that is not strictly between 0 and 1."""
    if not 0.0 < level < 1.0:
        raise StatisticsError(f"level: {level} is not between 0 and 1. Give 0.95 for 95%.")


def require_positive(count: int, name: str) -> None:
    """Refuse a count below one, and what is no whole number."""
    if not isinstance(count, Integral):
        raise StatisticsError(f"{name}: {count!r} is not a whole number. Give at least 1.")
    if count < 1:
        raise StatisticsError(f"{name}: {count} is too few. Give at least 1.")


def require_draws(count: int, name: str) -> None:
    """Refuse a number of resamples or trials that is no count, or that no machine gets through."""
    require_positive(count, name)
    if count > MOST_DRAWS:
        raise StatisticsError(f"{name}: {count} is too many. Give at most {MOST_DRAWS:,}.")


def cluster_sums(statistics: ArrayLike, cluster_index: ArrayLike, n_clusters: int) -> Floats:
    """Sum the rows of each cluster: `(n, k)` statistics become `(n_clusters, k)`.

    >>> cluster_sums([[1, 10], [2, 20], [3, 30]], [0, 1, 0], 2)
    array([[ 4., 40.],
           [ 2., 20.]])
    """
    matrix = finite_matrix(statistics)
    index = np.asarray(cluster_index)
    if index.shape != (len(matrix),):
        raise StatisticsError(
            f"cluster_index: {index.shape} does not match {len(matrix)} rows. Give one per row."
        )
    if not np.issubdtype(index.dtype, np.integer) and index.size:
        raise StatisticsError("cluster_index: expected whole numbers. Number them with np.unique.")
    if index.size and not (index.min() >= 0 and index.max() < n_clusters):
        raise StatisticsError(
            f"cluster_index: {index.min()} to {index.max()} is outside 0 to {n_clusters - 1}."
        )
    columns = [np.bincount(index, weights=column, minlength=n_clusters) for column in matrix.T]
    return np.stack(columns, axis=1) if columns else np.zeros((n_clusters, 0))


def chunk_rows(row_length: int, chunk_bytes: int = CHUNK_BYTES) -> int:
    """Return how many rows of `row_length` eight-byte numbers fit in one chunk (at least 1)."""
    return max(1, chunk_bytes // (8 * max(1, row_length)))


def bootstrap_weights(
    n_clusters: int, resamples: int, rng: np.random.Generator, *, chunk_bytes: int = CHUNK_BYTES
) -> Iterator[Integers]:
    """Yield how often each cluster was drawn, in chunks of resamples: `(chunk, n_clusters)`.

    Each row is multinomial with `n_clusters` draws and equal chances (Efron 1979). Memory stays
    near `chunk_bytes`, and the rows do not depend on it.

    >>> chunks = list(bootstrap_weights(4, 3, generator(1)))
    >>> np.concatenate(chunks).sum(axis=1)
    array([4, 4, 4])
    """
    require_positive(n_clusters, "n_clusters")
    require_draws(resamples, "resamples")
    rows = chunk_rows(n_clusters, chunk_bytes)
    for start in range(0, resamples, rows):
        chunk = np.empty((min(rows, resamples - start), n_clusters), dtype=np.int64)
        for row in chunk:
            row[:] = np.bincount(rng.integers(0, n_clusters, size=n_clusters), minlength=n_clusters)
        yield chunk


def bootstrap_sums(
    cluster_stats: ArrayLike, resamples: int = DEFAULT_RESAMPLES, seed: Seed = DEFAULT_SEED
) -> Floats:
    """Return the summed statistics of each resample of clusters: `(resamples, k)`.

    Whole-number statistics (n-gram counts) give exact sums.

    >>> bootstrap_sums([[1.0, 2.0]], resamples=2, seed=0)
    array([[1., 2.],
           [1., 2.]])
    """
    matrix = finite_matrix(cluster_stats)
    rng = generator(seed)
    weights = bootstrap_weights(len(matrix), resamples, rng)
    return np.concatenate([chunk.astype(np.float64) @ matrix for chunk in weights])


def percentile_interval(samples: ArrayLike, value: float, level: float = 0.95) -> Interval:
    """Return the percentile interval of bootstrap samples (Efron 1979).

    Its ends are the (1-level)/2 and (1+level)/2 quantiles, with linear interpolation between
    order statistics. NaN samples are left out and counted.

    >>> percentile_interval(np.arange(101), value=50.0, level=0.5)
    Interval(value=50.0, low=25.0, high=75.0, level=0.5, undefined=0)
    """
    require_level(level)
    return _interval_at(samples, value, level, ((1 - level) / 2, (1 + level) / 2))


def bca_interval(samples: ArrayLike, value: float, jackknife: ArrayLike, level: float = 0.95) -> Interval:
    """Return the bias-corrected and accelerated interval (Efron 1987).

    With z0 = Phi^-1(share of samples below the value, ties half) and the acceleration
    a = sum(d^3) / (6 sum(d^2)^1.5) over the jackknife deviations d = mean - value_without_i, the
    ends are the samples' quantiles Phi(z0 + (z0 + z) / (1 - a (z0 + z))). Where all samples lie
    on one side of the value, z0 is infinite and the ends are NaN.

    >>> draws = np.linspace(-1, 1, 2001)
    >>> interval = bca_interval(draws, value=0.0, jackknife=[-1, 0, 1], level=0.9)
    >>> round(interval.low, 6), round(interval.high, 6)
    (-0.9, 0.9)
    """
    require_level(level)
    draws = np.asarray(samples, dtype=np.float64)
    defined = draws[~np.isnan(draws)]
    if defined.size == 0:
        return Interval(value, np.nan, np.nan, level, draws.size)
    if (defined == value).all():
        return Interval(value, value, value, level, draws.size - defined.size)
    below = (np.mean(defined < value) + np.mean(defined <= value)) / 2
    if not 0.0 < below < 1.0:
        return Interval(value, np.nan, np.nan, level, draws.size - defined.size)
    normal = NormalDist()
    bias = normal.inv_cdf(float(below))
    acceleration = _acceleration(jackknife)
    shares = []
    for tail in ((1 - level) / 2, (1 + level) / 2):
        shifted = bias + normal.inv_cdf(tail)
        shares.append(normal.cdf(bias + shifted / (1 - acceleration * shifted)))
    return _interval_at(draws, value, level, (shares[0], shares[1]))


def bootstrap_interval(
    cluster_stats: ArrayLike,
    score: Score,
    *,
    resamples: int = DEFAULT_RESAMPLES,
    seed: Seed = DEFAULT_SEED,
    level: float = 0.95,
    method: IntervalMethod = "percentile",
) -> Interval:
    """Return a corpus score with its bootstrap interval over clusters.

    `score` turns summed statistics `(..., k)` into scores `(...)`.

    >>> hits_and_trials = [[1, 2], [2, 2], [0, 1], [1, 1]]
    >>> interval = bootstrap_interval(hits_and_trials, lambda s: s[..., 0] / s[..., 1])
    >>> round(interval.value, 4), interval.low < interval.value < interval.high
    (0.6667, True)
    """
    matrix = finite_matrix(cluster_stats)
    total = matrix.sum(axis=0)
    value = float(score(total))
    samples = score(bootstrap_sums(matrix, resamples, seed))
    if method == "percentile":
        return percentile_interval(samples, value, level)
    return bca_interval(samples, value, score(total - matrix), level)


def _interval_at(samples: ArrayLike, value: float, level: float, shares: tuple[float, float]) -> Interval:
    draws = np.asarray(samples, dtype=np.float64)
    defined = draws[~np.isnan(draws)]
    if defined.size == 0:
        return Interval(value, np.nan, np.nan, level, draws.size)
    low, high = np.quantile(defined, shares)
    return Interval(value, float(low), float(high), level, draws.size - defined.size)


def _acceleration(jackknife: ArrayLike) -> float:
    left_out: NDArray[Any] = np.asarray(jackknife, dtype=np.float64)
    left_out = left_out[~np.isnan(left_out)]
    deviations = left_out.mean() - left_out if left_out.size else left_out
    spread = float((deviations**2).sum()) ** 1.5
    return float((deviations**3).sum()) / (6 * spread) if spread > 0 else 0.0
