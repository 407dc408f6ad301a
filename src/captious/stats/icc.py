"""Intraclass correlation: how reliable one rating is, or the mean of several raters."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from captious.errors import StatisticsError
from captious.stats.estimate import Clusters, Estimate, Statistic, estimate_complete
from captious.stats.ratings import Floats, Patterns
from captious.stats.resample import DEFAULT_SEED, Seed

Unit = Literal["single", "average"]


def icc(
    ratings: ArrayLike,
    unit: Unit = "single",
    *,
    resamples: int = 0,
    clusters: Clusters = None,
    level: float = 0.95,
    seed: Seed = DEFAULT_SEED,
) -> Estimate:
    """Return ICC(2,1) (`single`) or ICC(2,k) (`average`) of Shrout and Fleiss (1979).

    Two-way random effects, absolute agreement. With the mean squares of n items (BMS), k raters
    (JMS) and the residual (EMS):
    ICC(2,1) = (BMS - EMS) / (BMS + (k-1) EMS + k (JMS - EMS) / n) and
    ICC(2,k) = (BMS - EMS) / (BMS + (JMS - EMS) / n).
    Items that a rater did not rate are left out. NaN with fewer than two raters or items, or if all
    ratings are equal.

    >>> round(icc([[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8],
    ...            [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]).value, 2)
    0.29
    """
    if unit not in ("single", "average"):
        raise StatisticsError(f"unit: {unit!r} is not one of single, average.")
    return estimate_complete(
        "ICC",
        ratings,
        lambda data: _icc2(data, unit),
        reason="all ratings are equal, so there is no variance to divide",
        resamples=resamples,
        clusters=clusters,
        level=level,
        seed=seed,
    )


def _icc2(data: Patterns, unit: Unit) -> Statistic:
    values = data.categories[data.codes]
    values = values - values.mean()
    k = values.shape[1]
    row_means = values.mean(axis=1)
    row_squares = (values**2).sum(axis=1)

    def icc2(weights: Floats) -> Floats:
        n = weights.sum(axis=1)
        rater_means = weights @ values / n[:, None]
        grand = rater_means.mean(axis=1)
        between = k * (weights @ row_means**2 - n * grand**2)
        raters = n * ((rater_means - grand[:, None]) ** 2).sum(axis=1)
        total = weights @ row_squares - n * k * grand**2
        bms, jms = between / (n - 1), raters / (k - 1)
        ems = (total - between - raters) / ((n - 1) * (k - 1))
        noise = (jms - ems) / n
        below = bms + (k - 1) * ems + k * noise if unit == "single" else bms + noise
        spread = total > 1e-12 * np.maximum(weights @ row_squares, 1e-300)
        return np.where(spread, (bms - ems) / below, np.nan)

    return icc2
