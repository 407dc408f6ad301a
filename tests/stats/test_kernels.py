from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from captious.stats.kernels import (
    CrossTable,
    kendall_of_resamples,
    pearson_from_moments,
    pearson_moments,
    spearman_of_resamples,
)

SCIPY = {
    "kendall_b": lambda x, y: stats.kendalltau(x, y, variant="b").statistic,
    "kendall_c": lambda x, y: stats.kendalltau(x, y, variant="c").statistic,
    "spearman": lambda x, y: stats.spearmanr(x, y).statistic,
    "pearson": lambda x, y: stats.pearsonr(x, y).statistic,
}


def ours(name, x, y, clusters, weights):
    n_clusters = weights.shape[1]
    if name == "pearson":
        return pearson_from_moments(weights @ pearson_moments(x, y, clusters, n_clusters))
    table = CrossTable.build(x, y, clusters, n_clusters)
    if name == "spearman":
        return spearman_of_resamples(table, weights.T)
    return kendall_of_resamples(table, weights.T, name[-1])


def scipy_on_repeated_rows(name, x, y, clusters, weights):
    values = []
    for row in weights:
        rows = np.repeat(np.arange(x.size), row[clusters].astype(int))
        if rows.size < 2 or np.ptp(x[rows]) == 0 or np.ptp(y[rows]) == 0:
            values.append(np.nan)
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            values.append(SCIPY[name](x[rows], y[rows]))
    return np.array(values)


@st.composite
def weighted_columns(draw):
    n = draw(st.integers(2, 40))
    n_clusters = draw(st.integers(1, 6))
    levels = draw(st.sampled_from([2, 4, 40]))
    column = st.lists(st.integers(0, levels), min_size=n, max_size=n)
    x, y = np.array(draw(column)) * 0.1, np.array(draw(column), dtype=float)
    clusters = np.array(draw(st.lists(st.integers(0, n_clusters - 1), min_size=n, max_size=n)))
    row = st.lists(st.integers(0, 4), min_size=n_clusters, max_size=n_clusters)
    weights = np.array(draw(st.lists(row, min_size=1, max_size=4)), dtype=float)
    return x, y, clusters, weights


@pytest.mark.parametrize("name", SCIPY)
@settings(max_examples=60, deadline=None)
@given(case=weighted_columns())
def test_weights_are_worth_repeated_rows(name, case):
    np.testing.assert_allclose(ours(name, *case), scipy_on_repeated_rows(name, *case), rtol=0, atol=1e-12)


@pytest.mark.parametrize("levels", [4, 3000])
@pytest.mark.parametrize("name", SCIPY)
def test_large_columns_with_few_and_many_levels(name, levels):
    rng = np.random.default_rng(5)
    x = rng.normal(size=3000)
    y = np.floor((x + rng.normal(size=3000)).argsort().argsort() * levels / 3000)
    clusters = rng.integers(0, 300, 3000)
    weights = rng.multinomial(300, np.full(300, 1 / 300), size=3).astype(float)
    expected = scipy_on_repeated_rows(name, x, y, clusters, weights)
    assert (np.abs(expected) > 0.3).all()
    np.testing.assert_allclose(ours(name, x, y, clusters, weights), expected, rtol=0, atol=1e-12)


def test_counts_are_exact_where_products_pass_32_bits():
    # 200,000 rows: about 2e10 pairs, far above 2^31. A reversed column is all discordant.
    x = np.arange(200_000.0)
    table = CrossTable.build(x, -x, np.zeros(x.size, dtype=np.int64), 1)
    assert table.discordant_weight(np.ones((1, 1)))[0] == 200_000 * 199_999 // 2


def test_discordant_pairs_by_hand():
    # (x, y): (1, 3) (2, 1) (2, 2) (3, 2). Discordant: 3>1, 3>2, 3>2 against row 0; nothing else.
    # Row 0 in cluster 0 with weight 2, the rest in cluster 1 with weight 5: 3 * 2 * 5 = 30.
    table = CrossTable.build(np.array([1.0, 2, 2, 3]), np.array([3.0, 1, 2, 2]), np.array([0, 1, 1, 1]), 2)
    assert table.discordant_weight(np.array([[2.0], [5.0]])).tolist() == [30.0]


def test_a_far_offset_does_not_cost_precision():
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=500), rng.normal(size=500)
    clusters = np.arange(500)
    weights = rng.multinomial(500, np.full(500, 1 / 500), size=2).astype(float)
    near = ours("pearson", x, y, clusters, weights)
    far = ours("pearson", x + 1e6, y * 1e-7, clusters, weights)
    np.testing.assert_allclose(far, near, atol=1e-9)
