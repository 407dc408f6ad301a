"""Does metric A agree better with human judgments than metric B?

Two correlations with one human column are not independent: their intervals may overlap although the
difference is significant. These three tests take that into account.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from captious.errors import StatisticsError
from captious.stats.columns import finite_pair, number_labels
from captious.stats.correlation import Level, Method, correlate
from captious.stats.intervals import resampled_correlations
from captious.stats.resample import (
    DEFAULT_RESAMPLES,
    DEFAULT_SEED,
    Floats,
    Seed,
    generator,
    require_draws,
    require_level,
)
from captious.stats.significance import ROUNDING, PairedTest, swap_masks


class WilliamsTest(NamedTuple):
    """Williams' t, its degrees of freedom and p-values for either side and for a > b."""

    t: float
    degrees: int
    p_two_sided: float
    p_a_better: float


def williams_test(r_a: float, r_b: float, r_ab: float, n: int) -> WilliamsTest:
    """Test two dependent Pearson correlations that share the human column (Williams 1959).

    `r_a` and `r_b` correlate the metrics with the human column, `r_ab` the metrics with each other:

    t = (r_a - r_b) sqrt((n-1)(1 + r_ab)) / sqrt(2K (n-1)/(n-3) + (r_a + r_b)^2 / 4 (1 - r_ab)^3),
    K = 1 - r_a^2 - r_b^2 - r_ab^2 + 2 r_a r_b r_ab, with n - 3 degrees of freedom.

    Recommended by Steiger 1980; used for metrics by Graham and Baldwin 2014. It assumes that the n rows
    are independent. Two metrics with r_ab = 1 are the same metric: t = 0.

    >>> test = williams_test(0.4, 0.5, 0.1, n=103)  # the example of Steiger 1980
    >>> round(test.t, 2), round(test.p_two_sided, 2)
    (-0.89, 0.37)
    """
    for name, r in (("r_a", r_a), ("r_b", r_b), ("r_ab", r_ab)):
        if not -1 <= r <= 1:
            raise StatisticsError(f"{name}: {r} is not a correlation. Give a number from -1 to 1.")
    if n < 4:
        raise StatisticsError(f"n: {n} rows are too few. Williams' test needs at least 4.")
    from scipy.special import stdtr

    determinant = 1 - r_a**2 - r_b**2 - r_ab**2 + 2 * r_a * r_b * r_ab
    if determinant < -1e-9:
        raise StatisticsError(
            f"r_a {r_a}, r_b {r_b} and r_ab {r_ab} cannot be correlations of the same rows."
        )
    spread = 2 * max(determinant, 0.0) * (n - 1) / (n - 3) + (r_a + r_b) ** 2 / 4 * (1 - r_ab) ** 3
    difference = r_a - r_b
    if abs(difference) <= ROUNDING:
        t = 0.0
    elif spread == 0:
        t = float(np.copysign(np.inf, difference))
    else:
        t = float(difference * sqrt((n - 1) * (1 + r_ab) / spread))
    degrees = n - 3
    return WilliamsTest(t, degrees, float(2 * stdtr(degrees, -abs(t))), float(stdtr(degrees, -t)))


def compare_by_bootstrap(
    metric_a: ArrayLike,
    metric_b: ArrayLike,
    human: ArrayLike,
    *,
    method: Method = "kendall_c",
    level: Level = "item",
    groups: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    resamples: int = DEFAULT_RESAMPLES,
    seed: Seed = DEFAULT_SEED,
    confidence: float = 0.95,
) -> PairedTest:
    """Test a difference of correlations on the same resamples of clusters.

    p = (1 + #{|d* - mean d*| >= |d|}) / (1 + resamples), two-sided; the interval is the
    percentile interval of d* = r_a* - r_b*. Resamples where either correlation is undefined are
    left out. Koehn 2004; Wilcox 2009 for correlations.

    >>> human = np.arange(30.0)
    >>> noisy = human + 20 * np.sin(7 * human)
    >>> test = compare_by_bootstrap(human + 3 * np.sin(human), noisy, human, method="spearman")
    >>> test.difference > 0.3, test.p_value < 0.05
    (True, True)
    """
    require_level(confidence)
    _, found = resampled_correlations(
        np.stack(finite_pair(metric_a, metric_b)),
        human,
        method=method,
        level=level,
        groups=groups,
        clusters=clusters,
        resamples=resamples,
        seed=seed,
    )
    return found.difference(0, 1, confidence)


def compare_by_permutation(
    metric_a: ArrayLike,
    metric_b: ArrayLike,
    human: ArrayLike,
    *,
    method: Method = "kendall_c",
    level: Level = "item",
    groups: ArrayLike | None = None,
    swap_together: ArrayLike | None = None,
    trials: int = DEFAULT_RESAMPLES,
    seed: Seed = DEFAULT_SEED,
) -> PairedTest:
    """Test a difference of correlations by exchanging the metrics' scores at random.

    Both metrics are first standardised (mean 0, variance 1), because otherwise the metric on the larger
    scale would dominate. Each trial exchanges the two scores of every unit with probability 1/2;
    p = (1 + #{|d'| >= |d|}) / (1 + trials), two-sided. Without `swap_together` the unit is one row
    (PERM-BOTH); with image ids it is an image (PERM-INPUTS), with system names a system
    (PERM-SYSTEMS). d is the difference between the correlations, which standardising does not change.
    Deutsch, Dror and Roth 2021.

    >>> human = np.arange(30.0)
    >>> noisy = human + 20 * np.sin(7 * human)
    >>> test = compare_by_permutation(human, noisy, human, method="pearson", trials=200)
    >>> test.difference > 0.3, test.p_value < 0.05
    (True, True)
    """
    require_draws(trials, "trials")
    a, b = (_standard_scores(column) for column in finite_pair(metric_a, metric_b))
    together = np.arange(a.size) if swap_together is None else swap_together
    units = number_labels(together, a.size, "swap_together")

    def value(column: Floats) -> float:
        return correlate(column, human, method=method, level=level, groups=groups).value

    value_a, value_b = value(a), value(b)
    difference = value_a - value_b
    threshold = abs(difference) - ROUNDING
    rng = generator(seed)
    extreme, defined = 0, 0
    for _ in range(trials):
        swap = swap_masks(units.count, 1, rng)[0][units.index].astype(bool)
        drawn = value(np.where(swap, b, a)) - value(np.where(swap, a, b))
        defined += not np.isnan(drawn)
        extreme += abs(drawn) >= threshold
    nan = float("nan")
    p_value = nan if np.isnan(difference) else (extreme + 1) / (defined + 1)
    return PairedTest(value_a, value_b, difference, nan, nan, nan, p_value, trials)


def _standard_scores(column: Floats) -> Floats:
    centred = column - column.mean()
    spread = float(np.sqrt((centred**2).mean())) if column.size else 0.0
    scores: Floats = centred / (spread if spread > 0 else 1.0)
    return scores
