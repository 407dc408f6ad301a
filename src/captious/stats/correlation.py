"""Correlation of a metric's scores with human judgments.

Five coefficients, three levels of averaging. A coefficient of a constant column, or of fewer than two
rows, is NaN, and the result gives the reason. NaN or infinite *input* is refused with a count.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, cast, get_args

import numpy as np
from numpy.typing import ArrayLike

from captious.errors import StatisticsError
from captious.stats.columns import Labels, finite_pair, number_labels, undefined_reason
from captious.stats.kendall import count_finite_pairs, tau_b, tau_c
from captious.stats.resample import Floats, chunk_rows

Method = Literal["pearson", "spearman", "kendall_b", "kendall_c", "kendall_weighted"]
Level = Literal["item", "system", "image"]

METHODS: tuple[Method, ...] = get_args(Method)
# All pairs at once is faster than sorting up to about here.
SMALL_SAMPLE = 64


class Correlation(NamedTuple):
    """A correlation and how it was computed.

    `n` counts what the coefficient is based on: rows, systems or images. `skipped` counts images left
    out because the coefficient is undefined within them. `reason` says why a value is NaN.
    """

    value: float
    n: int
    method: str
    level: str
    skipped: int = 0
    reason: str = ""


def pearson(x: ArrayLike, y: ArrayLike) -> float:
    """Return Pearson's r: the covariance over the product of standard deviations (Pearson 1895).

    >>> round(pearson([1, 2, 3, 4], [1, 3, 2, 4]), 6)
    0.8
    """
    return _coefficient(*finite_pair(x, y), "pearson")


def spearman(x: ArrayLike, y: ArrayLike) -> float:
    """Return Spearman's rho: Pearson's r of midranks, so ties share a rank (Spearman 1904).

    >>> round(spearman([1, 2, 3, 40], [1, 3, 2, 4]), 6)
    0.8
    """
    return _coefficient(*finite_pair(x, y), "spearman")


def kendall_b(x: ArrayLike, y: ArrayLike) -> float:
    """Return Kendall's tau-b, (C - D) / sqrt((n0 - T_x)(n0 - T_y)) (Kendall 1945).

    n0 is the number of pairs, T_x and T_y are those tied in x and in y.

    >>> round(kendall_b([1, 2, 3, 3], [1, 3, 2, 4]), 6)  # (4 - 1) / sqrt(5 * 6)
    0.547723
    """
    return _coefficient(*finite_pair(x, y), "kendall_b")


def kendall_c(x: ArrayLike, y: ArrayLike) -> float:
    """Return Stuart's tau-c, 2 (C - D) / (n^2 (m - 1) / m) (Stuart 1953).

    m is the smaller number of different values of the two columns. Most papers on caption metrics
    report this variant, times 100.

    >>> round(kendall_c([1, 2, 3, 3], [1, 3, 2, 4]), 6)  # 2 * 3 / (16 * 2 / 3)
    0.5625
    """
    return _coefficient(*finite_pair(x, y), "kendall_c")


def kendall_weighted_tau(x: ArrayLike, y: ArrayLike) -> float:
    """Return Vigna's additive hyperbolic tau, which weights exchanges near the top more (Vigna 2015).

    SciPy's `weightedtau` with its defaults: the mean of ranking by x and ranking by y.

    >>> round(kendall_weighted_tau([1, 2, 3, 4], [1, 3, 2, 4]), 6)
    0.733333
    """
    return _coefficient(*finite_pair(x, y), "kendall_weighted")


def correlate(
    x: ArrayLike,
    y: ArrayLike,
    *,
    method: Method = "kendall_c",
    level: Level = "item",
    groups: ArrayLike | None = None,
) -> Correlation:
    """Correlate two columns row by row, by system, or within each image.

    - `level="item"`: all rows pooled.
    - `level="system"`: x and y are averaged per system (`groups`), then correlated.
    - `level="image"`: correlated within each image (`groups`), then averaged over the images where
      the coefficient is defined; the others are counted in `skipped`.

    >>> correlate([1, 2, 3, 1, 2], [1, 2, 4, 5, 5], method="pearson", level="image",
    ...           groups=["a", "a", "a", "b", "b"])
    Correlation(value=0.98..., n=1, method='pearson', level='image', skipped=1, reason='')
    """
    require_method(method)
    a, b = finite_pair(x, y)
    if level == "item":
        return Correlation(_coefficient(a, b, method), a.size, method, level, 0, undefined_reason(a, b))
    labels = required_groups(groups, a.size, level)
    if level == "system":
        a, b = group_means(a, labels), group_means(b, labels)
        return Correlation(_coefficient(a, b, method), a.size, method, level, 0, undefined_reason(a, b))
    if level != "image":
        raise StatisticsError(f'level: unknown "{level}". Give "item", "system" or "image".')
    within = within_groups(a, b, labels, method)
    defined = within[~np.isnan(within)]
    skipped = within.size - defined.size
    if defined.size == 0:
        reason = f"undefined within all {within.size} images"
        return Correlation(float("nan"), 0, method, level, skipped, reason)
    return Correlation(float(defined.mean()), defined.size, method, level, skipped)


def require_method(method: str) -> None:
    """Refuse a coefficient that does not exist."""
    if method not in METHODS:
        raise StatisticsError(f'method: unknown "{method}". Give one of {", ".join(METHODS)}.')


def required_groups(groups: ArrayLike | None, n: int, level: str) -> Labels:
    """Number the groups that a level needs; refuse to go on without."""
    if groups is None:
        raise StatisticsError(f'groups: level "{level}" needs one {level} label per row.')
    return number_labels(groups, n, "groups")


def group_means(column: Floats, labels: Labels) -> Floats:
    """Average a column within each group."""
    totals = np.bincount(labels.index, column, minlength=labels.count)
    means: Floats = totals / np.bincount(labels.index, minlength=labels.count)
    return means


def within_groups(x: Floats, y: Floats, labels: Labels, method: Method) -> Floats:
    """Return the coefficient within each group, NaN where it is undefined.

    Groups of one size are computed together.
    """
    order = np.argsort(labels.index, kind="stable")
    sizes = np.bincount(labels.index, minlength=labels.count)
    starts = np.cumsum(sizes) - sizes
    values = np.full(labels.count, np.nan)
    for size in np.unique(sizes[sizes >= 2]):
        chosen = np.flatnonzero(sizes == size)
        rows = order[starts[chosen][:, None] + np.arange(size)]
        values[chosen] = rowwise(x[rows], y[rows], method)
    return values


def rowwise(x: Floats, y: Floats, method: Method) -> Floats:
    """Correlate row i of x with row i of y, for many rows `(rows, n)`; NaN where undefined."""
    if method == "kendall_weighted" or x.shape[1] > SMALL_SAMPLE:
        return np.array([_coefficient(a, b, method) for a, b in zip(x, y, strict=True)])
    block = chunk_rows(x.shape[1] ** 2)
    parts = [
        _rowwise_block(x[start : start + block], y[start : start + block], method)
        for start in range(0, len(x), block)
    ]
    return np.concatenate(parts) if parts else np.zeros(0)


def _rowwise_block(x: Floats, y: Floats, method: Method) -> Floats:
    if method == "pearson":
        values = _rowwise_pearson(x, y)
    elif method == "spearman":
        values = _rowwise_pearson(_rowwise_midranks(x), _rowwise_midranks(y))
    else:
        values = _rowwise_kendall(x, y, method)
    varies = (np.ptp(x, axis=1) > 0) & (np.ptp(y, axis=1) > 0)
    return np.where(varies, values, np.nan)


def _coefficient(x: Floats, y: Floats, method: Method) -> float:
    if not (np.isfinite(x).all() and np.isfinite(y).all()) or undefined_reason(x, y):
        return float("nan")
    if method == "kendall_weighted":
        from scipy.stats import weightedtau

        return float(weightedtau(x, y).statistic)
    if method == "pearson":
        return float(_rowwise_pearson(x[None], y[None])[0])
    if method == "spearman":
        return float(_rowwise_pearson(_midranks(x)[None], _midranks(y)[None])[0])
    pairs = count_finite_pairs(x, y)
    if method == "kendall_b":
        return tau_b(pairs)
    return tau_c(pairs, x.size, min(np.unique(x).size, np.unique(y).size))


def _midranks(column: Floats) -> Floats:
    level, sizes = np.unique(column, return_inverse=True, return_counts=True)[1:]
    ranks: Floats = (np.cumsum(sizes) - (sizes - 1) / 2)[level]
    return ranks


def _rowwise_pearson(x: Floats, y: Floats) -> Floats:
    u, v = x - x.mean(axis=1, keepdims=True), y - y.mean(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        u = u / np.sqrt((u * u).sum(axis=1, keepdims=True))
        v = v / np.sqrt((v * v).sum(axis=1, keepdims=True))
    return cast("Floats", np.clip((u * v).sum(axis=1), -1, 1))


def _rowwise_midranks(x: Floats) -> Floats:
    below = (x[:, None, :] < x[:, :, None]).sum(axis=2)
    equal = (x[:, None, :] == x[:, :, None]).sum(axis=2)
    ranks: Floats = below + (equal + 1) / 2
    return ranks


def _rowwise_kendall(x: Floats, y: Floats, method: Method) -> Floats:
    i, j = np.triu_indices(x.shape[1], 1)
    sign_x, sign_y = np.sign(x[:, i] - x[:, j]), np.sign(y[:, i] - y[:, j])
    surplus = (sign_x * sign_y).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        if method == "kendall_b":
            untied = np.abs(sign_x).sum(axis=1), np.abs(sign_y).sum(axis=1)
            tau = surplus / np.sqrt(untied[0]) / np.sqrt(untied[1])
        else:
            classes = np.minimum(_different_values(x), _different_values(y))
            tau = 2 * surplus / (x.shape[1] ** 2 * (classes - 1) / classes)
    return cast("Floats", tau)


def _different_values(x: Floats) -> Floats:
    counts: Floats = 1.0 + np.count_nonzero(np.diff(np.sort(x, axis=1), axis=1), axis=1)
    return counts
