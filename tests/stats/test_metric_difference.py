from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from captious.errors import StatisticsError
from captious.stats import compare_by_bootstrap, compare_by_permutation, correlate, williams_test


def three_columns(rng, n, shared=0.5, own_a=1.0, own_b=1.0):
    human, common, noise_a, noise_b = rng.normal(size=(4, n))
    seen = human + shared * common
    return seen + own_a * noise_a, seen + own_b * noise_b, human


def test_williams_by_hand():
    # r_a = .4, r_b = .5, r_ab = .1, n = 103 (the correlations of Steiger 1980):
    # K = 1 - .16 - .25 - .01 + .04 = .62
    # spread = 2 * .62 * 102 / 100 + .81 / 4 * .729 = 1.2648 + .14762 = 1.41242
    # t = -.1 * sqrt(102 * 1.1 / 1.41242) = -.1 * sqrt(79.438) = -.89128
    test = williams_test(0.4, 0.5, 0.1, 103)
    assert test.t == pytest.approx(-0.89128, abs=1e-4)
    assert test.degrees == 100
    assert test.p_two_sided == pytest.approx(2 * stats.t.sf(0.89128, 100), abs=1e-4)
    assert test.p_a_better == pytest.approx(stats.t.cdf(0.89128, 100), abs=1e-4)


def test_williams_p_values_are_uniform_when_metrics_are_equally_good():
    rng = np.random.default_rng(3)
    p_values = []
    for _ in range(1500):
        a, b, human = three_columns(rng, 40)
        r = np.corrcoef([a, b, human])
        p_values.append(williams_test(r[0, 2], r[1, 2], r[0, 1], 40).p_two_sided)
    assert stats.kstest(p_values, "uniform").pvalue > 0.01
    assert np.mean(np.array(p_values) <= 0.05) == pytest.approx(0.05, abs=0.02)


def test_williams_gains_power_when_metrics_resemble_each_other():
    assert williams_test(0.5, 0.4, 0.9, 100).p_two_sided < 0.05
    assert williams_test(0.5, 0.4, 0.1, 100).p_two_sided > 0.3


def test_williams_edges():
    assert williams_test(0.5, 0.5, 1.0, 50).t == 0.0
    assert williams_test(0.5, 0.5, 1.0, 50).p_two_sided == 1.0
    with pytest.raises(StatisticsError, match="cannot be correlations of the same rows"):
        williams_test(0.9, -0.9, 0.9, 50)
    with pytest.raises(StatisticsError, match="needs at least 4"):
        williams_test(0.5, 0.4, 0.1, 3)
    with pytest.raises(StatisticsError, match=r"r_b: 1\.5 is not a correlation"):
        williams_test(0.5, 1.5, 0.1, 30)


def test_three_tests_agree_on_independent_normal_rows():
    a, b, human = three_columns(np.random.default_rng(22), 200, own_b=1.5)
    r = np.corrcoef([a, b, human])
    williams = williams_test(r[0, 2], r[1, 2], r[0, 1], 200).p_two_sided
    bootstrap = compare_by_bootstrap(a, b, human, method="pearson", resamples=4000).p_value
    swapped = compare_by_permutation(a, b, human, method="pearson", trials=4000).p_value
    assert 0.02 < williams < 0.05
    assert bootstrap == pytest.approx(williams, abs=0.02)
    assert swapped == pytest.approx(williams, abs=0.02)


@pytest.mark.parametrize("compare", [compare_by_bootstrap, compare_by_permutation])
@pytest.mark.parametrize("method", ["spearman", "kendall_c"])
def test_values_are_those_of_correlate_and_order_changes_only_signs(compare, method):
    a, b, human = three_columns(np.random.default_rng(2), 150, own_b=4)
    human = np.round(human)
    one, other = compare(a, b, human, method=method), compare(b, a, human, method=method)
    assert one.score_a == pytest.approx(correlate(a, human, method=method).value, abs=1e-12)
    assert one.score_b == pytest.approx(correlate(b, human, method=method).value, abs=1e-12)
    assert one.difference == -other.difference
    assert one.p_value == other.p_value
    assert one.p_value < 0.05


@pytest.mark.parametrize("compare", [compare_by_bootstrap, compare_by_permutation])
def test_one_metric_twice_is_no_difference_whatever_its_scale(compare):
    a, _, human = three_columns(np.random.default_rng(2), 60)
    test = compare(a, 100 * a - 7, human, method="pearson")
    assert test.difference == pytest.approx(0, abs=1e-12)
    assert test.p_value == 1.0


def test_permutation_false_alarms_are_rare():
    rng = np.random.default_rng(5)
    p_values = []
    for seed in range(200):
        a, b, human = three_columns(rng, 30)
        p_values.append(compare_by_permutation(a, b, human, method="pearson", trials=99, seed=seed).p_value)
    assert np.mean(np.array(p_values) <= 0.1) == pytest.approx(0.1, abs=0.065)  # s.e. 0.021


def test_copied_rows_deceive_rows_but_not_clusters():
    # 25 independent images, each repeated 8 times: row by row looks 8 times as sure as it is.
    a, b, human = (np.repeat(column, 8) for column in three_columns(np.random.default_rng(13), 25, own_b=1.4))
    image = np.repeat(np.arange(25), 8)
    rows = compare_by_bootstrap(a, b, human, method="pearson")
    images = compare_by_bootstrap(a, b, human, method="pearson", clusters=image)
    assert images.p_value > rows.p_value
    assert images.high - images.low > 2 * (rows.high - rows.low)
    rows = compare_by_permutation(a, b, human, method="pearson")
    images = compare_by_permutation(a, b, human, method="pearson", swap_together=image)
    assert images.p_value > rows.p_value
