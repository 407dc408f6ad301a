"""Raters against themselves and against each other: test-retest and leave-one-rater-out.

The analysis of Ruiz et al. (2024, section 2.2): the same raters rate the same items in two stages;
Table 1 compares each rater's two stages by Krippendorff's alpha and Kendall's tau, Table 2 gives
alpha of all raters in each stage, in both (each rater's two stages as two columns) and with one
rater left out, Table 3 adds tau between the stages over all raters.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from captious.errors import StatisticsError
from captious.stats.aggregate import mean_rating, vote
from captious.stats.agreement import correlation
from captious.stats.alpha import Scale, krippendorff_alpha
from captious.stats.estimate import Clusters, Estimate, require_clusters, rows_of
from captious.stats.ratings import Floats, as_ratings
from captious.stats.resample import DEFAULT_SEED, Seed

Others = Literal["mean", "vote"]


class Retest(NamedTuple):
    """One rater's two stages: alpha, tau-b, share of equal ratings, and the shift of the mean."""

    alpha: Estimate
    tau_b: float
    same: float
    shift: float
    n_items: int


class StageAgreement(NamedTuple):
    """Two stages by the same raters.

    `without[r]` is alpha of both stages without rater `r`; `tau_b` joins all raters' pairs of
    stages in one list, `mean_tau_b` averages the raters' own.
    """

    raters: tuple[Retest, ...]
    alpha_first: Estimate
    alpha_second: Estimate
    alpha_both: Estimate
    without: tuple[Estimate, ...]
    tau_b: float
    mean_tau_b: float


class LeftOut(NamedTuple):
    """One rater against the rest: alpha of the rest, and this rater's tau-b and r with the rest."""

    alpha_without: Estimate
    tau_b: float
    pearson: float
    n_items: int


def retest_agreement(
    first: ArrayLike,
    second: ArrayLike,
    *,
    scale: Scale = "interval",
    resamples: int = 0,
    clusters: Clusters = None,
    level: float = 0.95,
    seed: Seed = DEFAULT_SEED,
) -> Retest:
    """Compare one rater's ratings of the same items in two stages (Ruiz et al. 2024, Table 1).

    Items without a rating in either stage are left out. The paper does not name alpha's scale; the
    default, interval, is that of the library it used.

    >>> found = retest_agreement([0, 0.25, 0.5, 1], [0, 0.25, 0.75, 1])
    >>> round(found.alpha.value, 3), round(found.tau_b, 3), found.same, found.shift
    (0.954, 1.0, 0.75, 0.0625)
    """
    stages = _two_columns(first, second)
    require_clusters(clusters, len(stages))
    kept = np.flatnonzero(~np.isnan(stages).any(axis=1))
    both = stages[kept]
    alpha = krippendorff_alpha(
        both, scale, resamples=resamples, clusters=rows_of(clusters, kept), level=level, seed=seed
    )
    if not len(both):
        nan = float("nan")
        return Retest(alpha, nan, nan, nan, 0)
    return Retest(
        alpha=alpha,
        tau_b=correlation(both[:, 0], both[:, 1], "tau_b"),
        same=float((both[:, 0] == both[:, 1]).mean()),
        shift=float((both[:, 1] - both[:, 0]).mean()),
        n_items=len(both),
    )


def stage_agreement(
    first: ArrayLike,
    second: ArrayLike,
    *,
    scale: Scale = "interval",
    resamples: int = 0,
    clusters: Clusters = None,
    level: float = 0.95,
    seed: Seed = DEFAULT_SEED,
) -> StageAgreement:
    """Compare two stages of the same raters on the same items (Ruiz et al. 2024, Tables 1 to 3).

    >>> stage = [[1, 2], [3, 3], [5, 4]]
    >>> found = stage_agreement(stage, stage)
    >>> found.raters[0].alpha.value, found.tau_b
    (1.0, 1.0)
    """
    one, two = as_ratings(first), as_ratings(second)
    if one.shape != two.shape:
        raise StatisticsError(
            f"the stages have shapes {one.shape} and {two.shape}. "
            "Give both the same items and raters, NaN for missing."
        )

    def alpha(ratings: Floats) -> Estimate:
        return krippendorff_alpha(
            ratings, scale, resamples=resamples, clusters=clusters, level=level, seed=seed
        )

    raters = tuple(
        retest_agreement(
            one[:, rater],
            two[:, rater],
            scale=scale,
            resamples=resamples,
            clusters=clusters,
            level=level,
            seed=seed,
        )
        for rater in range(one.shape[1])
    )
    others = [np.delete(np.arange(one.shape[1]), rater) for rater in range(one.shape[1])]
    taus = np.array([rater.tau_b for rater in raters])
    pairs = _complete_pairs(one.ravel(), two.ravel())
    return StageAgreement(
        raters=raters,
        alpha_first=alpha(one),
        alpha_second=alpha(two),
        alpha_both=alpha(np.hstack([one, two])),
        without=tuple(alpha(np.hstack([one[:, rest], two[:, rest]])) for rest in others),
        tau_b=correlation(*pairs, "tau_b"),
        mean_tau_b=float(taus.mean()) if len(taus) else float("nan"),
    )


def leave_one_rater_out(
    ratings: ArrayLike,
    *,
    raters: Sequence[Hashable] | None = None,
    others: Others = "mean",
    scale: Scale = "interval",
    resamples: int = 0,
    clusters: Clusters = None,
    level: float = 0.95,
    seed: Seed = DEFAULT_SEED,
) -> tuple[LeftOut, ...]:
    """For each rater: alpha without that rater (Ruiz et al. 2024, Table 2), and agreement with it.

    `raters` names the rater of each column: columns of one rater, such as two stages, are left
    out together, and those of the others stay side by side, as in the paper's table. The rater's mean
    is compared with the mean or the vote (ties broken at random, seeded) of the others, over the
    items that both have. One entry per rater, in the order of their first columns.

    >>> found = leave_one_rater_out([[1, 1, 4], [2, 2, 1], [4, 3, 2], [4, 4, 3]])
    >>> int(np.argmax([rater.alpha_without.value for rater in found]))
    2
    """
    matrix = as_ratings(ratings)
    if others not in ("mean", "vote"):
        raise StatisticsError(f"others: {others!r} is not one of mean, vote.")
    columns: dict[Hashable, list[int]] = {}
    for column, rater in enumerate(raters if raters is not None else range(matrix.shape[1])):
        columns.setdefault(rater, []).append(column)
    found = []
    for own_columns in columns.values():
        rest = np.delete(matrix, own_columns, axis=1)
        consensus = mean_rating(rest) if others == "mean" else vote(rest, seed=seed)
        own, theirs = _complete_pairs(mean_rating(matrix[:, own_columns]), consensus)
        alpha = krippendorff_alpha(
            rest, scale, resamples=resamples, clusters=clusters, level=level, seed=seed
        )
        tau, pearson = correlation(own, theirs, "tau_b"), correlation(own, theirs, "pearson")
        found.append(LeftOut(alpha, tau, pearson, len(own)))
    return tuple(found)


def _two_columns(first: ArrayLike, second: ArrayLike) -> Floats:
    columns = [as_ratings(np.atleast_2d(stage)).ravel() for stage in (first, second)]
    if len(columns[0]) != len(columns[1]):
        raise StatisticsError(
            f"the stages hold {len(columns[0])} and {len(columns[1])} ratings. "
            "Give both one value per item, NaN for missing."
        )
    return np.stack(columns, axis=1)


def _complete_pairs(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    both = ~np.isnan(x) & ~np.isnan(y)
    return x[both], y[both]
