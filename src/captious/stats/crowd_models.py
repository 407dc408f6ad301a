"""One label an item from raters of unequal skill: Dawid-Skene and MACE, fitted by crowd-kit.

Both are mixture models over nominal categories: they learn how far each rater can be trusted from
the ratings alone. They need the extra `crowd-aggregation`.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from captious.errors import MissingDependencyError, StatisticsError
from captious.stats.ratings import Floats, as_ratings
from captious.stats.resample import DEFAULT_SEED

if TYPE_CHECKING:
    import pandas as pd


class CrowdLabels(NamedTuple):
    """The likeliest category of each item, all probabilities, and each rater's skill.

    `skill` is the chance that a rater names the true category (Dawid-Skene) or answers from
    knowledge rather than habit (MACE). NaN for items without ratings and raters without items.
    """

    labels: Floats
    probabilities: Floats
    categories: Floats
    skill: Floats


def dawid_skene(ratings: ArrayLike, *, iterations: int = 100, tolerance: float = 1e-5) -> CrowdLabels:
    """Fit one confusion matrix a rater by expectation-maximisation (Dawid and Skene 1979).

    P(item i is c | ratings) is proportional to p_c prod_j pi_j(c, x_ij), where p_c is the share of
    category c and pi_j(c, x) the chance that rater j says x where c is true; it starts from the
    shares of votes. Skill is sum_c p_c pi_j(c, c).

    >>> dawid_skene([[1, 1, 2], [2, 2, 2], [1, 1, 1], [2, 2, 1]]).labels
    array([1., 2., 1., 2.])
    """
    matrix, table = _long_table(ratings)
    model = _crowdkit("DawidSkene")(n_iter=iterations, tol=tolerance)
    _fit(model, table)
    categories = np.unique(table["label"].to_numpy())
    skill = np.full(matrix.shape[1], np.nan)
    priors = model.priors_.reindex(categories).fillna(0.0)
    for rater, errors in model.errors_.groupby(level="worker"):
        right = errors.droplevel("worker").reindex(index=categories, columns=categories)
        skill[int(rater)] = float((np.diag(right.fillna(0.0)) * priors).sum())
    return _labels(matrix, model.probas_, categories, skill)


def mace(
    ratings: ArrayLike, *, restarts: int = 10, iterations: int = 50, seed: int = DEFAULT_SEED
) -> CrowdLabels:
    """Fit MACE by variational Bayes (Hovy et al. 2013): each answer is knowledge or habit.

    Rater j knows the true category with chance theta_j and else answers from an own habit xi_j;
    skill is theta_j. The fit with the best likelihood of several random starts is kept.

    >>> mace([[1, 1, 2], [2, 2, 2], [1, 1, 2], [2, 2, 2]], restarts=1, iterations=10).labels
    array([1., 2., 1., 2.])
    """
    matrix, table = _long_table(ratings)
    # A generator and not a number: given a number, crowd-kit starts every restart alike.
    state = np.random.RandomState(seed)
    model = _crowdkit("MACE")(n_restarts=restarts, n_iter=iterations, random_state=state)
    _fit(model, table)
    skill = np.full(matrix.shape[1], np.nan)
    # crowd-kit numbers the raters by first appearance in the table.
    skill[table["worker"].unique()] = model.spamming_[:, 1]
    categories = np.unique(table["label"].to_numpy())
    return _labels(matrix, model.probas_, categories, skill)


def _long_table(ratings: ArrayLike) -> tuple[Floats, pd.DataFrame]:
    import pandas as pd

    matrix = as_ratings(ratings)
    items, raters = np.nonzero(~np.isnan(matrix))
    if not len(items):
        raise StatisticsError("ratings: none given. Give at least one rating.")
    table = pd.DataFrame({"task": items, "worker": raters, "label": matrix[items, raters]})
    return matrix, table


def _labels(matrix: Floats, probabilities: pd.DataFrame, categories: Floats, skill: Floats) -> CrowdLabels:
    table = probabilities.reindex(index=range(len(matrix)), columns=categories)
    rated = ~np.isnan(matrix).all(axis=1)
    shares = np.array(table, dtype=np.float64)
    shares[rated] = np.nan_to_num(shares[rated])
    labels = np.full(len(matrix), np.nan)
    labels[rated] = categories[shares[rated].argmax(axis=1)]
    return CrowdLabels(labels, shares, categories, skill)


def _fit(model: Any, table: pd.DataFrame) -> None:
    with warnings.catch_warnings():
        # crowd-kit 1.4 calls pandas in ways that pandas 3 warns about; a user cannot mend that.
        warnings.simplefilter("ignore", DeprecationWarning)
        warnings.simplefilter("ignore", FutureWarning)
        model.fit(table)


def _crowdkit(name: str) -> Any:
    try:
        from crowdkit import aggregation
    except ImportError as error:
        raise MissingDependencyError(f"{name} needs crowd-kit", "crowd-aggregation") from error
    return getattr(aggregation, name)
