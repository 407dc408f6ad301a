"""How many items and raters a study needs, by simulating studies from a pilot.

The pilot is split into what items, raters and chance contribute; simulated studies draw these
contributions anew. Drawing the pilot's ratings themselves would count the noise of its few ratings
per item as variance of the items: more raters would then hardly seem to help. The drawn
contributions are therefore scaled to the variance components (Shavelson and Webb 1991), estimated
from mean squares.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from captious.errors import StatisticsError
from captious.stats.ratings import Floats, as_ratings
from captious.stats.resample import (
    DEFAULT_RESAMPLES,
    DEFAULT_SEED,
    Seed,
    chunk_rows,
    generator,
    require_level,
    require_positive,
)

USUAL_POWER = 0.8
LARGEST = 1e9  # no scale of ratings is wider
_NORMAL = 2000  # values that stand for a normal distribution
Design = Literal["nested", "crossed"]
Progress = Callable[[int, int], None]


class Components(NamedTuple):
    """The components of a pilot: its mean, and values to draw for items, raters and the residual.

    The (population) variance of each array is that source's variance component.
    """

    mean: float
    items: Floats
    raters: Floats
    residuals: Floats


class PlannedStudy(NamedTuple):
    """What studies of this size would find.

    `half_width`: expected half width of the study's own interval (t, over items); `spread`: half
    the range that contains `level` of the studies' means; `coverage`: the share of studies whose
    interval contains the true mean; `power`: the share whose interval lies entirely above `against`;
    `detectable`: the mean that 80% of such studies would show to lie above `against`.
    """

    n_items: int
    n_raters: int
    half_width: float
    spread: float
    coverage: float
    power: float
    detectable: float = float("nan")

    @property
    def n_ratings(self) -> int:
        """How many ratings the study collects."""
        return self.n_items * self.n_raters


def plan_study(
    pilot: ArrayLike | Components,
    n_items: Iterable[int],
    n_raters: Iterable[int],
    *,
    design: Design = "nested",
    against: float = 0.0,
    mean: float | None = None,
    simulations: int = DEFAULT_RESAMPLES,
    level: float = 0.95,
    seed: Seed = DEFAULT_SEED,
    progress: Progress | None = None,
) -> tuple[PlannedStudy, ...]:
    """Simulate studies of each size from a pilot of ratings, or of differences between systems.

    For the power to show that A beats B, the pilot contains A's rating minus B's for the same item by
    the same rater (or head-to-head preferences), and `against` is 0. `nested`: every item has its own
    raters, or it is unknown who rated. `crossed`: the same raters rate all items; their strictness adds
    to `spread` but not to an interval over items, so `coverage` falls. `mean` replaces the pilot's mean
    with an assumed one (the smallest effect to detect). `progress(done, total)` is called after each
    size. Instead of a pilot you can pass components from `variance_components` or `assumed_components`.

    >>> pilot = [[1, 2], [3, 3], [2, 4], [5, 4]]
    >>> few, many = plan_study(pilot, [20, 80], [2], simulations=200)
    >>> few.half_width > many.half_width
    True
    """
    require_positive(simulations, "simulations")
    require_level(level)
    sizes = [(n, m) for n in n_items for m in n_raters]
    for n, m in sizes:
        if n < 2 or m < 1:
            raise StatisticsError(
                f"{n} items by {m} raters is not a study. Give at least 2 items and 1 rater."
            )
    if isinstance(pilot, Components):
        parts = pilot
    else:
        parts = variance_components(pilot, design, several_raters=any(m > 1 for _, m in sizes))
    if mean is not None:
        parts = parts._replace(mean=mean)
    rng = generator(seed)
    found = []
    for done, (n, m) in enumerate(sizes, start=1):
        means, errors = _simulate(parts, n, m, simulations, rng)
        found.append(_planned(means, errors, (n, m), (parts.mean, against), level))
        if progress is not None:
            progress(done, len(sizes))
    return tuple(found)


def smallest_study(
    plans: Sequence[PlannedStudy], *, half_width: float = np.inf, power: float = 0.0
) -> PlannedStudy | None:
    """Return the plan with the fewest ratings that reaches the goals, or None.

    Of equals, the one with fewer raters per item.

    >>> smallest_study([PlannedStudy(50, 2, 0.2, 0.2, 0.95, 0.6)], power=0.8) is None
    True
    """
    good = [plan for plan in plans if plan.half_width <= half_width and plan.power >= power]
    return min(good, key=lambda plan: (plan.n_ratings, plan.n_raters), default=None)


def variance_components(
    pilot: ArrayLike, design: Design = "nested", *, several_raters: bool = True
) -> Components:
    """Split the variance of a pilot into items, raters (crossed only) and residual.

    Negative estimates of a variance count as 0. A nested pilot with one rating per item cannot
    separate items from noise: it serves only for studies with one rating per item (`several_raters=False`).

    >>> parts = variance_components([[1, 3], [5, 7]])
    >>> parts.mean, round(float(parts.items.var()), 3), round(float(parts.residuals.var()), 3)
    (4.0, 7.0, 2.0)
    """
    matrix = as_ratings(pilot)
    if design == "nested":
        return _nested(matrix, several_raters)
    if design == "crossed":
        return _crossed(matrix)
    raise StatisticsError(f"design: {design!r} is not one of nested, crossed.")


def assumed_components(mean: float, sd_items: float, sd_ratings: float) -> Components:
    """Normal items and ratings with given standard deviations, instead of a pilot.

    `sd_items` is that of the items' true means, `sd_ratings` that of the ratings of one item.

    >>> parts = assumed_components(0.2, 0.5, 1.0)
    >>> round(float(parts.items.std()), 3), round(float(parts.residuals.std()), 3)
    (0.5, 1.0)
    """
    from scipy.special import ndtri

    if sd_items < 0 or sd_ratings < 0:
        raise StatisticsError("a standard deviation is negative. Give 0 or more.")
    largest = max(abs(mean), sd_items, sd_ratings)
    if not largest <= LARGEST:
        raise StatisticsError(
            f"a mean or standard deviation is {largest:g}. Give at most {LARGEST:,.0f}, as ratings are."
        )
    normal = np.asarray(ndtri((np.arange(_NORMAL) + 0.5) / _NORMAL))
    return Components(mean, _scaled(normal, sd_items**2), np.zeros(1), _scaled(normal, sd_ratings**2))


def _nested(matrix: Floats, several_raters: bool) -> Components:
    present = ~np.isnan(matrix)
    k = present.sum(axis=1)
    matrix, present, k = matrix[k > 0], present[k > 0], k[k > 0]
    if len(matrix) < 2:
        raise StatisticsError("pilot: fewer than two rated items. Rate more before planning.")
    item_means = np.where(present, matrix, 0.0).sum(axis=1) / k
    grand = float(item_means.mean())
    freedom = int((k - 1).sum())
    spread = float(item_means.var(ddof=1))
    if not freedom:
        if several_raters:
            raise StatisticsError(
                "pilot: with one rating per item, items and noise cannot be separated. "
                "Collect two ratings of some items, or plan for one rater."
            )
        return Components(grand, _scaled(item_means, spread), np.zeros(1), np.zeros(1))
    residuals = (matrix - item_means[:, None])[present & (k > 1)[:, None]]
    noise = float((residuals**2).sum() / freedom)
    items = max(0.0, spread - noise * float((1 / k).mean()))
    return Components(grand, _scaled(item_means, items), np.zeros(1), _scaled(residuals, noise))


def _crossed(matrix: Floats) -> Components:
    complete = matrix[~np.isnan(matrix).any(axis=1)]
    n, k = complete.shape
    if n < 2 or k < 2:
        raise StatisticsError(
            f"pilot: {n} items were rated by all {k} raters; a crossed design needs at least two of each."
            ' Use design="nested".'
        )
    grand = complete.mean()
    of_items, of_raters = complete.mean(axis=1) - grand, complete.mean(axis=0) - grand
    residuals = complete - grand - of_items[:, None] - of_raters[None, :]
    noise = float((residuals**2).sum() / ((n - 1) * (k - 1)))
    items = max(0.0, float(of_items.var(ddof=1)) - noise / k)
    raters = max(0.0, float(of_raters.var(ddof=1)) - noise / n)
    return Components(
        float(grand), _scaled(of_items, items), _scaled(of_raters, raters), _scaled(residuals.ravel(), noise)
    )


def _scaled(values: Floats, variance: float) -> Floats:
    """Centre values and scale them to a population variance; zeros where they do not vary."""
    centred = values - values.mean()
    now = float(centred.var())
    return centred * np.sqrt(variance / now) if now > 0 else np.zeros_like(centred)


def _planned(
    means: Floats, errors: Floats, size: tuple[int, int], true_and_against: tuple[float, float], level: float
) -> PlannedStudy:
    from scipy.special import stdtrit

    n, m = size
    true, against = true_and_against
    halves = errors * float(stdtrit(n - 1, (1 + level) / 2))
    low, high = np.quantile(means, ((1 - level) / 2, (1 + level) / 2))
    return PlannedStudy(
        n_items=n,
        n_raters=m,
        half_width=float(halves.mean()),
        spread=float(high - low) / 2,
        coverage=float((np.abs(means - true) <= halves).mean()),
        power=float((means - halves > against).mean()),
        # Means move with the true mean: P(mean + d - half > against) = 0.8 at the 80% point.
        detectable=against + float(np.quantile(halves - (means - true), USUAL_POWER)),
    )


def _simulate(
    parts: Components, n: int, m: int, simulations: int, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Return the means and standard errors (over items) of simulated studies."""
    rows = chunk_rows(3 * n * m)
    means, errors = [], []
    for start in range(0, simulations, rows):
        s = min(rows, simulations - start)
        item_means = parts.mean + rng.choice(parts.items, (s, n))
        item_means += rng.choice(parts.raters, (s, m)).mean(axis=1)[:, None]
        item_means += rng.choice(parts.residuals, (s, n, m)).mean(axis=2)
        means.append(item_means.mean(axis=1))
        errors.append(item_means.std(axis=1, ddof=1) / np.sqrt(n))
    return np.concatenate(means), np.concatenate(errors)
