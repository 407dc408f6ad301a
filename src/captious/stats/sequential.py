"""When to stop collecting: confidence sequences for the mean of bounded values.

If a 95% interval is computed again after each answer, and the study ends once it is narrow, it misses
the mean in far more than 5% of studies. A confidence sequence is valid at all times at once, so you may
look at it as often as you like (Waudby-Smith and Ramdas 2024, Estimating means of bounded random
variables by betting, JRSS B 86(1)).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from captious.errors import StatisticsError
from captious.stats.estimate import Clusters
from captious.stats.ratings import Floats, number
from captious.stats.resample import require_level

GRID = 1000
TRUNCATION = 0.5  # c of Waudby-Smith and Ramdas, section 4.2: a bet risks half of the capital at most


@dataclass(frozen=True)
class Sequential:
    """The mean of `n` clusters with an interval that is valid at every look."""

    value: float
    low: float
    high: float
    level: float
    n: int

    @property
    def half_width(self) -> float:
        """Half of the interval's width."""
        return (self.high - self.low) / 2


def confidence_sequence(
    values: ArrayLike, *, bounds: tuple[float, float] = (0.0, 1.0), level: float = 0.95, grid: int = GRID
) -> tuple[Floats, Floats]:
    """Return the lower and upper limits after each value: the hedged capital confidence sequence.

    With x scaled to [0, 1], a candidate m for the mean is excluded once a bettor against it has
    multiplied the capital by 1/alpha:

    K_t(m) = max(prod(1 + l_i+ (x_i - m)), prod(1 - l_i- (x_i - m))) / 2 >= 1 / alpha

    with the bets of the paper's equation 26, l_t = sqrt(2 log(2/alpha) / (v_{t-1} t log(t + 1))), cut to
    c/m and c/(1 - m), where v_t = (1/4 + sum (x_i - a_i)^2) / (t + 1) and a_t = (1/2 + sum x_i) / (t + 1).
    By Ville's inequality P(some t: the mean is excluded) <= alpha. The limits are rounded outward to
    a grid and only ever move inward. The order of the values must not depend on the values.

    >>> low, high = confidence_sequence([0.5] * 200)
    >>> bool(low[0] == 0 and high[0] == 1 and 0.4 < low[-1] < 0.5 < high[-1] < 0.6)
    True
    """
    scaled = _scaled(values, bounds)
    require_level(level)
    alpha = 1 - level
    bets = _bets(scaled, alpha)
    means = np.linspace(0.0, 1.0, grid + 1)
    with np.errstate(divide="ignore"):
        most_up, most_down = TRUNCATION / means, TRUNCATION / (1 - means)
    up, down = np.zeros(grid + 1), np.zeros(grid + 1)
    limit = np.log(2 / alpha)
    lows, highs = np.empty(len(scaled)), np.empty(len(scaled))
    low, high = 0, grid
    for at, (x, bet) in enumerate(zip(scaled, bets, strict=True)):
        up += np.log1p(np.minimum(bet, most_up) * (x - means))
        down += np.log1p(-np.minimum(bet, most_down) * (x - means))
        kept = np.flatnonzero((up < limit) & (down < limit))
        if len(kept):
            # One step outward: the limit lies between the last mean left out and the first one kept.
            low, high = max(low, int(kept[0]) - 1), min(high, int(kept[-1]) + 1)
        lows[at], highs[at] = means[low], means[high]
    least, most = bounds
    return least + lows * (most - least), least + highs * (most - least)


def _bets(scaled: Floats, alpha: float) -> Floats:
    """What is bet on each value, from the values before it; along the last axis."""
    t = np.arange(1, scaled.shape[-1] + 1)
    centres = (0.5 + np.cumsum(scaled, axis=-1)) / (t + 1)
    spreads = (0.25 + np.cumsum((scaled - centres) ** 2, axis=-1)) / (t + 1)
    before = np.concatenate([np.full((*scaled.shape[:-1], 1), 0.25), spreads[..., :-1]], axis=-1)
    bets: Floats = np.sqrt(2 * np.log(2 / alpha) / (before * t * np.log(t + 1)))
    return bets


def left_out_after(
    values: ArrayLike, mean: float, *, bounds: tuple[float, float] = (0.0, 1.0), level: float = 0.95
) -> NDArray[np.int64]:
    """After how many values the confidence sequence leaves a mean out; 0 where it never does.

    Values run along the last axis; each row is a sequence of its own. The same capital as that of
    `confidence_sequence`, of one candidate for the mean and without its grid.

    >>> left_out_after([[1.0] * 40, [0.0, 1.0] * 20], 0.5).tolist()
    [10, 0]
    """
    rows = np.atleast_2d(np.asarray(values, dtype=np.float64))
    require_level(level)
    if not rows.shape[-1]:
        return np.zeros(len(rows), dtype=np.int64)
    scaled = _scaled(rows, bounds).reshape(rows.shape)
    m = (mean - bounds[0]) / (bounds[1] - bounds[0])
    alpha = 1 - level
    bets = _bets(scaled, alpha)
    up = np.cumsum(np.log1p(np.minimum(bets, TRUNCATION / m if m else np.inf) * (scaled - m)), axis=-1)
    most_down = TRUNCATION / (1 - m) if m < 1 else np.inf
    down = np.cumsum(np.log1p(-np.minimum(bets, most_down) * (scaled - m)), axis=-1)
    out = np.maximum(up, down) >= np.log(2 / alpha)
    return np.where(out.any(axis=-1), out.argmax(axis=-1) + 1, 0).astype(np.int64)


def sequential_mean(
    values: ArrayLike,
    *,
    clusters: Clusters = None,
    bounds: tuple[float, float] = (0.0, 1.0),
    level: float = 0.95,
) -> Sequential:
    """Return the mean with an interval that is valid however often you look at it.

    Values of one cluster (answers about one image) are averaged first, and clusters come in the order
    of their first value: the mean is over clusters.

    >>> found = sequential_mean([-1, 0, 0, 1] * 50, clusters=[at // 2 for at in range(200)], bounds=(-1, 1))
    >>> found.n, found.value, found.low < 0 < found.high
    (100, 0.0, True)
    """
    given = np.asarray(values, dtype=np.float64).ravel()
    if clusters is not None:
        if len(clusters) != len(given):
            raise StatisticsError(f"clusters: {len(clusters)} for {len(given)} values.")
        given = _means(given, np.asarray(number(clusters)[1]))
    if not len(given):
        require_level(level)
        return Sequential(float("nan"), bounds[0], bounds[1], level, 0)
    low, high = confidence_sequence(given, bounds=bounds, level=level)
    return Sequential(float(given.mean()), float(low[-1]), float(high[-1]), level, len(given))


def _means(values: Floats, index: np.ndarray) -> Floats:
    sums, counts = np.bincount(index, weights=values), np.bincount(index)
    order = list(dict.fromkeys(index.tolist()))
    means: Floats = (sums / counts)[order]
    return means


def _scaled(values: ArrayLike, bounds: tuple[float, float]) -> Floats:
    found = np.asarray(values, dtype=np.float64).ravel()
    low, high = bounds
    if not low < high:
        raise StatisticsError(f"bounds: {low:g} to {high:g} is empty. Give (lowest, highest).")
    outside = ~((found >= low) & (found <= high))
    if outside.any():
        raise StatisticsError(
            f"{int(outside.sum())} values are not from {low:g} to {high:g}. Give their bounds."
        )
    scaled: Floats = (found - low) / (high - low)
    return scaled
