"""One value for each caption from several raters' ratings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from captious.benchmarks.rater_agreement.report import one_aspect, slotted
from captious.corpus import Judgments
from captious.corpus.columns import FloatArray
from captious.corpus.labels import MODELS, Ability, labels_of
from captious.errors import InputError, UnknownNameError
from captious.stats.aggregate import mean_rating, mean_without_extremes, median_rating, rounded_mean, vote
from captious.stats.resample import DEFAULT_SEED

GROUPED = ("system", "rater", "stage")
RULES = ("mean", "median", "rounded", "without-extremes", "vote", *MODELS)


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
    if rule in MODELS:
        values = _by_model(table, name, rule, seed)
    elif rule == "vote":
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


def _by_model(table: Judgments, aspect: str, rule: str, seed: int) -> FloatArray:
    found = labels_of(table, aspect, seed=seed)
    if found.reason:
        raise InputError(f"--rule {rule}: {found.reason}. Use mean or vote.")
    return found.dawid_skene if rule == "dawid-skene" else found.mace


def abilities(judgments: Judgments, *, aspect: str | None = None, seed: int = DEFAULT_SEED) -> list[Ability]:
    """Each rater's ability under both models; an error says why there is none."""
    name = one_aspect(judgments, aspect)
    found = labels_of(slotted(judgments, name), name, seed=seed)
    if found.reason:
        raise InputError(f"--raters: {found.reason}.")
    return found.abilities


class GroupMean(NamedTuple):
    """The mean of a group's captions or ratings, their standard deviation and number."""

    names: tuple[str, ...]
    mean: float
    sd: float
    n: int


def group_means(
    judgments: Judgments,
    columns: Sequence[str],
    rule: str = "mean",
    *,
    aspect: str | None = None,
    seed: int = DEFAULT_SEED,
) -> list[GroupMean]:
    """Means by system, rater and stage, in the order of appearance.

    By system alone every caption counts once, with the value that the rule makes of its ratings
    (VCRScore, Figure 2); with raters or stages every rating counts (Figure 3).

    >>> judged = Judgments.from_columns(
    ...     images=["1", "1", "2"], systems=["a", "a", "b"], raters=["x", "y", "x"], values=[1, 5, 4])
    >>> [(one.names, one.mean) for one in group_means(judged, ["system"])]
    [(('a',), 3.0), (('b',), 4.0)]
    >>> [(one.names, one.mean) for one in group_means(judged, ["rater"])]
    [(('x',), 2.5), (('y',), 5.0)]
    """
    unknown = next((name for name in columns if name not in GROUPED), None)
    if unknown is not None or not columns:
        raise UnknownNameError("column to group by", unknown or "", GROUPED)
    found: dict[tuple[str, ...], list[float]] = {}
    if tuple(columns) == ("system",):
        for one in aggregated(judgments, rule, aspect=aspect, seed=seed):
            if not np.isnan(one.value):
                found.setdefault((one.system,), []).append(one.value)
    elif rule != "mean":
        raise InputError(
            f"--rule {rule} combines the ratings of a caption. To group by raters or stages, use mean."
        )
    else:
        rows = judgments.rows(one_aspect(judgments, aspect))
        parts = {
            "system": [judgments.keys[i][1] for i in judgments.example_of[rows].tolist()],
            "rater": [judgments.raters[i] for i in judgments.rater_of[rows].tolist()],
            "stage": [judgments.stages[i] for i in judgments.stage_of[rows].tolist()],
        }
        for *names, value in zip(*(parts[name] for name in columns), judgments.values[rows], strict=True):
            found.setdefault(tuple(names), []).append(float(value))
    return [
        GroupMean(
            names, float(np.mean(own)), float(np.std(own, ddof=1)) if len(own) > 1 else np.nan, len(own)
        )
        for names, own in found.items()
    ]
