"""One label per caption from several raters: mean, vote, and two models of who can be trusted."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from captious.corpus.columns import FloatArray
from captious.corpus.judgments import Judgments
from captious.stats.aggregate import mean_rating, vote
from captious.stats.crowd_models import CrowdLabels, dawid_skene, mace, too_little_overlap
from captious.stats.resample import DEFAULT_SEED

MODELS = {"dawid-skene": "Dawid-Skene", "mace": "MACE"}
RULE = (
    "Rater models need at least 20 captions with ratings by three raters or more; they treat the values as "
    "unordered categories"
)


class Ability(NamedTuple):
    """The models' estimates of a rater, and the number of ratings.

    Dawid-Skene: the chance that the rater names the true value. MACE: the chance that the rater
    answers from knowledge and not from habit.
    """

    rater: str
    dawid_skene: float
    mace: float
    ratings: int


class Labels(NamedTuple):
    """Labels of the captions `rows` of the judgments on one aspect, in their order.

    The models' columns are NaN where `reason` says why they cannot be fitted; `abilities` is then
    empty. `chance` is the probability that Dawid-Skene gives its label.
    """

    rows: list[int]
    mean: FloatArray
    vote: FloatArray
    dawid_skene: FloatArray
    chance: FloatArray
    mace: FloatArray
    ratings: list[int]
    abilities: list[Ability]
    reason: str


def labels_of(judgments: Judgments, aspect: str, *, seed: int = DEFAULT_SEED) -> Labels:
    """Label every judged caption; a rater's stages count as ratings of their own.

    >>> judged = Judgments.from_columns(
    ...     images=[str(n // 3) for n in range(60)], raters=list("xyz") * 20,
    ...     values=[1, 1, 2, 2, 2, 1] * 10)
    >>> found = labels_of(judged, "overall")
    >>> found.dawid_skene[:2].tolist(), [round(one.mace, 1) for one in found.abilities]
    ([1.0, 2.0], [1.0, 1.0, 0.0])
    """
    matrix = np.hstack([judgments.matrix(aspect, stage) for stage in judgments.stages])
    rows = np.flatnonzero((~np.isnan(matrix)).any(axis=1))
    matrix = matrix[rows]
    reason = too_little_overlap(matrix)
    nothing = np.full(len(rows), np.nan)
    found = None if reason else (dawid_skene(matrix), mace(matrix, seed=seed))
    return Labels(
        rows.tolist(),
        mean_rating(matrix),
        vote(matrix, seed=seed),
        nothing if found is None else found[0].labels,
        nothing if found is None else found[0].probabilities.max(axis=1),
        nothing if found is None else found[1].labels,
        (~np.isnan(matrix)).sum(axis=1).tolist(),
        [] if found is None else _abilities(judgments, matrix, *found),
        reason,
    )


def _abilities(judgments: Judgments, matrix: FloatArray, *models: CrowdLabels) -> list[Ability]:
    """Over a rater's stages, weighted by their ratings; in the order of the raters."""
    size = len(judgments.raters)
    counts = (~np.isnan(matrix)).sum(axis=0)
    of_rater = np.arange(matrix.shape[1]) % size
    total = np.bincount(of_rater, counts, minlength=size)
    with np.errstate(invalid="ignore", divide="ignore"):
        skills = [
            np.bincount(of_rater, np.nan_to_num(one.skill) * counts, minlength=size) / total for one in models
        ]
    return [
        Ability(rater, float(skills[0][at]), float(skills[1][at]), int(total[at]))
        for at, rater in enumerate(judgments.raters)
        if total[at]
    ]
