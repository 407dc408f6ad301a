"""Kendall's coefficient of concordance W: how similarly several raters rank the items."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from captious.stats.estimate import Clusters, Estimate, Statistic, estimate_complete
from captious.stats.ratings import CategoryCounts, Floats, Patterns
from captious.stats.resample import DEFAULT_SEED, Seed


def kendall_w(
    ratings: ArrayLike,
    *,
    correct_ties: bool = True,
    resamples: int = 0,
    clusters: Clusters = None,
    level: float = 0.95,
    seed: Seed = DEFAULT_SEED,
) -> Estimate:
    """Return Kendall's W with the correction for ties (Kendall and Smith 1939; Siegel 1956).

    Each of m raters ranks the n items by midranks; with R_i the sum of item i's ranks,
    W = 12 sum_i (R_i - mean R)^2 / (m^2 (n^3 - n) - m sum_j T_j), where rater j's
    T_j = sum (t^3 - t) over the sizes t of groups of tied items. Items that a rater did not rate
    are left out. NaN with fewer than two raters or items, or if every rater ties all items.

    >>> kendall_w([[1, 1], [2, 2], [3, 3]]).value
    1.0
    """
    return estimate_complete(
        "W",
        ratings,
        lambda data: _w(data, correct_ties),
        reason="every rater gives all items the same rating, so there is no ranking",
        resamples=resamples,
        clusters=clusters,
        level=level,
        seed=seed,
    )


def _w(data: Patterns, correct_ties: bool) -> Statistic:
    n_raters = data.codes.shape[1]
    k = len(data.categories)
    counts_of = [CategoryCounts(data.codes[:, [rater]], k) for rater in range(n_raters)]

    def w(weights: Floats) -> Floats:
        n = weights.sum(axis=1)
        rank_sums = np.zeros_like(weights)
        ties = np.zeros(len(weights))
        ranked = np.zeros(len(weights), dtype=bool)
        for rater in range(n_raters):
            totals = counts_of[rater].totals(weights)
            # Midranks less their mean (n + 1) / 2, so that sums of squares stay exact.
            ranks = np.cumsum(totals, axis=1) - totals / 2 - n[:, None] / 2
            rank_sums += ranks[:, data.codes[:, rater]]
            ties += (totals**3 - totals).sum(axis=1)
            ranked |= (totals > 0).sum(axis=1) > 1
        spread = (weights * rank_sums**2).sum(axis=1)
        most = n_raters**2 * (n**3 - n) - (n_raters * ties if correct_ties else 0)
        return np.where(ranked, 12 * spread / most, np.nan)

    return w
