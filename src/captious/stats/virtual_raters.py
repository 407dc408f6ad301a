"""Virtual raters: the agreement protocol of Scott et al. (2023, section 4.1).

If items were rated by different people, and by different numbers of them, no column is one person. The
paper uses *virtual raters* instead: for each item it draws three
ratings and sorts them, so that X holds the lowest, Y the middle and Z the highest; it computes
Kendall's tau of each virtual rater with the two others, Kendall's W and Fleiss' kappa, and averages
20 such runs.

What the paper leaves open was settled on its Flickr8k-Expert column. Of the readings tried, one
reproduces every row in all printed digits: tau-c of X with "Y and Z" joins the pairs (X, Y) and
(X, Z) of all items in one list ("method A"), the 158 captions that are an image's own reference
are left out, and no rating is drawn twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from captious.errors import StatisticsError
from captious.stats.agreement import correlation
from captious.stats.concordance import kendall_w
from captious.stats.kappa import fleiss_kappa
from captious.stats.ratings import Floats, as_ratings
from captious.stats.resample import DEFAULT_SEED, Seed, generator, require_positive

VIRTUAL_RATERS = 3  # Scott et al. 2023, 4.1
RUNS = 20  # Scott et al. 2023, 4.1
MERGED = {5.0: 4.0}  # Scott et al. 2023, Table 3: the row kappa with 4=5


class OverRuns(NamedTuple):
    """Mean and standard deviation (n - 1) over runs; the deviation of one run is NaN."""

    mean: float
    sd: float


class VirtualRaterAgreement(NamedTuple):
    """Agreement of virtual raters; `tau[0]` is the lowest rater against all others.

    `dropped` counts items with too few ratings to draw from.
    """

    tau: tuple[OverRuns, ...]
    w: OverRuns
    kappa: OverRuns
    kappa_merged: OverRuns
    n_items: int
    dropped: int
    runs: int


def draw_virtual_raters(
    ratings: ArrayLike, n: int = VIRTUAL_RATERS, *, replace: bool = False, seed: Seed = DEFAULT_SEED
) -> Floats:
    """Draw `n` ratings of each item and sort them: `(items, n)`, lowest first.

    Items with fewer than `n` ratings (with replacement: none) must have been left out.

    >>> draw_virtual_raters([[4, 1, 3], [2, 2, 5]])
    array([[1., 3., 4.],
           [2., 2., 5.]])
    """
    matrix = as_ratings(ratings)
    rng = generator(seed)
    present = ~np.isnan(matrix)
    available = present.sum(axis=1)
    if (available < (1 if replace else n)).any():
        row = int(np.argmin(available))
        raise StatisticsError(
            f"item {row} has {available[row]} ratings, too few for {n} virtual raters. Leave it out."
        )
    # Present ratings first, in random order; then the first n, or any n of the present.
    keys = np.where(present, rng.random(matrix.shape), 2.0)
    order = np.argsort(keys, axis=1)
    if replace:
        picks = (rng.random((len(matrix), n)) * available[:, None]).astype(np.int64)
        order = np.take_along_axis(order, picks, axis=1)
    return np.sort(np.take_along_axis(matrix, order[:, :n], axis=1), axis=1)


def virtual_rater_agreement(
    ratings: ArrayLike,
    *,
    n: int = VIRTUAL_RATERS,
    runs: int = RUNS,
    merged: Mapping[float, float] | None = None,
    variant: Literal["b", "c"] = "c",
    replace: bool = False,
    seed: Seed = DEFAULT_SEED,
) -> VirtualRaterAgreement:
    """Return tau, W, kappa and merged kappa of virtual raters over runs (Scott et al. 2023, 4.1).

    `merged` defaults to the paper's `{5: 4}`. Items with fewer than `n` ratings are left out and
    counted. If each item has exactly `n` ratings and none is drawn twice, all runs are equal.

    >>> found = virtual_rater_agreement([[1, 2, 1], [2, 2, 3], [3, 4, 4], [1, 1, 1]], runs=2)
    >>> round(found.kappa.mean, 3), found.kappa.sd
    (0.294, 0.0)
    """
    require_positive(runs, "runs")
    if n < 2:
        raise StatisticsError(f"n: {n} virtual rater has nothing to agree with. Give at least 2.")
    matrix = as_ratings(ratings)
    enough = (~np.isnan(matrix)).sum(axis=1) >= (1 if replace else n)
    kept = matrix[enough]
    rng = generator(seed)
    merging = MERGED if merged is None else merged
    drawn = (draw_virtual_raters(kept, n, replace=replace, seed=rng) for _ in range(runs))
    table = np.array([_one_run(raters, variant, merging) for raters in drawn])
    *taus, w, kappa, kappa_merged = (_summary(column) for column in table.T)
    return VirtualRaterAgreement(tuple(taus), w, kappa, kappa_merged, len(kept), int((~enough).sum()), runs)


def _one_run(drawn: Floats, variant: str, merged: Mapping[float, float]) -> list[float]:
    n = drawn.shape[1]
    taus = []
    for rater in range(n):
        others = np.delete(drawn, rater, axis=1)
        itself = np.repeat(drawn[:, rater], n - 1)
        taus.append(correlation(itself, others.ravel(), f"tau_{variant}"))
    w = kendall_w(drawn).value
    kappa = fleiss_kappa(drawn).value
    return [*taus, w, kappa, fleiss_kappa(drawn, merged=merged).value]


def _summary(values: Floats) -> OverRuns:
    if len(values) > 1 and (values == values[0]).all():
        return OverRuns(float(values[0]), 0.0)
    sd = float(values.std(ddof=1)) if len(values) > 1 else float("nan")
    return OverRuns(float(values.mean()), sd)
