from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from captious.errors import StatisticsError
from captious.stats.resample import (
    bca_interval,
    bootstrap_interval,
    bootstrap_sums,
    bootstrap_weights,
    cluster_sums,
    generator,
    percentile_interval,
)


def mean_of(sums):
    return sums[..., 0] / sums[..., 1]


def with_counts(values):
    return np.column_stack([values, np.ones(len(values))])


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(-99, 99)), min_size=1, max_size=40))
def test_cluster_sums_add_the_rows_of_each_cluster(rows):
    index, values = (np.array(column) for column in zip(*rows, strict=True))
    expected = [[values[index == cluster].sum()] for cluster in range(5)]
    assert cluster_sums(values, index, 5).tolist() == expected


def test_cluster_sums_refuse_bad_input():
    with pytest.raises(StatisticsError, match="1 of 2 rows contain NaN"):
        cluster_sums([[1.0], [np.nan]], [0, 1], 2)
    with pytest.raises(StatisticsError, match="0 to 2 is outside 0 to 1"):
        cluster_sums([[1.0], [1.0]], [0, 2], 2)
    with pytest.raises(StatisticsError, match="Give one per row"):
        cluster_sums([[1.0], [1.0]], [0], 2)
    with pytest.raises(StatisticsError, match="whole numbers"):
        cluster_sums([[1.0], [1.0]], [0.0, 1.0], 2)


def test_weights_do_not_depend_on_the_chunk():
    whole = np.concatenate(list(bootstrap_weights(50, 20, generator(3))))
    pieces = list(bootstrap_weights(50, 20, generator(3), chunk_bytes=50 * 8 * 3))
    assert [len(piece) for piece in pieces] == [3, 3, 3, 3, 3, 3, 2]
    assert (np.concatenate(pieces) == whole).all()


def test_weights_are_multinomial():
    # Each weight is binomial(40, 1/40): mean 1, variance 1 - 1/40; covariance of two is -1/40.
    weights = np.concatenate(list(bootstrap_weights(40, 20_000, generator(1))))
    assert (weights.sum(axis=1) == 40).all()
    assert weights.mean(axis=0) == pytest.approx(np.ones(40), abs=0.04)
    assert weights.var(axis=0).mean() == pytest.approx(1 - 1 / 40, abs=0.01)
    assert np.cov(weights[:, 0], weights[:, 1])[0, 1] == pytest.approx(-1 / 40, abs=0.03)


def test_memory_stays_bounded_for_many_clusters():
    tracemalloc.start()
    for _ in bootstrap_weights(200_000, 60, generator(0), chunk_bytes=2**23):
        pass
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4 * 2**23  # all at once would be 96 MB


def test_bootstrap_sums_are_the_sums_of_repeated_clusters():
    statistics = np.random.default_rng(0).integers(0, 50, (30, 4))
    weights = np.concatenate(list(bootstrap_weights(30, 25, generator(9))))
    expected = [np.repeat(statistics, row, axis=0).sum(axis=0) for row in weights]
    assert (bootstrap_sums(statistics, 25, seed=9) == expected).all()


def test_standard_error_of_the_mean():
    # The bootstrap variance of a mean is sigma^2 / n with the population sigma.
    values = np.random.default_rng(2).exponential(size=200)
    means = mean_of(bootstrap_sums(with_counts(values), 8000, seed=1))
    assert means.std() == pytest.approx(values.std() / np.sqrt(200), rel=0.03)


@pytest.mark.parametrize("method", ["percentile", "bca"])
@pytest.mark.parametrize("level", [0.9, 0.95])
def test_interval_agrees_with_scipy_bootstrap(method, level):
    values = np.random.default_rng(7).exponential(size=60)
    ours = bootstrap_interval(
        with_counts(values), mean_of, resamples=20_000, seed=5, level=level, method=method
    )
    theirs = stats.bootstrap(
        (values,),
        np.mean,
        n_resamples=20_000,
        confidence_level=level,
        method="BCa" if method == "bca" else "percentile",
        rng=np.random.default_rng(6),
    )
    width = theirs.confidence_interval.high - theirs.confidence_interval.low
    # Monte Carlo error of a tail quantile of 20,000 draws is near 1% of the width.
    assert ours.low == pytest.approx(theirs.confidence_interval.low, abs=0.04 * width)
    assert ours.high == pytest.approx(theirs.confidence_interval.high, abs=0.04 * width)
    assert ours.value == pytest.approx(values.mean())


def test_bca_moves_towards_the_long_tail():
    values = np.random.default_rng(7).exponential(size=40)
    plain = bootstrap_interval(with_counts(values), mean_of, resamples=4000, seed=1)
    corrected = bootstrap_interval(with_counts(values), mean_of, resamples=4000, seed=1, method="bca")
    assert corrected.low > plain.low
    assert corrected.high > plain.high


def test_undefined_resamples_are_counted():
    interval = percentile_interval([1.0, np.nan, 3.0], value=2.0, level=0.5)
    assert (interval.low, interval.high, interval.undefined) == (1.5, 2.5, 1)
    nothing = percentile_interval([np.nan], value=np.nan)
    assert np.isnan(nothing.low)
    assert nothing.undefined == 1


def test_bca_by_hand():
    # Even draws on 0..1, so a quantile is its share. Value 0.4: z0 = Phi^-1(0.4) = -0.253347.
    # Jackknife 0 0 3: d = 1 1 -2, a = -6 / (6 * 6^1.5) = -0.0680414. z = -+1.644854.
    draws, norm = np.linspace(0, 1, 100_001), stats.norm
    plain = bca_interval(draws, 0.4, [-1, 0, 1], level=0.9)  # a = 0: Phi(2 z0 -+ z)
    assert plain.low == pytest.approx(norm.cdf(2 * -0.253347 - 1.644854), abs=1e-4)
    assert plain.high == pytest.approx(norm.cdf(2 * -0.253347 + 1.644854), abs=1e-4)
    skewed = bca_interval(draws, 0.4, [0, 0, 3], level=0.9)
    # z0 + z = -1.898201 and 1.391507; divided by 1 + 0.0680414 (z0 + z) = 0.870844 and 1.094680
    assert skewed.low == pytest.approx(norm.cdf(-0.253347 - 1.898201 / 0.870844), abs=1e-4)
    assert skewed.high == pytest.approx(norm.cdf(-0.253347 + 1.391507 / 1.094680), abs=1e-4)


def test_bca_of_degenerate_draws():
    same = bca_interval([2.0, 2.0], 2.0, [2.0, 2.0])
    assert (same.low, same.high) == (2.0, 2.0)
    assert np.isnan(bca_interval([3.0, 4.0], 2.0, [2.0, 2.0]).low)  # all draws above the value


def test_same_seed_same_draws_other_seed_others():
    statistics = np.arange(20.0)
    assert (bootstrap_sums(statistics, 5, 1) == bootstrap_sums(statistics, 5, 1)).all()
    assert (bootstrap_sums(statistics, 5, 1) != bootstrap_sums(statistics, 5, 2)).any()


def test_bad_level_and_counts_are_refused():
    with pytest.raises(StatisticsError, match="not between 0 and 1"):
        percentile_interval([1.0], 1.0, level=95)
    with pytest.raises(StatisticsError, match="resamples: 0 is too few"):
        bootstrap_sums([1.0], resamples=0)
    with pytest.raises(StatisticsError, match=r"is too many\. Give at most 10,000,000"):
        bootstrap_sums([1.0], resamples=10**12)
    with pytest.raises(StatisticsError, match="n_clusters: 0 is too few"):
        bootstrap_sums(np.zeros((0, 2)))
