"""Means, differences and correlations from few human ratings and a metric's scores of every caption.

A metric that is right most of the time saves ratings: its mean over all captions is corrected by how far
it is off where people rated (prediction-powered inference; Angelopoulos et al. 2023a). Its *weight* is chosen
so that the variance is smallest (PPI++, Angelopoulos, Duchi and Zrnic 2023b): 0 ignores the metric and is the
plain mean of the ratings. The interval holds whatever the metric is worth.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from captious.errors import StatisticsError
from captious.stats.estimate import Clusters, cluster_index
from captious.stats.ratings import Floats, Integers, number
from captious.stats.resample import DEFAULT_SEED, Seed, generator, require_level

FEWEST = 20  # ratings; with fewer a normal interval is somewhat too narrow
FOLDS = 5
# A ratio above this saves less than one rating in twenty.
HELPS_BELOW = 0.95

Mask = NDArray[np.bool_]


class NormalInterval(NamedTuple):
    """An estimate with its standard error and normal interval."""

    value: float
    low: float
    high: float
    error: float


class PoweredEstimate(NamedTuple):
    """What the ratings say alone, and with a metric beside them.

    `ratio` is the variance with the metric over the variance without it: .8 is the precision of 1 / .8 as
    many ratings. `weight` is how far the metric was relied on, of a difference the first system's.
    """

    human: NormalInterval
    powered: NormalInterval
    weight: float
    level: float
    n_rated: int
    n_items: int

    @property
    def ratio(self) -> float:
        """Variance of the powered estimate over the variance of the human one."""
        return float((self.powered.error / self.human.error) ** 2) if self.human.error else float("nan")

    @property
    def ratings_saved(self) -> int:
        """How many fewer ratings give, with the metric, the precision that these give alone."""
        return round(self.n_rated * (1 - min(self.ratio, 1.0))) if self.ratio == self.ratio else 0

    @property
    def helps(self) -> bool:
        """Whether the metric saves at least one rating in twenty."""
        return self.ratio < HELPS_BELOW


class _Sample(NamedTuple):
    """Ratings and predictions of all items, which were rated, and with what probability."""

    ratings: Floats
    predictions: Floats
    rated: Mask
    cluster_of: Integers
    probabilities: Floats | None


def powered_mean(
    ratings: ArrayLike,
    predictions: ArrayLike,
    *,
    weight: float | None = None,
    clusters: Clusters = None,
    strata: Clusters = None,
    probabilities: ArrayLike | None = None,
    level: float = 0.95,
) -> PoweredEstimate:
    """Estimate the mean rating of all items from those that were rated (NaN: not rated).

    With n rated items y, N unrated ones and predictions f,

    theta = w mean(f, unrated) + mean(y - w f, rated),
    var = w^2 Var(f, unrated) / N + Var(y - w f, rated) / n,

    w = Cov(y, f, rated) / ((1 + n / N) Var(f)) within [0, 1] unless `weight` is given (PPI++, Example 6.1).
    Items of one cluster, all captions of an image, are summed before they are squared. Within `strata` the
    estimate is made apart and weighted by size. With `probabilities`, that each item had of being rated,

    theta = mean(w f + rated / p (y - w f)),

    which is unbiased however unequal they are (active inference; Zrnic and Candes 2024).

    >>> found = powered_mean([1, 2, 3, 4] + [float("nan")] * 4, [1, 2, 3, 5, 2, 4, 4, 6])
    >>> round(found.human.value, 3), round(found.powered.value, 3), round(found.ratio, 3)
    (2.5, 2.858, 0.53)
    """
    require_level(level)
    sample = _sample(ratings, predictions, clusters, probabilities)
    if strata is None:
        return _mean(sample, weight, level)
    if len(strata) != len(sample.ratings):
        raise StatisticsError(f"strata: {len(strata)} for {len(sample.ratings)} items. Give one per item.")
    stratum_of = number(strata)[1]
    parts = [_mean(_part(sample, stratum_of == s), weight, level) for s in range(stratum_of.max() + 1)]
    shares = np.bincount(stratum_of) / len(stratum_of)
    return PoweredEstimate(
        _pooled([part.human for part in parts], shares, level),
        _pooled([part.powered for part in parts], shares, level),
        float(np.dot(shares, [part.weight for part in parts])),
        level,
        sum(part.n_rated for part in parts),
        len(stratum_of),
    )


def powered_difference(
    first: tuple[ArrayLike, ArrayLike],
    second: tuple[ArrayLike, ArrayLike],
    *,
    images: tuple[Sequence[object], Sequence[object]],
    level: float = 0.95,
) -> PoweredEstimate:
    """Estimate the first system's mean rating minus the second's, paired by image.

    Each system is its ratings (NaN: not rated) and predictions, with the weight that `powered_mean` gives
    it. Var = the sum over images of (what the image moves the first mean by, less what it moves the second
    by)^2.

    >>> images = ["a", "b", "c", "d"]
    >>> found = powered_difference(
    ...     ([5, 3, 4, float("nan")], [5, 3, 4, 4]), ([4, 2, 2, float("nan")], [4, 2, 2, 3]),
    ...     images=(images, images))
    >>> round(found.human.value, 3), found.n_rated
    (1.333, 3)
    """
    require_level(level)
    names, place = number([*images[0], *images[1]])
    cut = len(images[0])
    sides = [
        _sample(*side, clusters=list(place[part]), probabilities=None)
        for side, part in ((first, slice(None, cut)), (second, slice(cut, None)))
    ]
    moved = [
        _influences(side, part, len(names))
        for side, part in zip(sides, (place[:cut], place[cut:]), strict=True)
    ]
    human = moved[0].human - moved[1].human
    weights = [_best_weight(side) for side in sides]
    powered = human + weights[0] * moved[0].metric - weights[1] * moved[1].metric
    plain = [_value(side, 0.0) for side in sides]
    tuned = [_value(side, own) for side, own in zip(sides, weights, strict=True)]
    return PoweredEstimate(
        _interval(plain[0] - plain[1], float(np.sqrt(np.square(human).sum())), level),
        _interval(tuned[0] - tuned[1], float(np.sqrt(np.square(powered).sum())), level),
        weights[0],
        level,
        min(int(side.rated.sum()) for side in sides),
        len(names),
    )


def powered_correlation(
    ratings: ArrayLike,
    scores: ArrayLike,
    *,
    others: ArrayLike | None = None,
    clusters: Clusters = None,
    level: float = 0.95,
    seed: Seed = DEFAULT_SEED,
) -> PoweredEstimate:
    """Estimate Pearson's r of a metric with the ratings over all items, from those that were rated.

    One step from r of the rated items: each moves r by z_y z_m - r (z_y^2 + z_m^2) / 2, and what the scores
    alone (`others`: of further metrics) foretell of that, cross-fitted over clusters, takes the place of the
    prediction in `powered_mean`. The interval is made on Fisher's z.

    >>> human = [1, 2, 3, 4, 5, 3, 2, 4, 5, 1, 2, 5] + [float("nan")] * 12
    >>> found = powered_correlation(human, [1, 3, 3, 4, 4, 2, 3, 5, 5, 2, 1, 4] * 2)
    >>> round(found.human.value, 3), found.n_rated, found.n_items
    (0.829, 12, 24)
    """
    require_level(level)
    metric = np.asarray(scores, dtype=np.float64)
    sample = _sample(ratings, metric, clusters, None)
    y, m = (_standard(column, sample.rated) for column in (sample.ratings, metric))
    if np.isnan(y[sample.rated]).any() or np.isnan(m).any():
        raise StatisticsError("correlation: the ratings or the scores of the rated items are all the same.")
    r = float(np.mean(y[sample.rated] * m[sample.rated]))
    if abs(r) > 1 - 1e-12:
        raise StatisticsError("correlation: the ratings are the scores themselves.")
    moved = (y * m - r / 2 * (y**2 + m**2)) / (1 - r**2)
    columns = [m] if others is None else [m, *np.atleast_2d(np.asarray(others, dtype=np.float64))]
    features = np.stack([*columns, *(m * column for column in columns)], axis=1)
    foretold = cross_fitted(moved, features, clusters=sample.cluster_of.tolist(), seed=seed)
    found = _mean(sample._replace(ratings=moved, predictions=foretold), None, level)
    return found._replace(
        human=_of_fisher(r, found.human, level), powered=_of_fisher(r, found.powered, level)
    )


def cross_fitted(
    ratings: ArrayLike,
    scores: ArrayLike,
    *,
    clusters: Clusters = None,
    folds: int = FOLDS,
    seed: Seed = DEFAULT_SEED,
) -> Floats:
    """Predict every rating from several metrics' scores (items, metrics) by least squares.

    A rated item is predicted by the fit to the other folds, in which its cluster has no part; an unrated one
    by the mean of all fits (cross-prediction-powered inference; Zrnic and Candes 2024).

    >>> cross_fitted([1, 2, 3, 4, float("nan")], [[1], [2], [3], [4], [5]], folds=2).round(6)
    array([1., 2., 3., 4., 5.])
    """
    values = np.asarray(ratings, dtype=np.float64)
    table = np.asarray(scores, dtype=np.float64)
    rated = ~np.isnan(values)
    cluster_of = cluster_index(clusters, len(values))
    known = np.unique(cluster_of[rated])
    if len(known) < 2:
        raise StatisticsError(f"ratings: {len(known)} images are rated. Rate at least 2.")
    folds = min(folds, len(known))
    fold = np.full(int(cluster_of.max()) + 1, -1)
    fold[known] = generator(seed).permutation(np.arange(len(known)) % folds)
    fold_of = fold[cluster_of]
    design = np.column_stack([np.ones(len(values)), table])
    each = np.stack(
        [
            design @ np.linalg.lstsq(design[train], values[train], rcond=None)[0]
            for train in (rated & (fold_of != own) for own in range(folds))
        ]
    )
    mean: Floats = each.mean(axis=0)
    return np.where(fold_of < 0, mean, each[np.maximum(fold_of, 0), np.arange(len(values))])


class _Moved(NamedTuple):
    """How far each cluster moves the mean of the ratings, and what the metric adds at weight 1."""

    human: Floats
    metric: Floats


def _influences(sample: _Sample, cluster_of: Integers, size: int) -> _Moved:
    y, f, rated = np.where(sample.rated, sample.ratings, 0.0), sample.predictions, sample.rated
    if sample.probabilities is not None:
        share = np.where(rated, 1 / sample.probabilities, 0.0)
        human, metric = share * y, f - share * f
        human, metric = ((column - column.mean()) / len(y) for column in (human, metric))
    else:
        n, unrated = rated.sum(), ~rated
        human = np.where(rated, y - y[rated].mean(), 0.0) / n
        metric = -np.where(rated, f - f[rated].mean(), 0.0) / n
        if unrated.any():
            metric += np.where(unrated, f - f[unrated].mean(), 0.0) / unrated.sum()
    return _Moved(_summed(human, cluster_of, size), _summed(metric, cluster_of, size))


def _summed(column: Floats, cluster_of: Integers, size: int) -> Floats:
    return np.bincount(cluster_of, weights=column, minlength=size).astype(np.float64)


def _value(sample: _Sample, weight: float) -> float:
    y, f, rated = np.where(sample.rated, sample.ratings, 0.0), sample.predictions, sample.rated
    if sample.probabilities is not None:
        return float(np.mean(weight * f + np.where(rated, (y - weight * f) / sample.probabilities, 0.0)))
    elsewhere = f[~rated].mean() if not rated.all() else 0.0
    return float(np.mean(y[rated] - weight * f[rated]) + weight * elsewhere)


def _mean(sample: _Sample, weight: float | None, level: float) -> PoweredEstimate:
    if weight is None:
        weight = _best_weight(sample)
    if sample.rated.all() and sample.probabilities is None:
        weight = 0.0  # nothing is left to predict, whatever weight was asked for
    moved = _influences(sample, sample.cluster_of, int(sample.cluster_of.max()) + 1)

    def found(own: float) -> NormalInterval:
        error = float(np.sqrt(np.square(moved.human + own * moved.metric).sum()))
        return _interval(_value(sample, own), error, level)

    counts = int(sample.rated.sum()), len(sample.rated)
    return PoweredEstimate(found(0.0), found(weight), weight, level, *counts)


def _best_weight(sample: _Sample) -> float:
    """The weight with the smallest variance, items taken one by one, within [0, 1]."""
    y, f, rated = sample.ratings, sample.predictions, sample.rated
    if sample.probabilities is not None:
        moved = _influences(sample, sample.cluster_of, int(sample.cluster_of.max()) + 1)
        square = float(np.square(moved.metric).sum())
        best = -float(np.dot(moved.human, moved.metric)) / square if square else 0.0
        return float(np.clip(best, 0.0, 1.0))
    n, unrated = int(rated.sum()), int((~rated).sum())
    variance = float(np.var(f, ddof=1))
    if not unrated or not variance:
        return 0.0
    covariance = float(np.mean((y[rated] - y[rated].mean()) * (f[rated] - f[rated].mean())))
    return float(np.clip(covariance / ((1 + n / unrated) * variance), 0.0, 1.0))


def _sample(
    ratings: ArrayLike, predictions: ArrayLike, clusters: Clusters, probabilities: ArrayLike | None
) -> _Sample:
    y, f = (np.asarray(column, dtype=np.float64) for column in (ratings, predictions))
    if y.ndim != 1 or y.shape != f.shape:
        raise StatisticsError(f"predictions: {f.shape} for ratings {y.shape}. Give one per item.")
    rated = ~np.isnan(y)
    if not np.isfinite(f).all():
        raise StatisticsError("predictions: some items have none. Give every item one, rated or not.")
    if rated.sum() < 2:
        raise StatisticsError(f"ratings: {int(rated.sum())} of {len(y)} items are rated. Rate at least 2.")
    p = None if probabilities is None else np.asarray(probabilities, dtype=np.float64)
    if p is not None and (p.shape != y.shape or not ((p[rated] > 0) & (p[rated] <= 1)).all()):
        raise StatisticsError("probabilities: give each item's, above 0 and at most 1.")
    return _Sample(y, f, rated, cluster_index(clusters, len(y)), p)


def _part(sample: _Sample, keep: Mask) -> _Sample:
    y, f, rated, clusters, p = sample
    part = _Sample(
        y[keep],
        f[keep],
        rated[keep],
        np.unique(clusters[keep], return_inverse=True)[1],
        None if p is None else p[keep],
    )
    if part.rated.sum() < 2:
        raise StatisticsError("strata: one has fewer than 2 ratings. Merge it with another.")
    return part


def _pooled(parts: Sequence[NormalInterval], shares: Floats, level: float) -> NormalInterval:
    value = float(np.dot(shares, [part.value for part in parts]))
    return _interval(value, float(np.sqrt(np.square(shares * [part.error for part in parts]).sum())), level)


def _interval(value: float, error: float, level: float) -> NormalInterval:
    half = NormalDist().inv_cdf((1 + level) / 2) * error
    return NormalInterval(value, value - half, value + half, error)


def _of_fisher(r: float, moved: NormalInterval, level: float) -> NormalInterval:
    """A correlation of what moves Fisher's z of `r`; the error is that of the correlation."""
    centre = np.arctanh(r) + moved.value
    on_z = _interval(float(centre), moved.error, level)
    value, low, high = (float(np.tanh(one)) for one in on_z[:3])
    return NormalInterval(value, low, high, moved.error * (1 - value**2))


def _standard(column: Floats, rated: Mask) -> Floats:
    """The column in standard deviations of the rated items."""
    with np.errstate(invalid="ignore", divide="ignore"):
        scaled: Floats = (column - column[rated].mean()) / column[rated].std()
    return scaled
