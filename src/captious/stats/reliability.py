"""Reliability of a result: split halves of raters, and the spread at a sample size.

ObjectNet Captions (4.2, Figure 4) shows both for HUMANr: its distribution over random halves of
the pool of raters, and its standard deviation as a function of the number of images.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from captious.errors import StatisticsError
from captious.stats.ratings import Floats, as_ratings, number
from captious.stats.resample import (
    DEFAULT_RESAMPLES,
    DEFAULT_SEED,
    Seed,
    chunk_rows,
    generator,
    require_level,
    require_positive,
)

SplitBy = Literal["rater", "rating"]


class SplitHalf(NamedTuple):
    """Correlation of two random halves' item means over splits, and Spearman-Brown's step up.

    `low` and `high` are percentiles of the stepped-up value over splits. They show how much the choice
    of halves matters, not the choice of items.
    """

    correlation: float
    reliability: float
    low: float
    high: float
    splits: int
    undefined: int
    reason: str


class HalfPools(NamedTuple):
    """The mean score of random halves of the raters, one per split, with mean and deviation."""

    scores: Floats
    mean: float
    sd: float


class SpreadAtSize(NamedTuple):
    """The standard deviation of the mean score over draws of `n_items` items."""

    n_items: int
    sd: float


def spearman_brown(reliability: float, factor: float = 2.0) -> float:
    """Return the reliability of a measurement `factor` times as long (Spearman 1910; Brown 1910).

    r_f = f r / (1 + (f - 1) r): with factor 2, from the correlation of halves to the whole. NaN if the
    denominator is not positive.

    >>> round(spearman_brown(0.6), 3)
    0.75
    """
    below = 1 + (factor - 1) * reliability
    return factor * reliability / below if below > 0 else float("nan")


def split_half(
    ratings: ArrayLike,
    *,
    by: SplitBy = "rater",
    splits: int = 1000,
    level: float = 0.95,
    seed: Seed = DEFAULT_SEED,
) -> SplitHalf:
    """Return split-half reliability: Pearson's r of two halves' item means, stepped up by 2.

    `by="rater"` splits the raters (columns) into two halves; `by="rating"` splits each item's own
    ratings, for matrices whose columns are not persons. With an odd number the second half has one
    more. Items count if both halves rated them; a split in which a half's means are constant is
    undefined and left out.

    >>> split_half([[1, 1, 2, 1], [3, 3, 3, 4], [5, 4, 5, 5]]).reliability > 0.95
    True
    """
    require_positive(splits, "splits")
    require_level(level)
    if by not in ("rater", "rating"):
        raise StatisticsError(f"by: {by!r} is not one of rater, rating.")
    matrix = as_ratings(ratings)
    rng = generator(seed)
    if by == "rater":
        found = _rater_halves(matrix, splits, rng)
    else:
        found = np.array([_rating_halves(matrix, rng) for _ in range(splits)])
    defined = found[~np.isnan(found)]
    nan = float("nan")
    if not defined.size:
        reason = "no split has two items that both halves rated and did not rate all alike"
        return SplitHalf(nan, nan, nan, nan, splits, splits, reason)
    r = float(defined.mean())
    stepped = np.array([spearman_brown(float(r)) for r in defined])
    if np.isnan(stepped).any():
        reason = "the halves of a split rank the items in opposite order, so the value cannot be stepped up"
        return SplitHalf(r, nan, nan, nan, splits, splits - defined.size, reason)
    low, high = np.quantile(stepped, ((1 - level) / 2, (1 + level) / 2))
    return SplitHalf(r, float(stepped.mean()), float(low), float(high), splits, splits - defined.size, "")


def half_pool_scores(
    scores: Sequence[float] | Floats,
    raters: Sequence[Hashable],
    *,
    splits: int = DEFAULT_RESAMPLES,
    seed: Seed = DEFAULT_SEED,
) -> HalfPools:
    """Return the mean score over random halves of the raters (ObjectNet Captions, Figure 4 left).

    `scores` and `raters` are long columns, one rating per row. Each split draws half of the raters,
    rounded down but at least one, without replacement.

    >>> half_pool_scores([1.0, 1.0, 1.0], ["a", "b", "b"], splits=5).sd
    0.0
    """
    require_positive(splits, "splits")
    values = as_ratings(np.atleast_2d(np.asarray(scores))).ravel()
    if np.isnan(values).any():
        missing = int(np.isnan(values).sum())
        raise StatisticsError(f"scores: {missing} of {len(values)} are missing. Leave them out.")
    if len(values) != len(raters) or not len(values):
        raise StatisticsError(
            f"{len(values)} scores and {len(raters)} raters. Give one rater per score, at least one."
        )
    names, rater_of = number(raters)
    sums = np.bincount(rater_of, weights=values)
    counts = np.bincount(rater_of).astype(np.float64)
    chosen = _random_halves(len(names), splits, generator(seed), at_least=1)
    found = (chosen @ sums) / (chosen @ counts)
    return HalfPools(found, float(found.mean()), _sd(found))


def spread_by_sample_size(
    scores: ArrayLike,
    sizes: Iterable[int],
    *,
    draws: int = DEFAULT_RESAMPLES,
    replace: bool = True,
    seed: Seed = DEFAULT_SEED,
) -> tuple[SpreadAtSize, ...]:
    """Return the mean's standard deviation at each number of items (ObjectNet Captions, Figure 4).

    `scores` holds one score per item. Items are drawn with replacement, as from a population like
    the sample; without, the spread falls to 0 as the size nears the sample's own, whatever the
    sample is worth.

    >>> [found.n_items for found in spread_by_sample_size([0, 1, 0, 1], [2, 4], draws=10)]
    [2, 4]
    """
    require_positive(draws, "draws")
    values = as_ratings(np.atleast_2d(np.asarray(scores))).ravel()
    values = values[~np.isnan(values)]
    rng = generator(seed)
    found = []
    for size in sizes:
        require_positive(size, "sizes")
        if not len(values) or (not replace and size > len(values)):
            raise StatisticsError(f"sizes: {size} items of {len(values)}. Draw fewer, or with replacement.")
        means = [float(rng.choice(values, size, replace=replace).mean()) for _ in range(draws)]
        found.append(SpreadAtSize(size, _sd(np.array(means))))
    return tuple(found)


def _random_halves(n: int, splits: int, rng: np.random.Generator, at_least: int = 0) -> Floats:
    """Return `(splits, n)` rows of 0 and 1, half of each row 1."""
    half = max(n // 2, at_least)
    ranks = rng.random((splits, n)).argsort(axis=1).argsort(axis=1)
    return (ranks < half).astype(np.float64)


def _rater_halves(matrix: Floats, splits: int, rng: np.random.Generator) -> Floats:
    present = (~np.isnan(matrix)).astype(np.float64)
    filled = np.nan_to_num(matrix)
    halves = _random_halves(matrix.shape[1], splits, rng)
    rows = chunk_rows(4 * len(matrix))
    found = []
    for start in range(0, splits, rows):
        chosen = halves[start : start + rows]
        n_first, n_second = chosen @ present.T, (1 - chosen) @ present.T
        first = chosen @ filled.T / np.maximum(n_first, 1)
        second = (1 - chosen) @ filled.T / np.maximum(n_second, 1)
        found.append(_row_correlations(first, second, (n_first > 0) & (n_second > 0)))
    return np.concatenate(found)


def _rating_halves(matrix: Floats, rng: np.random.Generator) -> float:
    present = ~np.isnan(matrix)
    keys = np.where(present, rng.random(matrix.shape), 2.0)
    ranks = keys.argsort(axis=1).argsort(axis=1)
    half = present.sum(axis=1, keepdims=True) // 2
    in_first = present & (ranks < half)
    in_second = present & ~in_first
    filled = np.nan_to_num(matrix)
    first = (filled * in_first).sum(axis=1) / np.maximum(in_first.sum(axis=1), 1)
    second = (filled * in_second).sum(axis=1) / np.maximum(in_second.sum(axis=1), 1)
    valid = in_first.any(axis=1) & in_second.any(axis=1)
    return float(_row_correlations(first[None], second[None], valid[None])[0])


def _row_correlations(first: Floats, second: Floats, valid: np.typing.NDArray[np.bool_]) -> Floats:
    """Return Pearson's r of each row over its valid columns, NaN where undefined."""
    n = np.maximum(valid.sum(axis=1), 1)
    x = np.where(valid, first - ((first * valid).sum(axis=1) / n)[:, None], 0.0)
    y = np.where(valid, second - ((second * valid).sum(axis=1) / n)[:, None], 0.0)
    spread = (x**2).sum(axis=1) * (y**2).sum(axis=1)
    floor = 1e-24 * n**2
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(spread > floor, (x * y).sum(axis=1) / np.sqrt(spread), np.nan)


def _sd(values: Floats) -> float:
    return float(values.std(ddof=1)) if len(values) > 1 else float("nan")
