from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from captious.errors import StatisticsError
from captious.stats.aggregate import vote
from captious.stats.crowd_models import _ratings_said, dawid_skene, mace, mace_from, too_little_overlap


def _crowd(n: int = 150) -> tuple[np.ndarray, np.ndarray]:
    """Truth of items in three categories, two good raters and three who mostly guess."""
    rng = np.random.default_rng(10)
    truth = rng.integers(1, 4, n).astype(float)
    ratings = np.empty((n, 5))
    for rater, right in enumerate([0.95, 0.9, 0.4, 0.35, 0.35]):
        guess = rng.integers(1, 4, n)
        ratings[:, rater] = np.where(rng.random(n) < right, truth, guess)
    ratings[rng.random(ratings.shape) < 0.1] = np.nan
    ratings[0] = np.nan
    return truth, ratings


def _dawid_skene_step_by_step(ratings: np.ndarray, rounds: int) -> np.ndarray:
    """Expectation-maximisation written as loops straight from Dawid and Skene 1979, 3."""
    n, m, k = *ratings.shape, 3
    posterior = np.array([[np.mean(row[~np.isnan(row)] == c + 1) for c in range(k)] for row in ratings])
    for _ in range(rounds):
        share = posterior.mean(axis=0)
        confusion = np.zeros((m, k, k))
        for i in range(n):
            for j in range(m):
                if not np.isnan(ratings[i, j]):
                    confusion[j, :, int(ratings[i, j]) - 1] += posterior[i]
        confusion /= confusion.sum(axis=2, keepdims=True)
        for i in range(n):
            likelihood = share.copy()
            for j in range(m):
                if not np.isnan(ratings[i, j]):
                    likelihood = likelihood * confusion[j, :, int(ratings[i, j]) - 1]
            posterior[i] = likelihood / likelihood.sum()
    return posterior


def test_dawid_skene_equals_its_paper_step_by_step() -> None:
    _, ratings = _crowd(60)
    found = dawid_skene(ratings, iterations=100, tolerance=1e-12)
    expected = _dawid_skene_step_by_step(ratings[1:], 100)
    # A chance is kept at 1e-10 or more, which moves an item here by 0.00016.
    np.testing.assert_allclose(found.probabilities[1:], expected, atol=1e-3)


@pytest.mark.parametrize("model", [dawid_skene, lambda ratings: mace(ratings, restarts=2)])
def test_skill_is_found_and_the_labels_beat_the_vote(model: object) -> None:
    truth, ratings = _crowd()
    found = model(ratings)  # type: ignore[operator]
    rated = ~np.isnan(ratings).all(axis=1)
    right = (found.labels == truth)[rated].mean()
    assert right > (vote(ratings) == truth)[rated].mean()
    assert min(found.skill[:2]) > max(found.skill[2:])
    assert np.isnan(found.labels[0])
    np.testing.assert_allclose(found.probabilities[rated].sum(axis=1), 1)


def test_mace_is_reproducible_by_its_seed() -> None:
    _, ratings = _crowd(30)
    first, again = (mace(ratings, restarts=2, iterations=5, seed=3) for _ in range(2))
    np.testing.assert_array_equal(first.probabilities, again.probabilities)


def test_no_ratings_are_refused() -> None:
    with pytest.raises(StatisticsError, match="at least one rating"):
        dawid_skene([[np.nan]])


def _long(ratings: np.ndarray) -> Any:
    pandas = pytest.importorskip("pandas")
    items, raters = np.nonzero(~np.isnan(ratings))
    return pandas.DataFrame({"task": items, "worker": raters, "label": ratings[items, raters]})


def _from_crowdkit(name: str, **options: Any) -> Any:
    aggregation = pytest.importorskip("crowdkit.aggregation", reason="crowd-kit is the oracle")
    return getattr(aggregation, name)(**options)


@pytest.fixture
def shared() -> np.ndarray:
    """Ratings in which the first items have every rater and the categories in their order.

    crowd-kit numbers raters and categories as they appear, but adds habits up in sorted order.
    """
    ratings = _crowd()[1][1:]
    ratings[:3] = np.array([[1.0], [2.0], [3.0]]) * np.ones(5)
    return ratings


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("iterations", [1, 7, 40])
def test_dawid_skene_is_crowd_kits_item_by_item(shared: np.ndarray, iterations: int) -> None:
    # Neither stops before its iterations are over.
    model = _from_crowdkit("DawidSkene", n_iter=iterations, tol=-1e9).fit(_long(shared))
    found = dawid_skene(shared, iterations=iterations, tolerance=-1e9)
    expected = model.probas_.reindex(index=range(len(shared)), columns=[1.0, 2.0, 3.0]).to_numpy()
    np.testing.assert_allclose(found.probabilities, expected, atol=1e-9)
    right = [
        np.diag(own.droplevel(0).reindex(index=[1.0, 2.0, 3.0], columns=[1.0, 2.0, 3.0])) @ model.priors_
        for _, own in model.errors_.groupby(level="worker")
    ]
    np.testing.assert_allclose(found.skill, right, atol=1e-9)


@pytest.mark.filterwarnings("ignore")
def test_mace_is_crowd_kits_item_by_item_from_the_same_start(shared: np.ndarray) -> None:
    model = _from_crowdkit("MACE", n_restarts=1, n_iter=50, random_state=np.random.RandomState(3))
    model.fit(_long(shared))
    draws = np.random.RandomState(3)
    # Its start: two uniform tables between 1 and 2.5, one after the other.
    knows, habits = (1 + 1.5 * draws.uniform(size=(5, width)) for width in (2, 3))
    found = mace_from(_ratings_said(shared), knows, habits, iterations=50)
    expected = model.probas_.reindex(index=range(len(shared)), columns=[1.0, 2.0, 3.0]).to_numpy()
    np.testing.assert_allclose(found.posterior, expected, atol=1e-10)
    np.testing.assert_allclose(found.knows, model.spamming_, atol=1e-10)


def test_the_rule_of_overlap_is_told() -> None:
    assert too_little_overlap([[1, 2, np.nan]] * 50).startswith("0 items have ratings by at least 3 raters")
    assert "1 different values" in too_little_overlap([[1, 1, 1]] * 20)
    assert "13 different values" in too_little_overlap([[n % 13] * 3 for n in range(40)])
    assert too_little_overlap([[1, 2, 1]] * 20) == ""
