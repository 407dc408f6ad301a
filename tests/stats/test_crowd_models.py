from __future__ import annotations

import numpy as np
import pytest

from captious.errors import StatisticsError
from captious.stats.aggregate import vote
from captious.stats.crowd_models import dawid_skene, mace

pytest.importorskip("crowdkit")


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
    # crowd-kit keeps every chance at 1e-10 or more, which moves an item here by 0.00016.
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
