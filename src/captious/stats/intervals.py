"""Confidence intervals for correlations.

The default draws whole clusters (give image ids as `clusters`): captions of one image share its
difficulty, and ratings of one caption share the caption, so drawing rows one by one makes intervals
too narrow. Analytic intervals assume independent rows and are provided for comparison.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import atanh, sqrt, tanh
from statistics import NormalDist
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from captious.errors import StatisticsError
from captious.stats.columns import Labels, finite_pair, number_labels
from captious.stats.correlation import (
    Correlation,
    Level,
    Method,
    correlate,
    require_method,
    required_groups,
    rowwise,
    within_groups,
)
from captious.stats.kernels import (
    CrossTable,
    kendall_of_resamples,
    pearson_from_moments,
    pearson_moments,
    spearman_of_resamples,
)
from captious.stats.resample import (
    DEFAULT_RESAMPLES,
    DEFAULT_SEED,
    Floats,
    Interval,
    Seed,
    bca_interval,
    bootstrap_weights,
    chunk_rows,
    generator,
    require_level,
)
from captious.stats.significance import Resampled

IntervalKind = Literal["percentile", "bca", "analytic"]

# About the size of a processor's second-level cache: larger blocks of resamples run slower.
KERNEL_BYTES = 3 * 2**20


@dataclass(frozen=True)
class WeightedCorrelation:
    """A correlation as a function of cluster weights `(resamples, clusters)`."""

    n_clusters: int
    of_weights: Callable[[Floats], Floats]


def weighted_correlation(
    x: ArrayLike,
    y: ArrayLike,
    *,
    method: Method = "kendall_c",
    level: Level = "item",
    groups: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
) -> WeightedCorrelation:
    """Prepare a correlation for resampling; see `correlate` for method, level and groups.

    `clusters` labels what is drawn together. Without it each row is its own cluster, and at the
    image level each image is.

    >>> prepared = weighted_correlation([1, 2, 3, 4], [1, 3, 2, 4], method="pearson")
    >>> prepared.of_weights(np.array([[1.0, 1, 1, 1], [1, 1, 0, 2]])).round(4)
    array([0.8   , 0.9428])
    """
    require_method(method)
    a, b = finite_pair(x, y)
    if clusters is None and level == "image":
        clusters = groups
    drawn = number_labels(np.arange(a.size) if clusters is None else clusters, a.size, "clusters")
    if level == "item":
        return WeightedCorrelation(drawn.count, _item_level(a, b, method, drawn))
    labels = required_groups(groups, a.size, level)
    if level == "system":
        return WeightedCorrelation(drawn.count, _system_level(a, b, method, drawn, labels))
    if level != "image":
        raise StatisticsError(f'level: unknown "{level}". Give "item", "system" or "image".')
    return WeightedCorrelation(drawn.count, _image_level(a, b, method, drawn, labels))


def bootstrap_correlations(
    metrics: ArrayLike,
    y: ArrayLike,
    *,
    method: Method = "kendall_c",
    level: Level = "item",
    groups: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    resamples: int = DEFAULT_RESAMPLES,
    seed: Seed = DEFAULT_SEED,
) -> Floats:
    """Correlate every metric with y on the same resamples: `(metrics, resamples)`.

    `metrics` is `(metrics, rows)`, or one column. Row r of the result belongs to metric r; column
    s to the same draw of clusters for all metrics, so differences between rows are paired.

    >>> draws = bootstrap_correlations([[1, 2, 3, 4], [4, 3, 2, 1]], [1, 2, 3, 4],
    ...                                method="kendall_b", resamples=200)
    >>> bool(np.allclose(draws[0], -draws[1], equal_nan=True))
    True
    """
    columns = np.atleast_2d(np.asarray(metrics, dtype=np.float64))
    if len(columns) == 0:
        raise StatisticsError("metrics: no columns. Give at least one metric.")
    prepared = [
        weighted_correlation(column, y, method=method, level=level, groups=groups, clusters=clusters)
        for column in columns
    ]
    return bootstrap_prepared(prepared, resamples, seed)


def resampled_correlations(
    metrics: ArrayLike,
    y: ArrayLike,
    *,
    method: Method = "kendall_c",
    level: Level = "item",
    groups: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    resamples: int = DEFAULT_RESAMPLES,
    seed: Seed = DEFAULT_SEED,
) -> tuple[list[Correlation], Resampled]:
    """Correlate every metric with y, on the data and on the same resamples (none if `resamples` is 0).

    >>> points, found = resampled_correlations([[1, 2, 3, 4], [4, 3, 2, 1]], [1, 2, 3, 4], resamples=50)
    >>> points[0].n, round(found.difference(0, 1).difference, 2)
    (4, 2.0)
    """
    columns = np.atleast_2d(np.asarray(metrics, dtype=np.float64))
    points = [correlate(column, y, method=method, level=level, groups=groups) for column in columns]
    draws = np.zeros((len(points), 0))
    if resamples:
        draws = bootstrap_correlations(
            columns,
            y,
            method=method,
            level=level,
            groups=groups,
            clusters=clusters,
            resamples=resamples,
            seed=seed,
        )
    return points, Resampled(np.array([point.value for point in points]), draws)


def bootstrap_prepared(prepared: Sequence[WeightedCorrelation], resamples: int, seed: Seed) -> Floats:
    """Draw clusters once and weigh every prepared correlation with them."""
    parts = []
    for chunk in bootstrap_weights(prepared[0].n_clusters, resamples, generator(seed)):
        weights = chunk.astype(np.float64)
        parts.append(np.stack([correlation.of_weights(weights) for correlation in prepared]))
    return np.concatenate(parts, axis=1)


def correlation_interval(
    x: ArrayLike,
    y: ArrayLike,
    *,
    method: Method = "kendall_c",
    level: Level = "item",
    groups: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    kind: IntervalKind = "percentile",
    confidence: float = 0.95,
    resamples: int = DEFAULT_RESAMPLES,
    seed: Seed = DEFAULT_SEED,
) -> Interval:
    """Return a correlation with its confidence interval.

    `kind` is "percentile" or "bca" (bootstrap over `clusters`), or "analytic" (item and system
    levels). `confidence` is 0.95 by default; THumB uses 0.90.

    >>> x, y = np.arange(40.0), np.arange(40.0) + 9 * np.sin(np.arange(40.0))
    >>> interval = correlation_interval(x, y, method="pearson", kind="analytic")
    >>> [round(end, 3) for end in (interval.low, interval.value, interval.high)]
    [0.77, 0.872, 0.931]
    """
    require_level(confidence)
    if kind not in ("percentile", "bca", "analytic"):
        raise StatisticsError(f'kind: unknown "{kind}". Give "percentile", "bca" or "analytic".')
    if kind == "analytic" and level == "image":
        raise StatisticsError('kind: no analytic interval at level "image". Use "percentile".')
    (point,), found = resampled_correlations(
        np.asarray(x, dtype=np.float64)[None],
        y,
        method=method,
        level=level,
        groups=groups,
        clusters=clusters,
        resamples=0 if kind == "analytic" else resamples,
        seed=seed,
    )
    if kind == "analytic":
        low, high = analytic_interval(point.value, point.n, method, confidence)
        return Interval(point.value, low, high, confidence)
    if kind == "percentile":
        return found.interval(0, confidence)
    prepared = weighted_correlation(x, y, method=method, level=level, groups=groups, clusters=clusters)
    return bca_interval(found.draws[0], point.value, jackknife(prepared), confidence)


def analytic_interval(value: float, n: int, method: Method, confidence: float = 0.95) -> tuple[float, float]:
    """Return the ends of tanh(atanh(value) +- z * se) for n independent rows.

    se is 1/sqrt(n-3) for Pearson (Fisher 1921), sqrt((1 + rho^2/2)/(n-3)) for Spearman (Bonett and
    Wright 2000) and sqrt(0.437/(n-4)) for Kendall (Fieller, Hartley and Pearson 1957), the last
    derived for columns without ties.

    >>> [round(end, 4) for end in analytic_interval(0.5, 28, "pearson")]
    [0.156, 0.7358]
    """
    spare = n - 4 if method.startswith("kendall") else n - 3
    if method == "kendall_weighted":
        raise StatisticsError("kind: the weighted tau has no analytic interval. Use a bootstrap.")
    if np.isnan(value) or spare <= 0:
        return float("nan"), float("nan")
    if abs(value) >= 1:
        return value, value
    variance = {"pearson": 1.0, "spearman": 1 + value**2 / 2}.get(method, 0.437) / spare
    reach = NormalDist().inv_cdf((1 + confidence) / 2) * sqrt(variance)
    return tanh(atanh(value) - reach), tanh(atanh(value) + reach)


def jackknife(prepared: WeightedCorrelation) -> Floats:
    """Return the correlation without each cluster in turn."""
    n = prepared.n_clusters
    rows = chunk_rows(n)
    parts = []
    for start in range(0, n, rows):
        weights = np.ones((min(rows, n - start), n))
        weights[np.arange(len(weights)), start + np.arange(len(weights))] = 0.0
        parts.append(prepared.of_weights(weights))
    return np.concatenate(parts)


def _item_level(x: Floats, y: Floats, method: Method, drawn: Labels) -> Callable[[Floats], Floats]:
    if method == "pearson":
        moments = pearson_moments(x, y, drawn.index, drawn.count)
        return lambda weights: pearson_from_moments(weights @ moments)
    if method == "kendall_weighted":
        return lambda weights: _repeat_rows(x, y, method, weights[:, drawn.index])
    table = CrossTable.build(x, y, drawn.index, drawn.count)
    if method == "spearman":
        return lambda weights: _in_blocks(table, weights, spearman_of_resamples)
    return lambda weights: _in_blocks(
        table, weights, lambda part, columns: kendall_of_resamples(part, columns, method[-1])
    )


def _in_blocks(table: CrossTable, weights: Floats, kernel: Callable[[CrossTable, Floats], Floats]) -> Floats:
    rows = chunk_rows(table.x_level.size, KERNEL_BYTES)
    blocks = (weights[start : start + rows] for start in range(0, len(weights), rows))
    return np.concatenate([kernel(table, np.ascontiguousarray(block.T)) for block in blocks])


def _repeat_rows(x: Floats, y: Floats, method: Method, row_weights: Floats) -> Floats:
    drawn = (np.repeat(np.arange(x.size), row.astype(np.int64)) for row in row_weights)
    return np.array([correlate(x[rows], y[rows], method=method).value for rows in drawn])


def _system_level(
    x: Floats, y: Floats, method: Method, drawn: Labels, systems: Labels
) -> Callable[[Floats], Floats]:
    slot = drawn.index * systems.count + systems.index
    shape = (drawn.count, systems.count)
    sums = [
        np.bincount(slot, column, minlength=shape[0] * shape[1]).reshape(shape)
        for column in (np.ones_like(x), x, y)
    ]

    def of_weights(weights: Floats) -> Floats:
        n, total_x, total_y = (weights @ part for part in sums)
        with np.errstate(divide="ignore", invalid="ignore"):
            mean_x, mean_y = total_x / n, total_y / n
        complete = (n > 0).all(axis=1)
        values = np.full(len(weights), np.nan)
        values[complete] = rowwise(mean_x[complete], mean_y[complete], method)
        return values

    return of_weights


def _image_level(
    x: Floats, y: Floats, method: Method, drawn: Labels, images: Labels
) -> Callable[[Floats], Floats]:
    cluster_of_image = np.zeros(images.count, dtype=np.int64)
    cluster_of_image[images.index] = drawn.index
    if (cluster_of_image[images.index] != drawn.index).any():
        raise StatisticsError("clusters: the rows of one image lie in several clusters. Draw whole images.")
    within = within_groups(x, y, images, method)
    defined = ~np.isnan(within)
    home = cluster_of_image[defined]
    sums = np.bincount(home, within[defined], minlength=drawn.count)
    counts = np.bincount(home, minlength=drawn.count).astype(np.float64)

    def of_weights(weights: Floats) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore"):
            values: Floats = (weights @ sums) / (weights @ counts)
        return values

    return of_weights
