"""Agreement beyond chance in categories: Cohen's kappa for two raters, Fleiss' kappa for many."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
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
from captious.stats.ratings import (
    CategoryCounts,
    Floats,
    Patterns,
    as_ratings,
    complete_rows,
    merge_categories,
    patterns,
)
from captious.stats.resample import DEFAULT_SEED, Seed

Weighting = Literal["none", "linear", "quadratic"]

# Cohen's kappa tabulates categories by categories; beyond this the ratings are measurements.
MOST_CATEGORIES = 1000
ONE_CATEGORY = "all ratings are in one category, so agreement by chance is 1 and kappa is 0/0"
NO_PAIRS = "no item has two ratings"


def cohen_kappa(
    first: ArrayLike,
    second: ArrayLike,
    *,
    weights: Weighting = "none",
    categories: Iterable[float] | None = None,
    resamples: int = 0,
    clusters: Clusters = None,
    level: float = 0.95,
    seed: Seed = DEFAULT_SEED,
) -> Estimate:
    """Return Cohen's kappa of two raters (Cohen 1960), plain or weighted (Cohen 1968).

    kappa_w = 1 - sum(v_ij o_ij) / sum(v_ij e_ij), with o the shares of items that the first rater
    puts in category i and the second in j, e the product of the raters' own shares, and the
    disagreement v_ij = [i != j] (none), |i - j| (linear) or (i - j)^2 (quadratic) between the
    *positions* of the categories; give `categories` if an unused one lies between used ones. Items
    that one of the two did not rate are left out. NaN if both use only one category.

    >>> round(cohen_kappa([1, 1, 2, 2], [1, 1, 2, 1]).value, 3)
    0.5
    """
    columns = [np.asarray(as_ratings(np.atleast_2d(rater))).ravel() for rater in (first, second)]
    if len(columns[0]) != len(columns[1]):
        raise StatisticsError(
            f"the raters rate {len(columns[0])} and {len(columns[1])} items. "
            "Give both one value per item, NaN for missing."
        )
    ratings = np.stack(columns, axis=1)
    require_clusters(clusters, len(ratings))
    kept = np.flatnonzero(complete_rows(ratings))
    if not len(kept):
        return undefined("the two raters share no item", 0, 2, level)
    data = patterns(ratings[kept], categories)
    return estimate(
        _cohen(data, weights),
        data,
        reason=ONE_CATEGORY,
        resamples=resamples,
        clusters=rows_of(clusters, kept),
        level=level,
        seed=seed,
    )


def fleiss_kappa(
    ratings: ArrayLike,
    *,
    merged: Mapping[float, float] | None = None,
    categories: Iterable[float] | None = None,
    resamples: int = 0,
    clusters: Clusters = None,
    level: float = 0.95,
    seed: Seed = DEFAULT_SEED,
) -> Estimate:
    """Return Fleiss' kappa (Fleiss 1971), also for unequal numbers of ratings per item (Gwet 2014).

    kappa = (P - P_e) / (1 - P_e). P averages P_i = sum_j n_ij (n_ij - 1) / (n_i (n_i - 1)) over the
    items with at least two ratings; P_e = sum_j p_j^2, where p_j averages n_ij / n_i over all rated
    items, so each item counts once. With equal numbers this is Fleiss' formula. `merged={5: 4}` counts
    every 5 as a 4 (Scott et al. 2023, kappa with 4=5). NaN if all ratings are in one category, or no
    item has two.

    >>> round(fleiss_kappa([[1, 1, 1], [2, 2, 1], [2, 2, 2]]).value, 3)
    0.55
    """
    matrix = merge_categories(ratings, merged or {})
    require_clusters(clusters, len(matrix))
    n_ratings = (~np.isnan(matrix)).sum(axis=1)
    kept = np.flatnonzero(n_ratings)
    if not (n_ratings >= 2).any():
        return undefined(NO_PAIRS, len(kept), matrix.shape[1], level)
    data = patterns(matrix[kept], categories)
    return estimate(
        _fleiss(data),
        data,
        reason=ONE_CATEGORY,
        resamples=resamples,
        clusters=rows_of(clusters, kept),
        level=level,
        seed=seed,
    )


def item_agreement(counts: CategoryCounts) -> tuple[Floats, Floats]:
    """Return each row's share of agreeing pairs of ratings, and whether it has a pair (0 or 1)."""
    n = counts.rated
    has_pair = (n >= 2).astype(np.float64)
    pairs = np.maximum(n * (n - 1), 1)
    return (counts.squares - n) / pairs * has_pair, has_pair


def _cohen(data: Patterns, weights: Weighting) -> Statistic:
    k = len(data.categories)
    if k > MOST_CATEGORIES:
        raise StatisticsError(
            f"ratings: {k} different values are too many categories. Use alpha (interval) or the ICC."
        )
    apart = np.abs(np.subtract.outer(np.arange(k), np.arange(k))).astype(np.float64)
    disagreements = {"none": (apart > 0) * 1.0, "linear": apart, "quadratic": apart**2}
    if weights not in disagreements:
        raise StatisticsError(f"weights: {weights!r} is not one of none, linear, quadratic.")
    disagreement = disagreements[weights]
    observed_of_row = disagreement[data.codes[:, 0], data.codes[:, 1]]
    first, second = np.eye(k)[data.codes[:, 0]], np.eye(k)[data.codes[:, 1]]

    def kappa(frequencies: Floats) -> Floats:
        n = frequencies.sum(axis=1)
        observed = frequencies @ observed_of_row / n
        shares = frequencies @ first, frequencies @ second
        expected = (shares[0] @ disagreement * shares[1]).sum(axis=1) / n**2
        return np.where(expected > 0, 1 - observed / expected, np.nan)

    return kappa


def _fleiss(data: Patterns) -> Statistic:
    counts = data.counts
    agreement, has_pair = item_agreement(counts)
    share_of_rating = 1 / counts.rated

    def kappa(frequencies: Floats) -> Floats:
        observed = frequencies @ agreement / (frequencies @ has_pair)
        shares = counts.totals(frequencies * share_of_rating) / frequencies.sum(axis=1, keepdims=True)
        chance = (shares**2).sum(axis=1)
        several = (shares > 0).sum(axis=1) > 1
        return np.where(several, (observed - chance) / (1 - chance), np.nan)

    return kappa
