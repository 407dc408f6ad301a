"""Correlations of many resamples at once.

A resample of clusters is a column of whole-number weights: how often each cluster was drawn. The
order of the values never changes, only their weights, so everything that needs sorting is done
once and each correlation becomes a few array operations over all resamples.

Rows that share their (x, y) values are one *cell*; a cell's weight in a resample is the sum of the
weights of its rows. Arrays here are `(cells, resamples)`: operations run along resamples, which lie
next to each other in memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from captious.stats.resample import Floats, Integers

# A variance below this share of the second moment is rounding noise of a constant column.
CONSTANT_SHARE = 1e-13


class InversionLevel(NamedTuple):
    """One bit of the y level, as sparse sums over clusters (see `discordant_weight`).

    A *run* is a stretch of cells whose bit is 0 and then 1; `zeros` and `ones` are `(runs,
    clusters)`. Runs belong to groups that agree in all higher bits of y: `group_zeros` is
    `(groups, clusters)` and `group_start` is each group's first run.
    """

    zeros: Any
    ones: Any
    group_zeros: Any
    group_start: Integers


@dataclass(frozen=True)
class CrossTable:
    """The cells of two columns, sorted by x and then by y, and the rows that weigh in each.

    `x_level` and `y_level` number the different values of each column from 0. Row number r of the
    data lies in cell `cell_of_row[r]` and weighs as much as cluster `cluster_of_row[r]`. All
    statistics here treat x and y alike, so y is the column with fewer different values.
    """

    x_level: Integers
    y_level: Integers
    cell_of_row: Integers
    cluster_of_row: Integers
    n_clusters: int

    @classmethod
    def build(cls, x: Floats, y: Floats, clusters: Integers, n_clusters: int) -> CrossTable:
        """Sort once; values tie when they are equal as numbers."""
        x_row, y_row = (np.unique(v, return_inverse=True)[1].astype(np.int64) for v in (x, y))
        if x_row.max(initial=0) < y_row.max(initial=0):
            x_row, y_row = y_row, x_row
        width = int(y_row.max(initial=0)) + 1
        code, cell_of_row = np.unique(x_row * width + y_row, return_inverse=True)
        return cls(code // width, code % width, cell_of_row, clusters, n_clusters)

    @cached_property
    def cells(self) -> Any:
        """Sparse `(cells, clusters)` counts of rows."""
        return self._count_rows(self.cell_of_row)

    @cached_property
    def x_levels(self) -> Any:
        """Sparse `(x levels, clusters)` counts of rows."""
        return self._count_rows(self.x_level[self.cell_of_row])

    @cached_property
    def y_levels(self) -> Any:
        """Sparse `(y levels, clusters)` counts of rows."""
        return self._count_rows(self.y_level[self.cell_of_row])

    @cached_property
    def inversion_levels(self) -> list[InversionLevel]:
        """The comparisons of `discordant_weight`, one per bit of the y level."""
        bits = int(self.y_level.max(initial=0)).bit_length()
        return [self._inversion_level(bit) for bit in range(bits)]

    def discordant_weight(self, cluster_weights: Floats) -> Floats:
        """Sum w_i w_j over row pairs with x_i < x_j and y_i > y_j, for each resample.

        Two y levels differ first in some bit. Among cells that agree in all higher bits, taken in
        order of x, a pair is discordant when a 1 comes before a 0. One cumulative sum per bit
        weighs all such pairs, so the cost is rows x resamples x log2(y levels), and whole-number
        weights are summed exactly. Cells of one x level are in order of y and never count.
        """
        total = np.zeros(cluster_weights.shape[1])
        for level in self.inversion_levels:
            zeros, ones = level.zeros @ cluster_weights, level.ones @ cluster_weights
            before = np.cumsum(ones, axis=0) - ones
            total += np.einsum("ij,ij->j", zeros, before)
            if level.group_start.size > 1:
                in_group = level.group_zeros @ cluster_weights
                total -= np.einsum("ij,ij->j", in_group, before[level.group_start])
        return total

    def _inversion_level(self, bit: int) -> InversionLevel:
        prefix, value = self.y_level >> (bit + 1), (self.y_level >> bit) & 1
        order = np.argsort(prefix, kind="stable")
        new_group = np.diff(prefix[order], prepend=-1) > 0
        falls = np.diff(value[order], prepend=0) < 0
        run_of_cell, group_of_cell = np.empty_like(order), np.empty_like(order)
        run_of_cell[order] = np.cumsum(new_group | falls) - 1
        group_of_cell[order] = np.cumsum(new_group) - 1
        run, group = run_of_cell[self.cell_of_row], group_of_cell[self.cell_of_row]
        is_zero = value[self.cell_of_row] == 0
        return InversionLevel(
            zeros=self._count_rows(run, is_zero, int(run.max()) + 1),
            ones=self._count_rows(run, ~is_zero, int(run.max()) + 1),
            group_zeros=self._count_rows(group, is_zero, int(group.max()) + 1),
            group_start=run_of_cell[order][new_group],
        )

    def _count_rows(self, bins: Integers, chosen: NDArray[np.bool_] | None = None, n_bins: int = 0) -> Any:
        from scipy.sparse import csr_array

        n_bins = n_bins or int(bins.max()) + 1
        clusters = self.cluster_of_row
        if chosen is not None:
            bins, clusters = bins[chosen], clusters[chosen]
        counts = csr_array((np.ones(bins.size), (bins, clusters)), shape=(n_bins, self.n_clusters))
        counts.sum_duplicates()
        return counts


def kendall_of_resamples(table: CrossTable, cluster_weights: Floats, variant: str) -> Floats:
    """Return Kendall's tau-b or tau-c of each resample (`variant` "b" or "c"); NaN if undefined.

    With n0 = N(N-1)/2 pairs, T_x, T_y and T_xy of them tied in x, in y and in both, and D
    discordant, concordant minus discordant is S = n0 - T_x - T_y + T_xy - 2D (Knight 1966).
    """
    cells, by_x, by_y = _weigh(table, cluster_weights)
    n = cells.sum(axis=0)
    pairs = n * (n - 1) / 2
    tied_x, tied_y, tied_both = _tied_pairs(by_x), _tied_pairs(by_y), _tied_pairs(cells)
    surplus = pairs - tied_x - tied_y + tied_both - 2 * table.discordant_weight(cluster_weights)
    with np.errstate(divide="ignore", invalid="ignore"):
        if variant == "b":
            tau = surplus / np.sqrt(pairs - tied_x) / np.sqrt(pairs - tied_y)
        else:
            classes = np.minimum(np.count_nonzero(by_x, axis=0), np.count_nonzero(by_y, axis=0))
            tau = 2 * surplus / (n**2 * (classes - 1) / classes)
    return np.where((tied_x == pairs) | (tied_y == pairs), np.nan, tau)


def spearman_of_resamples(table: CrossTable, cluster_weights: Floats) -> Floats:
    """Return Spearman's rho of each resample: Pearson's r of the resample's own midranks."""
    cells, by_x, by_y = _weigh(table, cluster_weights)
    rank_x, rank_y = _centred_midranks(by_x), _centred_midranks(by_y)
    covariance = np.einsum("ij,ij,ij->j", cells, rank_x[table.x_level], rank_y[table.y_level])
    spread_x = np.einsum("ij,ij,ij->j", by_x, rank_x, rank_x)
    spread_y = np.einsum("ij,ij,ij->j", by_y, rank_y, rank_y)
    with np.errstate(divide="ignore", invalid="ignore"):
        rho = covariance / np.sqrt(spread_x * spread_y)
    return np.where((spread_x > 0) & (spread_y > 0), np.clip(rho, -1, 1), np.nan)


def pearson_moments(x: Floats, y: Floats, clusters: Integers, n_clusters: int) -> Floats:
    """Return each cluster's count, sums, squares and products, `(clusters, 6)`.

    The columns are first centred and scaled, which changes no correlation and keeps precision.
    """
    u, v = _standardised(x), _standardised(y)
    columns = (np.ones_like(u), u, v, u * u, v * v, u * v)
    return np.stack([np.bincount(clusters, c, minlength=n_clusters) for c in columns], axis=1)


def pearson_from_moments(sums: Floats) -> Floats:
    """Return Pearson's r from summed moments `(..., 6)`; NaN where a column is constant."""
    n, sum_x, sum_y, square_x, square_y, product = np.moveaxis(sums, -1, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        spread_x, spread_y = square_x - sum_x**2 / n, square_y - sum_y**2 / n
        r = (product - sum_x * sum_y / n) / np.sqrt(spread_x * spread_y)
    varies = (spread_x > CONSTANT_SHARE * square_x) & (spread_y > CONSTANT_SHARE * square_y)
    return np.where(varies, np.clip(r, -1, 1), np.nan)


def _weigh(table: CrossTable, cluster_weights: Floats) -> tuple[Floats, Floats, Floats]:
    parts = (table.cells, table.x_levels, table.y_levels)
    cells, by_x, by_y = (np.asarray(part @ cluster_weights) for part in parts)
    return cells, by_x, by_y


def _tied_pairs(weights: Floats) -> Floats:
    squares: Floats = np.einsum("ij,ij->j", weights, weights)
    pairs: Floats = (squares - weights.sum(axis=0)) / 2
    return pairs


def _centred_midranks(by_level: Floats) -> Floats:
    upto = np.cumsum(by_level, axis=0)
    # Midrank of a level: ranks before it plus (its weight + 1) / 2; the mean rank is (N + 1) / 2.
    ranks: Floats = upto - by_level / 2 - upto[-1] / 2
    return ranks


def _standardised(column: Floats) -> Floats:
    centred = column - column.mean()
    scale = np.abs(centred).max(initial=0.0)
    scaled: Floats = centred / (scale if scale > 0 else 1.0)
    return scaled
