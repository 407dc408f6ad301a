"""One value for each caption from several raters' ratings."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from captious.benchmarks.raters import one_aspect, slotted
from captious.corpus import Judgments
from captious.errors import UnknownNameError
from captious.stats.aggregate import mean_rating, mean_without_extremes, median_rating, rounded_mean, vote
from captious.stats.resample import DEFAULT_SEED

RULES = ("mean", "median", "rounded", "without-extremes", "vote")


class Aggregated(NamedTuple):
    """A caption's one value, and of how many ratings it was made; NaN where the rule has none."""

    image: str
    system: str
    value: float
    ratings: int


def aggregated(
    judgments: Judgments, rule: str, *, aspect: str | None = None, seed: int = DEFAULT_SEED
) -> list[Aggregated]:
    """Apply a rule to the ratings of each caption, all stages together.

    >>> judged = Judgments.from_columns(images=["a"] * 4, raters=list("wxyz"), values=[1, 4, 4, 5])
    >>> aggregated(judged, "without-extremes")[0].value, aggregated(judged, "rounded")[0].value
    (4.0, 4.0)
    """
    if rule not in RULES:
        raise UnknownNameError("rule", rule, RULES)
    name = one_aspect(judgments, aspect)
    table = slotted(judgments, name)
    stages = [table.matrix(name, stage) for stage in table.stages]
    matrix = np.hstack(stages)
    rated = np.flatnonzero((~np.isnan(matrix)).any(axis=1))
    matrix = matrix[rated]
    if rule == "vote":
        values = vote(matrix, seed=seed)
    else:
        values = {
            "mean": mean_rating,
            "median": median_rating,
            "rounded": rounded_mean,
            "without-extremes": mean_without_extremes,
        }[rule](matrix)
    counts = (~np.isnan(matrix)).sum(axis=1)
    return [
        Aggregated(*table.keys[place], value, count)
        for place, value, count in zip(rated.tolist(), values.tolist(), counts.tolist(), strict=True)
    ]
