from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from captious.errors import StatisticsError
from captious.stats.reliability import half_pool_scores, spearman_brown, split_half, spread_by_sample_size


def _ratings(n_raters: int) -> np.ndarray:
    rng = np.random.default_rng(12)
    return rng.normal(0, 1, (200, 1)) + rng.normal(0, 1, (200, n_raters))


def test_spearman_brown_by_hand() -> None:
    assert spearman_brown(0.5) == pytest.approx(2 / 3)
    assert spearman_brown(0.5, factor=4) == pytest.approx(0.8)
    assert spearman_brown(spearman_brown(0.37, 3), 1 / 3) == pytest.approx(0.37)
    assert np.isnan(spearman_brown(-1.0))


def test_two_raters_have_one_split() -> None:
    ratings = _ratings(2)
    r = np.corrcoef(ratings.T)[0, 1]
    found = split_half(ratings, splits=20)
    assert found.correlation == pytest.approx(r)
    assert found.reliability == pytest.approx(2 * r / (1 + r))
    assert found.low == pytest.approx(found.high)


def test_random_splits_average_to_all_splits() -> None:
    ratings = _ratings(6)
    every = []
    for half in combinations(range(6), 3):
        rest = [rater for rater in range(6) if rater not in half]
        r = np.corrcoef(ratings[:, half].mean(axis=1), ratings[:, rest].mean(axis=1))[0, 1]
        every.append(2 * r / (1 + r))
    found = split_half(ratings, splits=2000)
    # Standard error of the mean over 2,000 splits
    assert found.reliability == pytest.approx(np.mean(every), abs=4 * np.std(every) / 2000**0.5)
    assert min(every) - 1e-9 <= found.low <= found.high <= max(every) + 1e-9


def test_splits_of_ratings_for_columns_that_are_no_persons() -> None:
    # Item variance 1 and noise variance 1: four ratings are reliable to 1 / (1 + 1/4) = .8;
    # sorting each item's ratings loses who gave them and must not matter.
    ratings = np.sort(_ratings(4), axis=1)
    found = split_half(ratings, by="rating", splits=300)
    assert found.reliability == pytest.approx(0.8, abs=0.06)
    assert split_half(ratings, splits=300).reliability > found.reliability


def test_missing_ratings_leave_items_out_of_a_split() -> None:
    ratings = _ratings(2)
    ratings[:50, 0] = np.nan
    expected = np.corrcoef(ratings[50:].T)[0, 1]
    assert split_half(ratings, splits=10).correlation == pytest.approx(expected)


@pytest.mark.parametrize("ratings", [[[1.0], [2.0]], [[2.0, 2.0], [2.0, 2.0]], np.zeros((0, 2))])
@pytest.mark.parametrize("by", ["rater", "rating"])
def test_undefined_has_a_reason(ratings: np.ndarray, by: str) -> None:
    found = split_half(ratings, by=by, splits=5)  # type: ignore[arg-type]
    assert np.isnan(found.reliability)
    assert (found.undefined, bool(found.reason)) == (5, True)


def test_exactly_opposite_raters_have_no_step_up() -> None:
    found = split_half([[1, 3], [2, 2], [3, 1]], splits=5)
    assert found.correlation == pytest.approx(-1)
    assert np.isnan(found.reliability)
    assert "in opposite order" in found.reason


def test_missing_scores_of_the_pool_are_refused() -> None:
    with pytest.raises(StatisticsError, match="1 of 2 are missing"):
        half_pool_scores([1, np.nan], ["a", "b"])


def test_halves_of_the_pool_average_to_all_halves() -> None:
    rng = np.random.default_rng(13)
    raters = rng.integers(0, 5, 100)
    scores = raters / 5 + rng.normal(0, 0.1, 100)
    every = [scores[np.isin(raters, half)].mean() for half in combinations(range(5), 2)]
    found = half_pool_scores(scores, list(raters), splits=5000)
    assert len(found.scores) == 5000
    assert set(np.round(found.scores, 9)) == set(np.round(every, 9))
    assert found.sd == pytest.approx(np.std(every), rel=0.05)
    with pytest.raises(StatisticsError, match="2 scores and 1 raters"):
        half_pool_scores([1, 2], ["a"])


def test_spread_falls_with_the_square_root_of_the_items() -> None:
    scores = np.random.default_rng(14).normal(0, 0.5, 1000)
    found = spread_by_sample_size(scores, [25, 400], draws=4000)
    # A standard deviation over 4,000 draws is known to about 1.1%
    assert [spread.sd for spread in found] == pytest.approx([scores.std() / 5, scores.std() / 20], rel=0.05)
    # Without replacement: finite population correction sqrt((1000 - 400) / 999)
    (without,) = spread_by_sample_size(scores, [400], draws=4000, replace=False)
    assert without.sd == pytest.approx(scores.std() / 20 * (600 / 999) ** 0.5, rel=0.05)


def test_more_items_than_there_are_is_refused_without_replacement() -> None:
    with pytest.raises(StatisticsError, match="5 items of 3"):
        spread_by_sample_size([1, 2, 3], [5], replace=False)
    with pytest.raises(StatisticsError, match="by"):
        split_half([[1, 2]], by="item")  # type: ignore[arg-type]
