"""Order of systems: who is first by each metric, and who is best or worst image by image."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from captious.errors import StatisticsError
from captious.stats.correlation import Method, correlate
from captious.stats.resample import Floats, Integers, finite_matrix

TiedRank = Literal["min", "average"]


class BestWorst(NamedTuple):
    """For each system, on how many images it is best and worst in every aspect."""

    best: Integers
    worst: Integers


def rank_systems(scores: ArrayLike, *, higher_is_better: bool = True, ties: TiedRank = "min") -> Floats:
    """Rank systems from 1 (best). Tied systems share their best rank, or their average rank.

    >>> rank_systems([0.7, 0.9, 0.7, 0.1])
    array([2., 1., 2., 4.])
    >>> rank_systems([0.7, 0.9, 0.7, 0.1], ties="average")
    array([2.5, 1. , 2.5, 4. ])
    """
    column = finite_matrix(scores, "scores")[:, 0]
    if np.ndim(scores) != 1:
        raise StatisticsError(f"scores: expected one per system, found shape {np.shape(scores)}.")
    if not higher_is_better:
        column = -column
    ordered = np.sort(column)
    above = column.size - np.searchsorted(ordered, column, side="right")
    tied = column.size - np.searchsorted(ordered, column, side="left") - above
    if ties == "min":
        return (above + 1).astype(np.float64)
    if ties == "average":
        ranks: Floats = above + (tied + 1) / 2
        return ranks
    raise StatisticsError(f'ties: unknown "{ties}". Give "min" or "average".')


def ranking_correlation(
    metric_scores: ArrayLike, human_scores: ArrayLike, *, method: Method = "spearman"
) -> Floats:
    """Correlate each metric's order of systems with the human order.

    `metric_scores` is `(metrics, systems)`, `human_scores` has one value per system. Only ranks count;
    tied systems share an average rank. VCRScore (Figure 9) compares metrics in this way.

    >>> ranking_correlation([[1, 2, 3], [0.1, 0.9, 0.5]], [10, 20, 90])
    array([1. , 0.5])
    """
    metrics = np.atleast_2d(np.asarray(metric_scores, dtype=np.float64))
    human = rank_systems(human_scores, ties="average")
    return np.array(
        [correlate(rank_systems(row, ties="average"), human, method=method).value for row in metrics]
    )


def best_and_worst(aspects: ArrayLike) -> BestWorst:
    """Count the images where each system is best, and worst, in every aspect at once.

    `aspects` is `(images, systems, aspects)`, higher is better. A system is best on an image if no
    other has more in any aspect; ties count for each tied system. This rule reproduces the "# Best" row
    of THumB's Table 3 exactly.

    >>> precision_recall = [[[5, 4], [5, 3], [4, 3]], [[5, 5], [5, 5], [5, 4]]]
    >>> best_and_worst(precision_recall)
    BestWorst(best=array([2, 1, 0]), worst=array([0, 0, 2]))
    """
    cube = np.asarray(aspects, dtype=np.float64)
    if cube.ndim != 3 or not np.isfinite(cube).all():
        raise StatisticsError(
            f"aspects: expected numbers by image, system and aspect, found shape {cube.shape}."
        )
    if cube.shape[1] == 0 or cube.shape[2] == 0:
        raise StatisticsError("aspects: no systems or no aspects. Give at least one of each.")
    best = (cube == cube.max(axis=1, keepdims=True)).all(axis=2).sum(axis=0)
    worst = (cube == cube.min(axis=1, keepdims=True)).all(axis=2).sum(axis=0)
    return BestWorst(best.astype(np.int64), worst.astype(np.int64))
