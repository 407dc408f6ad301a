"""Checks of input columns, and labels as numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from captious.errors import StatisticsError
from captious.stats.resample import Floats, Integers


@dataclass(frozen=True)
class Labels:
    """Labels numbered from 0 in sorted order."""

    index: Integers
    names: NDArray[np.generic]

    @property
    def count(self) -> int:
        """How many different labels there are."""
        return len(self.names)


def number_labels(labels: ArrayLike, n: int, name: str) -> Labels:
    """Number labels (image ids, system names) from 0; refuse a wrong length.

    >>> number_labels(["b", "a", "b"], 3, "groups").index
    array([1, 0, 1])
    """
    values = np.asarray(labels)
    if values.shape != (n,):
        raise StatisticsError(f"{name}: {values.shape} labels for {n} rows. Give one per row.")
    if np.issubdtype(values.dtype, np.floating) and np.isnan(values).any():
        raise StatisticsError(f"{name}: a label is NaN. Give every row a label.")
    names, index = np.unique(values, return_inverse=True)
    return Labels(index.astype(np.int64), names)


def finite_pair(x: ArrayLike, y: ArrayLike) -> tuple[Floats, Floats]:
    """Return two float columns of one length; refuse NaN and infinity, saying how many."""
    columns = []
    for name, values in (("x", x), ("y", y)):
        column = np.asarray(values, dtype=np.float64)
        if column.ndim != 1:
            raise StatisticsError(f"{name}: expected one column, found shape {column.shape}.")
        bad = int(np.count_nonzero(~np.isfinite(column)))
        if bad:
            raise StatisticsError(
                f"{name}: {bad} of {column.size} values are NaN or infinite. "
                "Drop those rows from both columns first."
            )
        columns.append(column)
    if columns[0].size != columns[1].size:
        raise StatisticsError(
            f"x has {columns[0].size} values and y {columns[1].size}. Give one pair per row."
        )
    return columns[0], columns[1]


def undefined_reason(x: Floats, y: Floats) -> str:
    """Say why a correlation of these columns is undefined; "" if it is defined.

    >>> undefined_reason(np.array([1.0, 1.0]), np.array([1.0, 2.0]))
    'x is constant'
    """
    if x.size < 2:
        return f"fewer than two rows ({x.size})"
    constant = [name for name, column in (("x", x), ("y", y)) if (column == column[0]).all()]
    if constant:
        return f"{' and '.join(constant)} {'is' if len(constant) == 1 else 'are'} constant"
    return ""
