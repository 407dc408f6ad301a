"""Krippendorff's alpha: agreement of any number of raters, on any scale, with missing ratings."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from captious.errors import StatisticsError
from captious.stats.estimate import (
    Clusters,
    Estimate,
    Statistic,
    estimate,
    require_clusters,
    rows_of,
    undefined,
)
from captious.stats.ratings import CategoryCounts, Floats, Patterns, as_ratings, patterns
from captious.stats.resample import DEFAULT_SEED, Seed

Scale = Literal["nominal", "ordinal", "interval"]

SCALES: tuple[Scale, ...] = ("nominal", "ordinal", "interval")


def krippendorff_alpha(
    ratings: ArrayLike,
    scale: Scale = "ordinal",
    *,
    resamples: int = 0,
    clusters: Clusters = None,
    level: float = 0.95,
    seed: Seed = DEFAULT_SEED,
) -> Estimate:
    """Return Krippendorff's alpha (Krippendorff 2011, 2019).

    alpha = 1 - D_o / D_e. Over the n ratings of items with m_u >= 2 ratings each,
    D_o = (1/n) sum_u sum_{c,k} n_uc n_uk d_ck / (m_u - 1) and
    D_e = sum_{c,k} n_c n_k d_ck / (n (n - 1)), with d_ck = [c != k] (nominal), (c - k)^2
    (interval) or, ordinal, the squared number of ratings between c and k, half of both ends
    included. Items with one rating are left out. NaN if all ratings are equal (D_e = 0).

    >>> round(krippendorff_alpha([[1, 1], [1, 2], [3, 3]], "nominal").value, 3)
    0.545
    """
    if scale not in SCALES:
        raise StatisticsError(f"scale: {scale!r} is not one of {', '.join(SCALES)}.")
    matrix = as_ratings(ratings)
    require_clusters(clusters, len(matrix))
    kept = np.flatnonzero((~np.isnan(matrix)).sum(axis=1) >= 2)
    if not len(kept):
        return undefined("no item has two ratings", 0, matrix.shape[1], level)
    data = patterns(matrix[kept])
    return estimate(
        alpha_statistic(data, scale),
        data,
        reason="all ratings are equal, so disagreement by chance is 0 and alpha is 1 - 0/0",
        resamples=resamples,
        clusters=rows_of(clusters, kept),
        level=level,
        seed=seed,
    )


def alpha_statistic(data: Patterns, scale: Scale) -> Statistic:
    """Return alpha as a function of the patterns' weights; each pattern needs two ratings."""
    counts = data.counts
    if scale == "ordinal":
        return _ordinal(counts)
    if scale == "nominal":
        return _nominal(counts)
    return _interval(counts, data.categories)


def _nominal(counts: CategoryCounts) -> Statistic:
    m = counts.rated
    disagreement = (m**2 - counts.squares) / (m - 1)

    def alpha(weights: Floats) -> Floats:
        totals = counts.totals(weights)
        n = totals.sum(axis=1)
        expected = (n**2 - (totals**2).sum(axis=1)) / (n - 1)
        return _one_minus_ratio(weights @ disagreement, expected)

    return alpha


def _interval(counts: CategoryCounts, values: Floats) -> Statistic:
    centred = values - values.mean()
    disagreement = _squared_differences(counts, centred[None, :])[:, 0]

    def alpha(weights: Floats) -> Floats:
        totals = counts.totals(weights)
        n = totals.sum(axis=1)
        expected = 2 * (n * (totals @ centred**2) - (totals @ centred) ** 2) / (n - 1)
        several = (totals > 0).sum(axis=1) > 1
        return _one_minus_ratio(weights @ disagreement, np.where(several, expected, 0.0))

    return alpha


def _ordinal(counts: CategoryCounts) -> Statistic:
    # The number of ratings between c and k is the distance of their midranks, so the ordinal
    # alpha is the interval alpha of midranks; a resample only moves the midranks.
    def alpha(weights: Floats) -> Floats:
        totals = counts.totals(weights)
        n = totals.sum(axis=1)
        ranks = np.cumsum(totals, axis=1) - totals / 2 - n[:, None] / 2
        observed = np.einsum("bp,pb->b", weights, _squared_differences(counts, ranks))
        squares = (totals * ranks**2).sum(axis=1)
        expected = 2 * (n * squares - (totals * ranks).sum(axis=1) ** 2) / (n - 1)
        several = (totals > 0).sum(axis=1) > 1
        return _one_minus_ratio(observed, np.where(several, expected, 0.0))

    return alpha


def _squared_differences(counts: CategoryCounts, values: Floats) -> Floats:
    """Sum squared differences over ordered pairs within rows, over m - 1: `(rows, value sets)`.

    Uses sum_{c,k} n_c n_k (x_c - x_k)^2 = 2 (m sum n x^2 - (sum n x)^2).
    """
    m = counts.rated[:, None]
    squares: Floats = m * counts.row_sums(values**2) - counts.row_sums(values) ** 2
    doubled: Floats = 2 * squares / (m - 1)
    return doubled


def _one_minus_ratio(observed: Floats, expected: Floats) -> Floats:
    return np.where(expected > 0, 1 - observed / expected, np.nan)
