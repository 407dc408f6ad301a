"""Systems that the data cannot tell apart share a rank."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np

from captious.corpus.columns import FloatArray
from captious.corpus.scores import sums_by_image
from captious.report.study import Study
from captious.stats.multiple import holm, significance_clusters
from captious.stats.significance import approximate_randomisation

TRIALS = 1000
Score = Callable[[FloatArray], FloatArray]


def metric_ranks(study: Study, name: str, systems: list[str], values: list[float]) -> FloatArray | None:
    """Ranks by a metric; members of a significance cluster share the average of theirs."""
    own = study.scores[name]
    sums = sums_by_image(study.corpus, own.statistics)
    return _ranks(study, sums, own.metric.corpus_score, systems, values)


def judged_ranks(
    study: Study, judged: FloatArray, systems: list[str], values: list[float]
) -> FloatArray | None:
    """Ranks by the mean judgment, in the same way."""
    present = ~np.isnan(judged)
    columns = np.stack([np.where(present, judged, 0.0), present.astype(np.float64)], axis=1)
    sums = sums_by_image(study.corpus, columns)
    return _ranks(study, sums, lambda s: s[..., 0] / np.maximum(s[..., 1], 1), systems, values)


def _ranks(
    study: Study, sums: dict[str, FloatArray], score: Score, systems: list[str], values: list[float]
) -> FloatArray | None:
    """Approximate randomisation of every pair over images, corrected by Holm's rule."""
    rows = {s: study.corpus.image_of[study.corpus.rows_of(s)] for s in systems}
    images = [np.unique(own).tolist() for own in rows.values()]
    if not study.resamples or any(own != images[0] for own in images):
        return None
    pairs = list(combinations(range(len(systems)), 2))
    tests = [
        approximate_randomisation(sums[systems[i]], sums[systems[j]], score, TRIALS, study.seed).p_value
        for i, j in pairs
    ]
    matrix = np.ones((len(systems), len(systems)))
    for (i, j), p in zip(pairs, holm(tests).tolist(), strict=True):
        matrix[i, j] = matrix[j, i] = p
    ranks, place = np.empty(len(systems)), 0
    for group in significance_clusters(systems, values, matrix, 1 - study.level).clusters:
        ranks[[systems.index(s) for s in group]] = place + (len(group) + 1) / 2
        place += len(group)
    return ranks
