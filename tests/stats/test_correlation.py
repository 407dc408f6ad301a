from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from captious.errors import StatisticsError
from captious.stats import correlate, kendall_b, kendall_c, kendall_weighted_tau, pearson, spearman
from captious.stats.correlation import METHODS

SCIPY = {
    "pearson": lambda x, y: stats.pearsonr(x, y).statistic,
    "spearman": lambda x, y: stats.spearmanr(x, y).statistic,
    "kendall_b": lambda x, y: stats.kendalltau(x, y, variant="b").statistic,
    "kendall_c": lambda x, y: stats.kendalltau(x, y, variant="c").statistic,
    "kendall_weighted": lambda x, y: stats.weightedtau(x, y).statistic,
}
OURS = {
    "pearson": pearson,
    "spearman": spearman,
    "kendall_b": kendall_b,
    "kendall_c": kendall_c,
    "kendall_weighted": kendall_weighted_tau,
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("n", [2, 5, 64, 65, 1000])
def test_agrees_with_scipy_with_and_without_ties(method, n):
    rng = np.random.default_rng(n)
    x = rng.normal(size=n)
    tied = np.append(rng.integers(1, 5, n - 1), 7.0)
    for y in (rng.normal(size=n) + x, tied):
        for first in (x, np.round(x * 2) + np.eye(n)[0] * 9):
            assert OURS[method](first, y) == pytest.approx(SCIPY[method](first, y), abs=1e-12)


@settings(max_examples=80, deadline=None)
@given(values=st.integers(2, 90).flatmap(lambda n: arrays(np.int64, (2, n), elements=st.integers(0, 6))))
def test_any_small_table_agrees_with_scipy(values):
    x, y = values.astype(float)
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        assert all(np.isnan(OURS[method](x, y)) for method in METHODS)
        return
    for method in METHODS:
        assert OURS[method](x, y) == pytest.approx(SCIPY[method](x, y), abs=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_is_symmetric_and_changes_sign_with_a_column(method):
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=100), rng.integers(0, 4, 100).astype(float)
    assert OURS[method](x, y) == pytest.approx(OURS[method](y, x), abs=1e-12)
    if method != "kendall_weighted":  # it weighs the top of the ranking, and -y has another top
        assert OURS[method](x, -y) == pytest.approx(-OURS[method](x, y), abs=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_undefined_is_nan_with_its_reason(method):
    constant = correlate([1.0, 1.0, 1.0], [1.0, 2.0, 3.0], method=method)
    assert np.isnan(constant.value)
    assert constant.reason == "x is constant"
    both = correlate([1.0, 1.0], [3.0, 3.0], method=method)
    assert both.reason == "x and y are constant"
    assert correlate([1.0], [3.0], method=method).reason == "fewer than two rows (1)"
    assert correlate([], [], method=method).reason == "fewer than two rows (0)"


def test_nan_is_refused_with_a_count():
    with pytest.raises(StatisticsError, match="y: 2 of 4 values are NaN or infinite"):
        correlate([1, 2, 3, 4], [1, np.nan, np.inf, 4])
    with pytest.raises(StatisticsError, match="x has 2 values and y 3"):
        pearson([1, 2], [1, 2, 3])
    with pytest.raises(StatisticsError, match='method: unknown "kendall"'):
        correlate([1, 2], [1, 2], method="kendall")
    with pytest.raises(StatisticsError, match='level: unknown "corpus"'):
        correlate([1, 2], [1, 2], level="corpus", groups=["a", "b"])
    with pytest.raises(StatisticsError, match='level "system" needs one system label per row'):
        correlate([1, 2], [1, 2], level="system")


def test_system_level_correlates_means():
    # means: a (2, 1), b (4, 3), c (3, 5). Pearson of (2, 4, 3) and (1, 3, 5): 2 / sqrt(2 * 8) = 0.5
    result = correlate(
        [1, 3, 4, 4, 3], [0, 2, 2, 4, 5], method="pearson", level="system", groups=list("aabbc")
    )
    assert result.value == pytest.approx(0.5, abs=1e-12)
    assert result.n == 3


@pytest.mark.parametrize("method", METHODS)
def test_image_level_averages_scipy_within_images(method):
    rng = np.random.default_rng(8)
    sizes = [2, 3, 3, 5, 70, 1]
    groups = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    x, y = rng.normal(size=groups.size), rng.integers(0, 3, groups.size).astype(float)
    y[groups == 1] = 2.0  # constant within image 1; image 5 has a single row
    y[np.flatnonzero(groups == 0)] = [0.0, 1.0]
    expected = [
        SCIPY[method](x[groups == g], y[groups == g])
        for g in range(len(sizes))
        if g not in (1, 5) and np.ptp(y[groups == g]) > 0
    ]
    result = correlate(x, y, method=method, level="image", groups=groups)
    assert result.value == pytest.approx(np.mean(expected), abs=1e-12)
    assert (result.n, result.skipped) == (len(expected), len(sizes) - len(expected))


def test_image_level_without_any_defined_image():
    result = correlate([1, 2, 3], [4, 4, 4], level="image", groups=["a", "a", "b"])
    assert np.isnan(result.value)
    assert result.reason == "undefined within all 2 images"
    assert result.skipped == 2


def test_rank_correlations_ignore_monotone_changes():
    rng = np.random.default_rng(4)
    x, y = rng.normal(size=200), rng.normal(size=200)
    for statistic in (spearman, kendall_b, kendall_c):
        assert statistic(np.exp(x), y**3) == pytest.approx(statistic(x, y), abs=1e-12)


def test_thumb_precision_and_recall_correlate_as_scipy_says(data):
    rows = [json.loads(line) for line in (data / "thumb" / "mscoco_THumB-1.0.jsonl").read_text().splitlines()]
    p, r = np.array([row["P"] for row in rows]), np.array([row["R"] for row in rows])
    assert len(rows) == 2500
    for method in METHODS:
        assert OURS[method](p, r) == pytest.approx(SCIPY[method](p, r), abs=1e-12)
