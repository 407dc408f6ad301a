"""Head-to-head ratings on one scale between two captions: HUMANr of ObjectNet Captions.

A rater sees two captions of an image and chooses 1 (only the left one fits) to 9 (only the right
one fits). Aligned so that the candidate is always on one side and scaled to [-1, 1], the mean is
HUMANr: -1 if the other caption (there: a human's) is preferred, 0 if neither is, 1 if the candidate
is.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from captious.errors import StatisticsError
from captious.stats.estimate import Clusters, Estimate
from captious.stats.ratings import Floats, as_ratings, number
from captious.stats.resample import DEFAULT_RESAMPLES, DEFAULT_SEED, Seed, bootstrap_interval

SCALE = (1.0, 9.0)  # ObjectNet Captions, 4.2


def preference_score(
    ratings: ArrayLike, candidate_on_right: ArrayLike, scale: tuple[float, float] = SCALE
) -> Floats:
    """Return each head-to-head rating as a preference for the candidate in [-1, 1].

    s = (rating - middle) / (half the scale), with the sign reversed if the candidate was shown on the
    left (ObjectNet Captions, 4.2: the sides are drawn at random and the scores aligned).

    >>> preference_score([1, 9, 5, 9], [True, True, True, False])
    array([-1.,  1.,  0., -1.])
    """
    low, high = scale
    if not low < high:
        raise StatisticsError(f"scale: {low:g} to {high:g} is empty. Give (lowest, highest).")
    values = as_ratings(np.atleast_2d(np.asarray(ratings)), scale).ravel()
    sides: NDArray[np.bool_] = np.asarray(candidate_on_right, dtype=np.bool_)
    if sides.shape != values.shape:
        raise StatisticsError(
            f"candidate_on_right: {sides.size} sides for {values.size} ratings. Give one per rating."
        )
    scores = (values - (low + high) / 2) / ((high - low) / 2)
    # Adding zero turns -0.0 into 0.0.
    return np.where(sides, scores, -scores) + 0.0


def mean_preference(
    scores: ArrayLike,
    *,
    clusters: Clusters = None,
    resamples: int = DEFAULT_RESAMPLES,
    level: float = 0.95,
    seed: Seed = DEFAULT_SEED,
) -> Estimate:
    """Return the mean preference (HUMANr) with its bootstrap interval over images.

    >>> found = mean_preference([-1, 0, -0.5, 0.5], clusters=["a", "a", "b", "b"])
    >>> found.value, found.n_items
    (-0.25, 4)
    """
    values = as_ratings(np.atleast_2d(np.asarray(scores)), (-1.0, 1.0)).ravel()
    if clusters is not None and len(clusters) != len(values):
        raise StatisticsError(f"clusters: {len(clusters)} for {len(values)} scores.")
    index = np.arange(len(values)) if clusters is None else number(clusters)[1]
    rated = ~np.isnan(values)
    values, index = values[rated], np.unique(index[rated], return_inverse=True)[1]
    nan = float("nan")
    if not len(values):
        return Estimate(nan, nan, nan, level, 0, 1, 0, 0, "no scores")
    sums = np.stack([np.bincount(index, weights=values), np.bincount(index)], axis=1)
    found = bootstrap_interval(
        sums, lambda s: s[..., 0] / s[..., 1], resamples=resamples, seed=seed, level=level
    )
    return Estimate(found.value, found.low, found.high, level, len(values), 1, resamples, found.undefined, "")
