"""Many comparisons at once: corrected p-values, and clusters of systems without significant differences."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from captious.errors import StatisticsError
from captious.stats.resample import Floats


class SignificanceClusters(NamedTuple):
    """Names from best to worst, in groups, and the ranks that each could hold.

    `rank_low` and `rank_high` follow the order of `order`.
    """

    clusters: list[list[str]]
    order: list[str]
    rank_low: list[int]
    rank_high: list[int]


def holm(p_values: ArrayLike) -> Floats:
    """Adjust p-values by Holm's step-down rule (Holm 1979), in the order given.

    The k-th smallest of m is multiplied by m - k + 1, then made no smaller than those before it
    and at most 1. Rejecting where the result is at most alpha keeps the chance of any false
    rejection at alpha, whatever the dependence between tests. NaN stays NaN and is not counted.

    >>> holm([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])
    """
    p = np.asarray(p_values, dtype=np.float64)
    tested = np.flatnonzero(~np.isnan(p))
    outside = int(np.count_nonzero((p[tested] < 0) | (p[tested] > 1)))
    if p.ndim != 1 or outside:
        raise StatisticsError(
            f"p_values: expected one row of numbers from 0 to 1, found shape {p.shape} with "
            f"{outside} outside."
        )
    order = tested[np.argsort(p[tested], kind="stable")]
    steps = np.arange(order.size, 0, -1)
    adjusted = np.full(p.shape, np.nan)
    adjusted[order] = np.minimum(np.maximum.accumulate(p[order] * steps), 1.0)
    return adjusted


def significance_clusters(
    names: list[str], scores: ArrayLike, p_values: ArrayLike, alpha: float = 0.05
) -> SignificanceClusters:
    """Group systems (or metrics) that do not differ significantly, as WMT prints them.

    Names are sorted by score, best first. A line is drawn below a name when everyone above the line
    is significantly better (p <= alpha) than everyone below it; names between two lines form one
    cluster. Members of a cluster may still differ significantly from each other: a chain
    A ~ B ~ C keeps A and C together. The rank range of a name runs from 1 + how many beat it
    significantly to m - how many it beats significantly (Bojar et al. 2016).

    `p_values` is a symmetric `(m, m)` matrix; correct it first (`holm`) if you test many pairs. NaN
    counts as no difference.

    >>> p = [[1.0, 0.2, 0.01], [0.2, 1.0, 0.03], [0.01, 0.03, 1.0]]
    >>> significance_clusters(["a", "b", "c"], [0.9, 0.8, 0.1], p).clusters
    [['a', 'b'], ['c']]
    """
    values, matrix = np.asarray(scores, dtype=np.float64), np.asarray(p_values, dtype=np.float64)
    m = len(names)
    if values.shape != (m,) or matrix.shape != (m, m) or np.isnan(values).any():
        raise StatisticsError(
            f"{m} names need {m} scores without NaN and a {m} x {m} matrix of p-values; "
            f"found {values.shape} and {matrix.shape}."
        )
    order = np.argsort(-values, kind="stable")
    values, matrix = values[order], matrix[np.ix_(order, order)]
    better = (matrix <= alpha) & (values[:, None] > values[None, :])
    ordered = [names[i] for i in order]
    lines = [k for k in range(1, m) if better[:k, k:].all()]
    clusters = [ordered[a:b] for a, b in zip([0, *lines], [*lines, m], strict=True)] if m else []
    return SignificanceClusters(
        clusters,
        ordered,
        [int(1 + better[:, k].sum()) for k in range(m)],
        [int(m - better[k].sum()) for k in range(m)],
    )
