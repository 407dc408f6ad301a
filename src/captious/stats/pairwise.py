"""Preference accuracy: how often a metric prefers the caption that people prefer.

Every accuracy is a share of pairs, so the treatment of ties matters. A pair is one of five kinds
(`captious.stats.kendall.PairCounts`), and every accuracy is computed from their counts.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from captious.errors import StatisticsError
from captious.stats.columns import finite_pair, number_labels
from captious.stats.kendall import PairCounts, count_finite_pairs
from captious.stats.resample import DEFAULT_SEED, Floats, Integers, Seed, generator

MetricTies = Literal["wrong", "half", "random"]
HumanTies = Literal["drop", "score"]
Averaging = Literal["pairs", "groups"]


class Accuracy(NamedTuple):
    """A share of correct pairs, the number of pairs counted, and the number left out."""

    value: float
    pairs: int
    dropped: int


def preference_accuracy(
    score_a: ArrayLike,
    score_b: ArrayLike,
    preferred: ArrayLike,
    *,
    metric_ties: MetricTies = "half",
    seed: Seed = DEFAULT_SEED,
) -> Accuracy:
    """Return how often the higher score is the caption people preferred (PASCAL-50S).

    `preferred` is above 0 where a is preferred, below 0 where b is, 0 where people tie (dropped). A
    tie of the metric counts 0 ("wrong"), 1/2 ("half", the expectation of guessing) or a seeded
    coin flip ("random", as some published scripts do). Vedantam, Zitnick and Parikh 2015.

    >>> preference_accuracy([3, 1, 2, 2], [1, 2, 2, 0], [1, 1, -1, 0])
    Accuracy(value=0.5, pairs=3, dropped=1)
    """
    credit = preference_credit(score_a, score_b, preferred, metric_ties=metric_ties, seed=seed)
    decided = credit[~np.isnan(credit)]
    value = float(decided.sum()) / decided.size if decided.size else float("nan")
    return Accuracy(value, decided.size, credit.size - decided.size)


def preference_credit(
    score_a: ArrayLike,
    score_b: ArrayLike,
    preferred: ArrayLike,
    *,
    metric_ties: MetricTies = "half",
    seed: Seed = DEFAULT_SEED,
) -> Floats:
    """Return what each pair counts in `preference_accuracy`: 1 right, 0 wrong, NaN where dropped.

    >>> preference_credit([3, 1, 2, 2], [1, 2, 2, 0], [1, 1, -1, 0])
    array([1. , 0. , 0.5, nan])
    """
    a, b = finite_pair(score_a, score_b)
    choice, a_minus_b = finite_pair(preferred, a - b)
    agreement = np.sign(a_minus_b) * np.sign(choice)
    credit = (agreement > 0).astype(np.float64)
    ties = (agreement == 0) & (choice != 0)
    credit[ties] = _tie_credits(int(np.count_nonzero(ties)), metric_ties, seed)
    credit[choice == 0] = np.nan
    return credit


def accuracy_of_counts(
    counts: PairCounts, *, metric_ties: MetricTies = "half", human_ties: HumanTies = "drop"
) -> Accuracy:
    """Turn pair counts into an accuracy by the named rules.

    `human_ties="drop"` leaves out pairs that people tie. `human_ties="score"` keeps them: correct
    only where the metric ties too, while a metric tie on a decided pair follows `metric_ties`. With
    `metric_ties="wrong"` that is acc_eq of Deutsch, Foster and Freitag 2023,
    (agree + both_tie) / all pairs.

    >>> kinds = PairCounts(agree=6, disagree=2, metric_tie=2, human_tie=4, both_tie=1)
    >>> accuracy_of_counts(kinds).value, accuracy_of_counts(kinds, metric_ties="wrong").value
    (0.7, 0.6)
    >>> round(accuracy_of_counts(kinds, metric_ties="wrong", human_ties="score").value, 4)  # 7/15
    0.4667
    """
    if metric_ties == "random":
        raise StatisticsError('metric_ties: "random" needs single pairs, not counts. Give "wrong" or "half".')
    if human_ties not in ("drop", "score"):
        raise StatisticsError(f'human_ties: unknown "{human_ties}". Give "drop" or "score".')
    correct = counts.agree + float(_tie_credits(counts.metric_tie, metric_ties, 0).sum())
    pairs = counts.agree + counts.disagree + counts.metric_tie
    human_tied = counts.human_tie + counts.both_tie
    if human_ties == "score":
        correct += counts.both_tie
        pairs += human_tied
    value = correct / pairs if pairs else float("nan")
    return Accuracy(value, pairs, counts.total - pairs)


def pairwise_accuracy(
    metric: ArrayLike,
    human: ArrayLike,
    *,
    metric_ties: MetricTies = "half",
    human_ties: HumanTies = "drop",
    groups: ArrayLike | None = None,
    average: Averaging = "pairs",
) -> Accuracy:
    """Return the accuracy over all pairs of rows, or over the pairs within each group.

    With `groups` (image ids: the captions of one image are compared) `average="pairs"` pools the
    pairs of all groups, `average="groups"` averages the accuracies of groups that have one. The
    system-level accuracy of Kocmi et al. 2021 is this function on system means.

    >>> pairwise_accuracy([1, 2, 3, 9], [1, 3, 2, 9], groups=["i", "i", "i", "j"])
    Accuracy(value=0.6666666666666666, pairs=3, dropped=0)
    """
    x, y = finite_pair(metric, human)
    if average not in ("pairs", "groups"):
        raise StatisticsError(f'average: unknown "{average}". Give "pairs" or "groups".')
    counts = group_pair_counts(x, y, groups)
    pooled = PairCounts(*(int(total) for total in counts.sum(axis=0)))
    result = accuracy_of_counts(pooled, metric_ties=metric_ties, human_ties=human_ties)
    if average == "pairs":
        return result
    shares = [
        accuracy_of_counts(PairCounts(*row), metric_ties=metric_ties, human_ties=human_ties).value
        for row in counts.tolist()
    ]
    defined = [share for share in shares if not np.isnan(share)]
    value = float(np.mean(defined)) if defined else float("nan")
    return Accuracy(value, result.pairs, result.dropped)


def acc_eq(
    metric: ArrayLike, human: ArrayLike, *, groups: ArrayLike | None = None, average: Averaging = "pairs"
) -> Accuracy:
    """Return the accuracy that credits correct ties (Deutsch, Foster and Freitag 2023).

    (agree + both tied) / all pairs. A metric with many different values should first be given a
    tie threshold, see `captious.stats.ties.calibrate_ties`.

    >>> acc_eq([1, 2, 2, 4], [1, 2, 2, 0]).value  # (2 + 1) / 6
    0.5
    """
    return pairwise_accuracy(
        metric, human, metric_ties="wrong", human_ties="score", groups=groups, average=average
    )


def group_pair_counts(x: Floats, y: Floats, groups: ArrayLike | None) -> Integers:
    """Count the five kinds within each group: `(groups, 5)`."""
    if groups is None:
        return np.array([count_finite_pairs(x, y)], dtype=np.int64)
    labels = number_labels(groups, x.size, "groups")
    order = np.argsort(labels.index, kind="stable")
    edges = np.searchsorted(labels.index[order], np.arange(1, labels.count))
    counts = [count_finite_pairs(x[rows], y[rows]) for rows in np.split(order, edges)]
    return np.array(counts, dtype=np.int64).reshape(-1, 5)


def _tie_credits(ties: int, rule: MetricTies, seed: Seed) -> Floats:
    if rule == "wrong":
        return np.zeros(ties)
    if rule == "half":
        return np.full(ties, 0.5)
    if rule == "random":
        return generator(seed).integers(0, 2, size=ties).astype(np.float64)
    raise StatisticsError(f'metric_ties: unknown "{rule}". Give "wrong", "half" or "random".')
