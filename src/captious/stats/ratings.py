"""Ratings as a matrix, items by raters, and as the distinct rows of that matrix.

Every agreement coefficient takes a float matrix with one row per item, one column per rater, and NaN
if a rater did not rate an item. A rating scale has few values, so there are few distinct rows: 5,822
items rated 1 to 4 by three raters have at most 64. `Patterns` keeps the distinct rows once, and a
coefficient is a function of how often each occurs; resampling the items only changes those weights.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from captious.errors import StatisticsError, one_line

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

MISSING = -1


class RatingMatrix(NamedTuple):
    """Ratings `values[item, rater]` with the names of its rows and columns; NaN is missing."""

    values: Floats
    items: list[Hashable]
    raters: list[Hashable]


class Patterns(NamedTuple):
    """Distinct rows of ratings: `codes[p, rater]` indexes `categories`, -1 where missing.

    `of_item[i]` is the row of `codes` that item `i` has; `codes_of_items` rebuilds the matrix.
    """

    codes: Integers
    categories: Floats
    of_item: Integers

    @property
    def frequencies(self) -> Floats:
        """How many items have each pattern."""
        return np.bincount(self.of_item, minlength=len(self.codes)).astype(np.float64)

    @property
    def counts(self) -> CategoryCounts:
        """How many ratings of each category each pattern holds."""
        return CategoryCounts(self.codes, len(self.categories))


class CategoryCounts:
    """How many ratings of each category each row of codes holds: n_pc, row p and category c.

    Kept sparse: ratings on a slider have nearly as many categories as there are ratings.
    """

    def __init__(self, codes: Integers, n_categories: int) -> None:
        from scipy.sparse import csr_array

        rows, columns = np.nonzero(codes != MISSING)
        shape = (len(codes), n_categories)
        self._counts = csr_array((np.ones(len(rows)), (rows, codes[rows, columns])), shape=shape)
        self._counts.sum_duplicates()
        self.rated: Floats = np.asarray(self._counts.sum(axis=1), dtype=np.float64).reshape(-1)
        self.squares: Floats = np.asarray(self._counts.power(2).sum(axis=1), dtype=np.float64).reshape(-1)

    def totals(self, weights: Floats) -> Floats:
        """Return sum_p w_bp n_pc: the categories' totals under each row of weights."""
        return np.ascontiguousarray((self._counts.T @ weights.T).T)

    def row_sums(self, values: Floats) -> Floats:
        """Return sum_c n_pc v_bc, rows p by value sets b."""
        return np.asarray(self._counts @ values.T, dtype=np.float64)


def as_ratings(ratings: ArrayLike, scale: tuple[float, float] | None = None) -> Floats:
    """Check and return a rating matrix; `scale=(low, high)` also refuses values outside it.

    >>> as_ratings([[1, 2], [3, None]])
    array([[ 1.,  2.],
           [ 3., nan]])
    """
    try:
        matrix = np.array(ratings, dtype=np.float64)
    except (TypeError, ValueError) as error:
        reason = one_line(str(error))
        raise StatisticsError(
            f"ratings: not a matrix of numbers ({reason}). Give items by raters, NaN for missing."
        ) from error
    if matrix.ndim != 2:
        raise StatisticsError(
            f"ratings: expected items by raters, found shape {matrix.shape}. "
            "Build the matrix with rating_matrix(items, raters, values)."
        )
    if np.isinf(matrix).any():
        row, column = np.argwhere(np.isinf(matrix))[0]
        raise StatisticsError(
            f"ratings: item {row}, rater {column} is infinite. Use NaN for a missing rating."
        )
    if scale is not None:
        _require_scale(matrix, scale)
    return matrix


def rating_matrix(
    items: Sequence[Hashable],
    raters: Sequence[Hashable],
    values: Sequence[float] | Floats,
    scale: tuple[float, float] | None = None,
) -> RatingMatrix:
    """Build the matrix from long columns: one (item, rater, value) per row, in any order.

    Items and raters keep the order of their first appearance.

    >>> rating_matrix(["a", "a", "b"], ["x", "y", "y"], [1, 2, 4]).values
    array([[ 1.,  2.],
           [nan,  4.]])
    """
    if not len(items) == len(raters) == len(values):
        raise StatisticsError(
            f"columns differ in length: {len(items)} items, {len(raters)} raters, "
            f"{len(values)} values. Give one of each per rating."
        )
    item_names, item_of = number(items)
    rater_names, rater_of = number(raters)
    try:
        numbers = np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise StatisticsError(
            f"values: not numbers ({one_line(str(error))}). Map labels to numbers first."
        ) from error
    cells = item_of * len(rater_names) + rater_of
    distinct, first = np.unique(cells, return_index=True)
    if len(distinct) < len(cells):
        again = int(np.setdiff1d(np.arange(len(cells)), first)[0])
        raise StatisticsError(
            f"row {again}: rater {one_line(str(raters[again]))!r} rates item "
            f"{one_line(str(items[again]))!r} again. Keep one, or use a different rater name for each stage."
        )
    matrix = np.full((len(item_names), len(rater_names)), np.nan)
    matrix.ravel()[cells] = numbers
    return RatingMatrix(as_ratings(matrix, scale), item_names, rater_names)


def merge_categories(ratings: ArrayLike, merged: Mapping[float, float]) -> Floats:
    """Merge categories: `{5: 4}` turns every 5 into a 4.

    >>> merge_categories([[4, 5], [1, 5]], {5: 4})
    array([[4., 4.],
           [1., 4.]])
    """
    matrix = as_ratings(ratings)
    result = matrix.copy()
    for old, new in merged.items():
        result[matrix == old] = new
    return result


def patterns(ratings: ArrayLike, categories: Iterable[float] | None = None) -> Patterns:
    """Find the distinct rows of a rating matrix; a value outside `categories` is an error.

    >>> found = patterns([[1, 2], [1, 2], [4, np.nan]])
    >>> found.codes.tolist(), found.categories.tolist(), found.of_item.tolist()
    ([[0, 1], [2, -1]], [1.0, 2.0, 4.0], [0, 0, 1])
    """
    matrix = as_ratings(ratings)
    present = ~np.isnan(matrix)
    observed = np.unique(matrix[present])
    if categories is None:
        known = observed
    else:
        known = np.unique(np.asarray(list(categories), dtype=np.float64))
        strange = np.setdiff1d(observed, known)
        if len(strange):
            raise StatisticsError(
                f"ratings: {strange[0]:g} is not one of the categories "
                f"{', '.join(f'{value:g}' for value in known)}."
            )
    codes = np.full(matrix.shape, MISSING, dtype=np.int64)
    codes[present] = np.searchsorted(known, matrix[present])
    if not codes.size:
        return Patterns(codes[:0], known, np.zeros(0, dtype=np.int64))
    distinct, of_item = np.unique(codes, axis=0, return_inverse=True)
    return Patterns(distinct, known, of_item.reshape(-1))


def complete_rows(ratings: ArrayLike) -> NDArray[np.bool_]:
    """Return which items every rater rated."""
    rated = ~np.isnan(as_ratings(ratings))
    return np.asarray(rated.all(axis=1), dtype=np.bool_)


def number(names: Sequence[Hashable]) -> tuple[list[Hashable], Integers]:
    """Number names by first appearance: `["b", "a", "b"]` gives `["b", "a"]` and 0, 1, 0."""
    positions: dict[Hashable, int] = {}
    index = [positions.setdefault(name, len(positions)) for name in names]
    return list(positions), np.array(index, dtype=np.int64)


def _require_scale(matrix: Floats, scale: tuple[float, float]) -> None:
    low, high = scale
    outside = (matrix < low) | (matrix > high)
    if outside.any():
        row, column = np.argwhere(outside)[0]
        raise StatisticsError(
            f"ratings: item {row}, rater {column} is {matrix[row, column]:g}, outside the scale "
            f"{low:g} to {high:g}. Correct the value or the scale."
        )
