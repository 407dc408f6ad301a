"""From several ratings of an item to one: mean, median, vote, rounded mean, rubric total.

All take a rating matrix (items by raters, NaN for missing) and return one value per item, NaN for
items without ratings.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from captious.errors import StatisticsError
from captious.stats.ratings import Floats, as_ratings
from captious.stats.resample import DEFAULT_SEED, Seed, generator

Half = Literal["up", "down", "even"]
Ties = Literal["random", "lowest", "highest"]


def mean_rating(ratings: ArrayLike) -> Floats:
    """Return each item's mean rating.

    >>> mean_rating([[0.25, 0.50, 0.25, 0.50, 0.50, 0.50, 0.25, 0.50]])
    array([0.40625])
    """
    matrix = as_ratings(ratings)
    present = ~np.isnan(matrix)
    n = present.sum(axis=1)
    total = np.where(present, matrix, 0.0).sum(axis=1)
    return np.where(n > 0, total / np.maximum(n, 1), np.nan)


def mean_without_extremes(ratings: ArrayLike) -> Floats:
    """Return each item's mean without one lowest and one highest rating; NaN below three ratings.

    >>> mean_without_extremes([[1, 3, 4, 5], [1, 5, np.nan, np.nan]])
    array([3.5, nan])
    """
    matrix = as_ratings(ratings)
    present = ~np.isnan(matrix)
    n = present.sum(axis=1)
    total = np.where(present, matrix, 0.0).sum(axis=1)
    lowest = np.where(present, matrix, np.inf).min(axis=1, initial=np.inf)
    highest = np.where(present, matrix, -np.inf).max(axis=1, initial=-np.inf)
    enough = n > 2
    rest = np.where(enough, total, np.nan) - np.where(enough, lowest + highest, 0.0)
    means: Floats = rest / np.maximum(n - 2, 1)
    return means


def median_rating(ratings: ArrayLike) -> Floats:
    """Return each item's median rating; the mean of the middle two for an even number.

    >>> median_rating([[1, 5, 4], [2, 3, np.nan]])
    array([4. , 2.5])
    """
    matrix = as_ratings(ratings)
    n = (~np.isnan(matrix)).sum(axis=1)
    if not matrix.shape[1]:
        return np.full(len(matrix), np.nan)
    ordered = np.sort(matrix, axis=1)  # NaN sorts last
    rows = np.arange(len(matrix))
    low = ordered[rows, np.maximum(n - 1, 0) // 2]
    high = ordered[rows, np.minimum(n // 2, matrix.shape[1] - 1)]
    return np.where(n > 0, (low + high) / 2, np.nan)


def rounded_mean(ratings: ArrayLike, half: Half = "up") -> Floats:
    """Return each item's mean rating rounded to a whole number (Scott et al. 2023, 3.2 and 4.1).

    The paper does not say how to round a mean of 2.5. Here it becomes 3 (`up`), 2 (`down`) or the even
    neighbour (`even`, as in Python's `round`).

    >>> rounded_mean([[2, 3], [1, 1]]), rounded_mean([[2, 3]], half="even")
    (array([3., 1.]), array([2.]))
    """
    means = mean_rating(ratings)
    if half == "up":
        return np.floor(means + 0.5)
    if half == "down":
        return np.ceil(means - 0.5)
    if half == "even":
        return np.round(means)
    raise StatisticsError(f"half: {half!r} is not one of up, down, even.")


def vote(ratings: ArrayLike, *, ties: Ties = "random", seed: Seed = DEFAULT_SEED) -> Floats:
    """Return each item's most frequent rating (Ruiz et al. 2024, 2.2: a tie is broken at random).

    >>> vote([[1, 1, 3], [2, 5, 5]])
    array([1., 5.])
    >>> vote([[1, 3]], ties="highest")
    array([3.])
    """
    if ties not in ("random", "lowest", "highest"):
        raise StatisticsError(f"ties: {ties!r} is not one of random, lowest, highest.")
    # Sorted, so that the draw does not depend on the order of the raters.
    matrix = np.sort(as_ratings(ratings), axis=1)
    if not matrix.size:
        return np.full(len(matrix), np.nan)
    alike = np.zeros(matrix.shape, dtype=np.int64)
    for rater in range(matrix.shape[1]):
        alike += matrix == matrix[:, [rater]]
    most = alike == alike.max(axis=1, keepdims=True)
    # Tied categories have equally many ratings, so a random one of theirs is a random category.
    if ties == "random":
        chosen = np.where(most, generator(seed).random(matrix.shape), -1.0).argmax(axis=1)
    elif ties == "lowest":
        chosen = most.argmax(axis=1)
    else:
        chosen = np.where(most, np.arange(matrix.shape[1]), -1).argmax(axis=1)
    return np.asarray(matrix[np.arange(len(matrix)), chosen], dtype=np.float64)


def rubric_total(
    scores: Mapping[str, ArrayLike],
    penalties: Mapping[str, ArrayLike] | None = None,
    *,
    weights: Mapping[str, float] | None = None,
) -> Floats:
    """Return sum_a w_a score_a - sum_q w_q penalty_q, the total of a rubric (Kasai et al. 2022).

    Without `weights` the scores are averaged and each penalty counts fully: THumB's mean of
    precision and recall minus penalties (2.2). With `weights`, each score needs a weight, and a
    penalty without one counts fully. The paper (3.1) suggests adjusting weights to the application,
    for instance more weight on recall for social media. Penalties are amounts to subtract, 0 or more.

    >>> rubric_total({"P": [5], "R": [4]}, {"fluency": [0.1]})
    array([4.4])
    >>> rubric_total({"P": [5], "R": [4]}, weights={"P": 0.25, "R": 0.75})
    array([4.25])
    """
    if not scores:
        raise StatisticsError("scores: none given. Give at least one aspect.")
    taken = penalties or {}
    given = weights if weights is not None else dict.fromkeys(scores, 1 / len(scores))
    _require_weights(given, scores, taken)
    columns = {name: _column(name, values) for name, values in (*scores.items(), *taken.items())}
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        shown = ", ".join(f"{name} {length}" for name, length in lengths.items())
        raise StatisticsError(f"aspects differ in length: {shown}. Give one value per item.")
    total = np.zeros(next(iter(lengths.values())))
    for name in scores:
        total += given[name] * columns[name]
    for name in taken:
        if (columns[name] < 0).any():
            raise StatisticsError(
                f"penalty {name!r}: {columns[name].min():g} is negative. "
                "Give the amount to subtract, without the sign."
            )
        total -= given.get(name, 1.0) * columns[name]
    return total


def _column(name: str, values: ArrayLike) -> Floats:
    try:
        return as_ratings(np.atleast_2d(np.asarray(values))).ravel()
    except StatisticsError as error:
        raise StatisticsError(f"aspect {name!r}: {error}") from error


def _require_weights(
    weights: Mapping[str, float], scores: Mapping[str, ArrayLike], taken: Mapping[str, ArrayLike]
) -> None:
    missing = [name for name in scores if name not in weights]
    if missing:
        raise StatisticsError(f"weights: none for {', '.join(missing)}. Weigh every score.")
    unknown = [name for name in weights if name not in scores and name not in taken]
    if unknown:
        raise StatisticsError(f"weights: no aspect is called {', '.join(unknown)}.")
    clash = [name for name in taken if name in scores]
    if clash:
        raise StatisticsError(f"{clash[0]!r} is both a score and a penalty. Use different names.")
