"""Average precision: the area under the precision-recall curve over confidence."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from captious.errors import StatisticsError
from captious.stats.ratings import Floats, Integers
from captious.stats.resample import DEFAULT_SEED, Seed, bootstrap_weights, generator
from captious.stats.significance import Resampled


def average_precision(labels: ArrayLike, scores: ArrayLike) -> float:
    """Return sum_n (R_n - R_{n-1}) P_n over the distinct scores, from the highest.

    P_n and R_n are precision and recall of all items that score at least the n-th (Manning, Raghavan and
    Schütze 2008, 8.4); equal scores count together. NaN if no label is 1.

    >>> round(average_precision([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), 3)
    0.833
    """
    size = np.size(labels)
    found = resampled_average_precision(labels, scores, np.zeros(size, dtype=np.int64), resamples=0)
    return float(found.points[0])


def resampled_average_precision(
    labels: ArrayLike,
    scores: ArrayLike,
    cluster_index: ArrayLike,
    *,
    resamples: int = 0,
    seed: Seed = DEFAULT_SEED,
) -> Resampled:
    """Return average precision on the data, and on bootstrap resamples of whole clusters.

    `cluster_index` numbers the cluster (image) of each item from 0.

    >>> found = resampled_average_precision([1, 0, 1, 0], [0.9, 0.2, 0.8, 0.1], [0, 0, 1, 1], resamples=9)
    >>> found.points.tolist(), found.draws.shape
    ([1.0], (1, 9))
    """
    from scipy.sparse import coo_matrix

    truth, values = np.asarray(labels, dtype=bool), np.asarray(scores, dtype=np.float64)
    index: Integers = np.asarray(cluster_index, dtype=np.int64)
    if not len(truth) == len(values) == len(index):
        raise StatisticsError("labels, scores and cluster_index differ in length. Give one of each per item.")
    if np.isnan(values).any():
        raise StatisticsError("scores: some are NaN. Give every item a score.")
    levels, place = np.unique(-values, return_inverse=True)
    clusters = int(index.max()) + 1 if len(index) else 0
    shape = (clusters, len(levels))
    every = coo_matrix((np.ones(len(place)), (index, place)), shape=shape).tocsr()
    right = coo_matrix((truth.astype(np.float64), (index, place)), shape=shape).tocsr()

    def area(weights: Floats) -> Floats:
        hits = np.cumsum((right.T @ weights.T).T, axis=1)
        counts = np.cumsum((every.T @ weights.T).T, axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            precision = np.where(counts > 0, hits / counts, 0.0)
            recall = hits / hits[:, -1:]
        return np.asarray((np.diff(recall, axis=1, prepend=0.0) * precision).sum(axis=1))

    if not truth.any():
        return Resampled(np.array([np.nan]), np.full((1, resamples), np.nan))
    points = area(np.ones((1, clusters)))
    if not resamples:
        return Resampled(points, np.zeros((1, 0)))
    rows = max(1, 2**22 // max(1, len(levels)))
    drawn = [
        area(chunk[start : start + rows].astype(np.float64))
        for chunk in bootstrap_weights(clusters, resamples, generator(seed))
        for start in range(0, len(chunk), rows)
    ]
    return Resampled(points, np.concatenate(drawn)[None, :])
