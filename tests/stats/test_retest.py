from __future__ import annotations

import krippendorff
import numpy as np
import pytest
from scipy import stats

from captious.errors import StatisticsError
from captious.stats.retest import leave_one_rater_out, retest_agreement, stage_agreement


def _two_stages() -> tuple[np.ndarray, np.ndarray]:
    """Four raters who score 120 captions 0, .25, .5, .75 or 1 twice; the second one guesses."""
    rng = np.random.default_rng(9)
    truth = rng.integers(0, 5, (120, 1))
    stages = [np.clip(truth + rng.integers(-1, 2, (120, 4)), 0, 4) / 4 for _ in range(2)]
    for stage in stages:
        stage[:, 1] = rng.integers(0, 5, 120) / 4
    return stages[0], stages[1]


def test_one_rater_twice_by_hand() -> None:
    # Ratings 0 0 .25 .25 .5 .75 1 1: sum of squared differences of the item pairs is .0625, so
    # D_o = 2 * .0625 / 8; all ordered pairs: 2 (8 * 2.9375 - 3.75^2) = 18.875, D_e = 18.875 / 56.
    found = retest_agreement([0, 0.25, 0.5, 1, np.nan], [0, 0.25, 0.75, 1, 1])
    assert found.alpha.value == pytest.approx(1 - (0.125 / 8) / (18.875 / 56))
    assert (found.tau_b, found.same) == (pytest.approx(1.0), 0.75)
    assert (found.shift, found.n_items) == (0.0625, 4)


def test_table_1_coefficients_equal_the_libraries_the_paper_used() -> None:
    first, second = _two_stages()
    found = stage_agreement(first, second)
    for rater in range(4):
        pair = first[:, rater], second[:, rater]
        alpha = krippendorff.alpha(np.stack(pair), level_of_measurement="interval")
        assert found.raters[rater].alpha.value == pytest.approx(alpha)
        assert found.raters[rater].tau_b == pytest.approx(stats.kendalltau(*pair).statistic)
    assert found.raters[1].alpha.value < 0.3 < min(found.raters[r].alpha.value for r in (0, 2, 3))
    assert found.mean_tau_b == pytest.approx(np.mean([rater.tau_b for rater in found.raters]))


def test_table_2_leaves_one_rater_out_of_both_stages() -> None:
    first, second = _two_stages()
    found = stage_agreement(first, second)
    both = np.hstack([first, second]).T
    assert found.alpha_both.value == pytest.approx(krippendorff.alpha(both, level_of_measurement="interval"))
    # Rater 0's stages are rows 0 and 4 of the eight.
    assert found.without[0].value == pytest.approx(
        krippendorff.alpha(both[[1, 2, 3, 5, 6, 7]], level_of_measurement="interval")
    )
    assert np.argmax([alpha.value for alpha in found.without]) == 1
    pooled = stats.kendalltau(first.ravel(), second.ravel()).statistic
    assert found.tau_b == pytest.approx(pooled)


def test_intervals_where_asked() -> None:
    first, second = _two_stages()
    found = stage_agreement(first, second, resamples=50)
    for alpha in (found.alpha_first, found.alpha_both, *found.without, found.raters[0].alpha):
        assert alpha.low < alpha.value < alpha.high


def test_stages_of_unequal_shape_are_refused() -> None:
    with pytest.raises(StatisticsError, match=r"shapes \(2, 1\) and \(1, 1\)"):
        stage_agreement([[1], [2]], [[1]])
    with pytest.raises(StatisticsError, match="2 and 1 ratings"):
        retest_agreement([1, 2], [1])


def test_no_item_rated_twice_is_undefined_with_a_reason() -> None:
    found = retest_agreement([1, np.nan], [np.nan, 2])
    assert np.isnan(found.alpha.value)
    assert np.isnan(found.tau_b)
    assert found.alpha.reason


@pytest.mark.parametrize("others", ["mean", "vote"])
def test_leave_one_rater_out_finds_the_guesser(others: str) -> None:
    first, _ = _two_stages()
    found = leave_one_rater_out(first, others=others)  # type: ignore[arg-type]
    assert np.argmax([rater.alpha_without.value for rater in found]) == 1
    assert np.argmin([rater.tau_b for rater in found]) == 1
    assert np.argmin([rater.pearson for rater in found]) == 1


def test_leave_one_rater_out_compares_with_the_mean_of_the_others() -> None:
    first, _ = _two_stages()
    rest = first[:, 1:].mean(axis=1)
    found = leave_one_rater_out(first)[0]
    assert found.tau_b == pytest.approx(stats.kendalltau(first[:, 0], rest).statistic)
    assert found.pearson == pytest.approx(np.corrcoef(first[:, 0], rest)[0, 1])


def test_two_raters_leave_one_whose_alpha_is_undefined() -> None:
    found = leave_one_rater_out([[1, 1], [2, 3], [4, 4]])
    assert np.isnan(found[0].alpha_without.value)
    assert found[0].alpha_without.reason == "no item has two ratings"
    with pytest.raises(StatisticsError, match="median"):
        leave_one_rater_out([[1, 1]], others="median")  # type: ignore[arg-type]


def test_a_rater_leaves_with_both_stages_wherever_it_is_told() -> None:
    rng = np.random.default_rng(3)
    first = rng.integers(0, 5, (30, 4)) / 4
    second = np.clip(first + rng.integers(-1, 2, first.shape) / 4, 0, 1)
    both = np.hstack([first, second])
    found = leave_one_rater_out(both, raters=list("abcd") * 2)
    assert len(found) == 4
    for rater, told in enumerate(found):
        rest = np.delete(both, [rater, rater + 4], axis=1)  # Ruiz et al. 2024, Table 2: six columns stay
        oracle = krippendorff.alpha(rest.T, level_of_measurement="interval")
        assert told.alpha_without.value == pytest.approx(oracle)
        assert told.alpha_without.value == pytest.approx(stage_agreement(first, second).without[rater].value)
