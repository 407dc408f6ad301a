"""Is system A better than system B, or is the difference due to the sample of images?

Both tests work on summed statistics per image (see `captious.stats.resample`): the paired
bootstrap draws images again (Koehn 2004), approximate randomisation swaps the two systems' outputs
image by image (Riezler and Maxwell 2005). Both compare corpus scores, never means of image scores.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from captious.errors import StatisticsError
from captious.stats.resample import (
    DEFAULT_RESAMPLES,
    DEFAULT_SEED,
    Floats,
    Interval,
    Score,
    Seed,
    bootstrap_sums,
    chunk_rows,
    finite_matrix,
    generator,
    percentile_interval,
    require_draws,
)

Tail = Literal["two-sided", "sacrebleu"]

# Sums that are equal on paper may differ in their last bits; such a draw counts as "as extreme".
ROUNDING = 1e-12
DEFAULT_TRIALS = 10_000  # Riezler and Maxwell 2005 and sacreBLEU's --paired-ar


class PairedTest(NamedTuple):
    """Two systems' scores, their difference a - b, and its p-value.

    `low` and `high` are the bootstrap interval of the difference; NaN for a randomisation test,
    which has none.
    """

    score_a: float
    score_b: float
    difference: float
    low: float
    high: float
    level: float
    p_value: float
    draws: int


def paired_bootstrap(
    stats_a: ArrayLike,
    stats_b: ArrayLike,
    score: Score,
    resamples: int = DEFAULT_RESAMPLES,
    seed: Seed = DEFAULT_SEED,
    *,
    level: float = 0.95,
    tail: Tail = "two-sided",
) -> PairedTest:
    """Test a difference of corpus scores by drawing the same clusters for both systems.

    `stats_a` and `stats_b` are `(clusters, k)`, row by row the same cluster; `score` turns sums
    `(..., k)` into scores `(...)`. With d the difference and d* the resampled ones, centred on
    their mean, p = (1 + #{|d* - mean d*| >= |d|}) / (1 + resamples).

    `tail="sacrebleu"` counts #{|d*| - mean |d*| > |d|} instead, as sacreBLEU and Moses do. If the
    difference is clear, this counts only one tail, and p is about half as large.

    Koehn 2004; Efron and Tibshirani 1993, chapter 16.

    >>> hits_a, hits_b = np.array([1, 1, 1, 0, 1, 1]), np.array([0, 1, 0, 0, 0, 1])
    >>> test = paired_bootstrap(hits_a, hits_b, lambda sums: sums[..., 0] / 6, seed=1)
    >>> test.difference, 0 < test.p_value < 0.1
    (0.5, True)
    """
    (test,) = paired_bootstraps(stats_a, stats_b, _one(score), resamples, seed, level=level, tail=tail)
    return test


def paired_bootstraps(
    stats_a: ArrayLike,
    stats_b: ArrayLike,
    scores: Score,
    resamples: int = DEFAULT_RESAMPLES,
    seed: Seed = DEFAULT_SEED,
    *,
    level: float = 0.95,
    tail: Tail = "two-sided",
) -> list[PairedTest]:
    """Return `paired_bootstrap` under several scores at once, on the same draws.

    The statistics of all scores are side by side; `scores` turns sums `(..., k)` into `(..., m)`.

    >>> hits = np.array([[1, 2], [1, 4], [0, 2]])
    >>> tests = paired_bootstraps(hits, 0 * hits, lambda sums: sums / 3)
    >>> [round(test.difference, 2) for test in tests]
    [0.67, 2.67]
    """
    a, b = _matched(stats_a, stats_b)
    width = a.shape[1]

    def both(sums: Floats) -> Floats:
        return np.concatenate([scores(sums[..., :width]), scores(sums[..., width:])], axis=-1)

    found = resampled(np.hstack([a, b]), both, resamples, seed)
    m = len(found.points) // 2
    return [found.difference(place, m + place, level, tail) for place in range(m)]


@dataclass(frozen=True)
class Resampled:
    """Values on the data, and each on the same resamples: `(values, resamples)`.

    Without resamples there are no intervals and no p-values: they are NaN.
    """

    points: Floats
    draws: Floats

    def interval(self, place: int, level: float = 0.95) -> Interval:
        """Return the percentile interval of a value; NaN for an undefined value."""
        value = float(self.points[place])
        draws = self.draws[place]
        return percentile_interval(np.full_like(draws, np.nan) if np.isnan(value) else draws, value, level)

    def difference(self, a: int, b: int, level: float = 0.95, tail: Tail = "two-sided") -> PairedTest:
        """Test the difference of two values, paired by their resamples."""
        value_a, value_b = float(self.points[a]), float(self.points[b])
        both = Resampled(np.array([value_a - value_b]), (self.draws[a] - self.draws[b])[None])
        difference, low, high, *_ = both.interval(0, level)
        p_value = centred_p_value(both.draws[0], difference, tail)
        return PairedTest(value_a, value_b, difference, low, high, level, p_value, self.draws.shape[1])


def resampled(
    cluster_stats: ArrayLike, scores: Score, resamples: int = DEFAULT_RESAMPLES, seed: Seed = DEFAULT_SEED
) -> Resampled:
    """Score the clusters, and bootstrap resamples of them (none if `resamples` is 0).

    >>> resampled([[1, 2], [3, 4]], lambda sums: sums / 2, resamples=0).points
    array([2., 3.])
    """
    matrix = finite_matrix(cluster_stats)
    points = np.asarray(scores(matrix.sum(axis=0)), dtype=np.float64)
    if not resamples:
        return Resampled(points, np.zeros((len(points), 0)))
    return Resampled(points, scores(bootstrap_sums(matrix, resamples, seed)).T)


def centred_p_value(draws: ArrayLike, difference: float, tail: Tail = "two-sided") -> float:
    """Return the p-value of a difference from bootstrap draws of it, centred on their mean.

    NaN draws (a resample without a score) are left out of both counts.

    >>> centred_p_value([0.9, 1.0, 1.1], difference=1.0)
    0.25
    """
    sample = np.asarray(draws, dtype=np.float64)
    sample = sample[~np.isnan(sample)]
    if sample.size == 0 or np.isnan(difference):
        return float("nan")
    threshold = abs(difference)
    slack = ROUNDING * max(1.0, threshold)
    if tail == "sacrebleu":
        centred = np.abs(sample) - np.abs(sample).mean()
        extreme = np.count_nonzero(centred > threshold)
    elif tail == "two-sided":
        extreme = np.count_nonzero(np.abs(sample - sample.mean()) >= threshold - slack)
    else:
        raise StatisticsError(f'tail: unknown "{tail}". Give "two-sided" or "sacrebleu".')
    return (int(extreme) + 1) / (sample.size + 1)


def approximate_randomisation(
    stats_a: ArrayLike,
    stats_b: ArrayLike,
    score: Score,
    trials: int = DEFAULT_TRIALS,
    seed: Seed = DEFAULT_SEED,
) -> PairedTest:
    """Test a difference of corpus scores by swapping the systems on random clusters.

    If the systems were the same, swapping their outputs on any set of images would make no systematic
    difference. Each trial swaps every cluster with probability 1/2;
    p = (1 + #{|d'| >= |d|}) / (1 + trials), two-sided. Draws that equal the difference count, so a
    system compared with itself has p = 1.

    Noreen 1989; Riezler and Maxwell 2005.

    >>> hits_a, hits_b = np.array([1, 1, 1, 0, 1, 1]), np.array([0, 1, 0, 0, 0, 1])
    >>> test = approximate_randomisation(hits_a, hits_b, lambda sums: sums[..., 0] / 6, seed=1)
    >>> round(test.p_value, 2)  # three images differ: 2 of 2^3 swaps are as extreme
    0.25
    """
    (test,) = approximate_randomisations(stats_a, stats_b, _one(score), trials, seed)
    return test


def approximate_randomisations(
    stats_a: ArrayLike,
    stats_b: ArrayLike,
    scores: Score,
    trials: int = DEFAULT_TRIALS,
    seed: Seed = DEFAULT_SEED,
) -> list[PairedTest]:
    """Return `approximate_randomisation` under several scores at once, on the same swaps.

    `scores` is as in `paired_bootstraps`.

    >>> hits = np.array([[1, 2], [1, 4], [0, 2]])
    >>> [test.p_value for test in approximate_randomisations(hits, hits, lambda sums: sums / 3)]
    [1.0, 1.0]
    """
    a, b = _matched(stats_a, stats_b)
    require_draws(trials, "trials")
    sum_a, sum_b = a.sum(axis=0), b.sum(axis=0)
    swapped = swap_sums(b - a, trials, seed)
    draws = scores(sum_a + swapped) - scores(sum_b - swapped)
    nan = float("nan")
    found = []
    for place, (own, other) in enumerate(zip(scores(sum_a), scores(sum_b), strict=True)):
        difference = float(own) - float(other)
        p_value = randomisation_p_value(draws[:, place], difference)
        found.append(PairedTest(float(own), float(other), difference, nan, nan, nan, p_value, trials))
    return found


def swap_sums(gain: ArrayLike, trials: int, seed: Seed = DEFAULT_SEED) -> Floats:
    """Return, for each trial, the sum of `gain` over the clusters that it swaps: `(trials, k)`.

    With gain = b - a, system a has the sums `sum_a + swapped` after the swap, b `sum_b - swapped`.

    >>> swap_sums([[1.0], [1.0]], trials=4, seed=0).ravel().tolist()
    [1.0, 2.0, 0.0, 2.0]
    """
    matrix = finite_matrix(gain, "gain")
    require_draws(trials, "trials")
    rng = generator(seed)
    rows = chunk_rows(len(matrix))
    return np.concatenate(
        [
            swap_masks(len(matrix), min(rows, trials - start), rng).astype(np.float64) @ matrix
            for start in range(0, trials, rows)
        ]
    )


def randomisation_p_value(draws: ArrayLike, difference: float) -> float:
    """Return (1 + #{|d'| >= |d|}) / (1 + trials); NaN where the difference is not defined.

    >>> randomisation_p_value([0.5, -1.0, 0.0], difference=1.0)
    0.5
    """
    if np.isnan(difference):
        return float("nan")
    sample = np.asarray(draws, dtype=np.float64)
    threshold = abs(difference) - ROUNDING * max(1.0, abs(difference))
    return (int(np.count_nonzero(np.abs(sample) >= threshold)) + 1) / (sample.size + 1)


def swap_masks(n_clusters: int, trials: int, rng: np.random.Generator) -> NDArray[np.uint8]:
    """Return fair coin flips `(trials, n_clusters)`, the same for any split of the trials.

    >>> swap_masks(3, 2, generator(0)).shape
    (2, 3)
    """
    row_bytes = (n_clusters + 7) // 8
    masks = np.empty((trials, n_clusters), dtype=np.uint8)
    for mask in masks:
        packed = np.frombuffer(rng.bytes(row_bytes), dtype=np.uint8)
        mask[:] = np.unpackbits(packed, count=n_clusters)
    return masks


def win_tie_loss(scores_a: ArrayLike, scores_b: ArrayLike) -> tuple[int, int, int]:
    """Count the items where a scores above, equal to and below b.

    Scores within rounding of each other (1e-12) tie.

    >>> win_tie_loss([1.0, 2.0, 3.0], [0.0, 2.0, 4.0])
    (1, 1, 1)
    """
    a, b = _matched(scores_a, scores_b)
    difference = (a - b).ravel()
    ties = np.abs(difference) <= ROUNDING
    wins = int(np.count_nonzero((difference > 0) & ~ties))
    return wins, int(np.count_nonzero(ties)), int(difference.size) - wins - int(ties.sum())


def _one(score: Score) -> Score:
    return lambda sums: np.asarray(score(sums))[..., None]


def _matched(stats_a: ArrayLike, stats_b: ArrayLike) -> tuple[Floats, Floats]:
    a, b = finite_matrix(stats_a, "stats_a"), finite_matrix(stats_b, "stats_b")
    if a.shape != b.shape:
        raise StatisticsError(
            f"stats_a has shape {a.shape} and stats_b {b.shape}. Give both systems the same images."
        )
    if len(a) == 0:
        raise StatisticsError("stats_a: no rows. A test needs at least one image.")
    return a, b
