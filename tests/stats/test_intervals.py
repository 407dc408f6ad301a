from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from captious.errors import StatisticsError
from captious.stats.correlation import METHODS, correlate
from captious.stats.intervals import (
    analytic_interval,
    bootstrap_correlations,
    correlation_interval,
    jackknife,
    weighted_correlation,
)
from captious.stats.resample import bootstrap_weights, generator


@pytest.fixture(scope="module")
def judged():
    """60 images with 2 to 5 captions by systems, a metric, and ratings 1-4 that follow it."""
    rng = np.random.default_rng(12)
    image = np.repeat(np.arange(60), rng.integers(2, 6, 60))
    system = np.concatenate([rng.permutation(5)[:n] for n in np.bincount(image)])
    quality = rng.normal(size=image.size) + rng.normal(size=60)[image] + 0.3 * system
    metric = quality + rng.normal(size=image.size)
    rating = np.clip(np.round(2.5 + quality), 1, 4)
    return metric, rating, image, system


def drawn_rows(image, resamples, seed):
    counts = np.concatenate(list(bootstrap_weights(image.max() + 1, resamples, generator(seed))))
    return [np.repeat(np.arange(image.size), row[image]) for row in counts]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("level", ["item", "system"])
def test_each_resample_equals_the_statistic_of_its_rows(judged, method, level):
    metric, rating, image, system = judged
    groups = system if level == "system" else None
    draws = bootstrap_correlations(
        metric, rating, method=method, level=level, groups=groups, clusters=image, resamples=12, seed=4
    )
    for value, rows in zip(draws[0], drawn_rows(image, 12, 4), strict=True):
        again = correlate(
            metric[rows],
            rating[rows],
            method=method,
            level=level,
            groups=None if groups is None else groups[rows],
        )
        assert value == pytest.approx(again.value, abs=1e-9)


def test_image_level_resamples_images(judged):
    metric, rating, image, _ = judged
    draws = bootstrap_correlations(
        metric, rating, method="kendall_b", level="image", groups=image, resamples=10, seed=4
    )[0]
    within = np.array(
        [
            stats.kendalltau(metric[image == i], rating[image == i]).statistic
            if np.ptp(rating[image == i]) > 0
            else np.nan
            for i in range(60)
        ]
    )
    for value, row in zip(draws, next(bootstrap_weights(60, 10, generator(4))), strict=True):
        assert value == pytest.approx(np.nanmean(np.repeat(within, row)), abs=1e-12)


def test_metrics_share_their_draws(judged):
    metric, rating, image, _ = judged
    together = bootstrap_correlations([metric, metric * 2 + 1], rating, clusters=image, seed=3)
    assert together.shape == (2, 1000)
    assert (together[0] == together[1]).all()


def test_image_clusters_are_wider_than_rows(judged):
    metric, _, image, _ = judged
    noise = np.random.default_rng(1).normal(size=60)[image]
    copied = metric[np.unique(image, return_index=True)[1]][image]  # one value per image
    rows = correlation_interval(copied, copied + noise, method="pearson", seed=1)
    images = correlation_interval(copied, copied + noise, method="pearson", clusters=image, seed=1)
    assert images.high - images.low > 1.3 * (rows.high - rows.low)
    assert images.value == rows.value


@pytest.mark.parametrize("kind", ["percentile", "bca"])
def test_interval_agrees_with_scipy_bootstrap(kind):
    rng = np.random.default_rng(3)
    x = rng.normal(size=80)
    y = x + rng.normal(size=80)
    ours = correlation_interval(x, y, method="pearson", kind=kind, confidence=0.9, resamples=10_000, seed=2)
    theirs = stats.bootstrap(
        (x, y),
        lambda a, b: stats.pearsonr(a, b).statistic,
        paired=True,
        vectorized=False,
        n_resamples=2000,
        confidence_level=0.9,
        rng=np.random.default_rng(1),
        method="BCa" if kind == "bca" else "percentile",
    ).confidence_interval
    width = theirs.high - theirs.low
    assert ours.low == pytest.approx(theirs.low, abs=0.08 * width)
    assert ours.high == pytest.approx(theirs.high, abs=0.08 * width)
    assert ours.level == 0.9


def test_jackknife_leaves_out_one_cluster_at_a_time(judged):
    metric, rating, image, _ = judged
    values = jackknife(weighted_correlation(metric, rating, method="kendall_c", clusters=image))
    for left_out in (0, 31, 59):
        kept = image != left_out
        expected = stats.kendalltau(metric[kept], rating[kept], variant="c").statistic
        assert values[left_out] == pytest.approx(expected, abs=1e-12)


def test_pearson_interval_is_scipy_fisher_interval():
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(2, 50))
    theirs = stats.pearsonr(x, y).confidence_interval(0.9)
    ours = correlation_interval(x, y, method="pearson", kind="analytic", confidence=0.9)
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


def test_rank_intervals_by_hand():
    # Spearman 0.6, n = 39: se = sqrt((1 + 0.18) / 36) = 0.181046; Kendall 0.4, n = 50: se =
    # sqrt(0.437 / 46) = 0.097468; z = 1.959964.
    low, high = analytic_interval(0.6, 39, "spearman")
    assert low == pytest.approx(math.tanh(0.693147 - 1.959964 * 0.181046), abs=1e-5)
    assert high == pytest.approx(math.tanh(0.693147 + 1.959964 * 0.181046), abs=1e-5)
    low, high = analytic_interval(0.4, 50, "kendall_b")
    assert low == pytest.approx(math.tanh(0.423649 - 1.959964 * 0.097468), abs=1e-5)
    assert high == pytest.approx(math.tanh(0.423649 + 1.959964 * 0.097468), abs=1e-5)


@pytest.mark.parametrize("method", ["pearson", "spearman", "kendall_b"])
def test_analytic_intervals_cover_as_often_as_they_say(method):
    # Bivariate normal with correlation 0.5: Spearman 6/pi asin(r/2), Kendall 2/pi asin(r).
    true = {
        "pearson": 0.5,
        "spearman": 6 / math.pi * math.asin(0.25),
        "kendall_b": 2 / math.pi * math.asin(0.5),
    }[method]
    rng = np.random.default_rng(6)
    hits = 0
    for _ in range(600):
        x, e = rng.normal(size=(2, 40))
        value = correlate(x, 0.5 * x + math.sqrt(0.75) * e, method=method).value
        low, high = analytic_interval(value, 40, method, 0.9)
        hits += low <= true <= high
    assert hits / 600 == pytest.approx(0.9, abs=0.04)  # standard error 0.012


def test_too_few_rows_have_no_analytic_interval():
    assert np.isnan(analytic_interval(0.5, 3, "pearson")).all()
    assert np.isnan(analytic_interval(0.5, 4, "kendall_c")).all()
    assert analytic_interval(1.0, 30, "pearson") == (1.0, 1.0)


def test_resamples_without_a_value_are_counted():
    # Two clusters, each constant in x: a draw of one cluster twice has no correlation.
    interval = correlation_interval(
        [1, 1, 2, 2], [1, 2, 3, 4], method="pearson", clusters=[0, 0, 1, 1], resamples=400
    )
    assert interval.undefined == pytest.approx(200, abs=50)
    assert interval.low == interval.high == pytest.approx(interval.value)


def test_a_system_absent_from_a_resample_leaves_it_undefined():
    draws = bootstrap_correlations(
        [1.0, 2, 3],
        [1.0, 2, 3],
        method="pearson",
        level="system",
        groups=["a", "b", "c"],
        clusters=[0, 0, 1],
        resamples=200,
    )[0]
    assert 0 < np.isnan(draws).sum() < 200


def test_bad_requests_are_refused():
    with pytest.raises(StatisticsError, match="Give at least one metric"):
        bootstrap_correlations(np.zeros((0, 3)), [1, 2, 3])
    with pytest.raises(StatisticsError, match="lie in several clusters"):
        weighted_correlation([1, 2], [1, 2], level="image", groups=["a", "a"], clusters=[0, 1])
    with pytest.raises(StatisticsError, match='no analytic interval at level "image"'):
        correlation_interval([1, 2], [1, 2], level="image", groups=["a", "a"], kind="analytic")
    with pytest.raises(StatisticsError, match='kind: unknown "normal"'):
        correlation_interval([1, 2], [1, 2], kind="normal")
    with pytest.raises(StatisticsError, match="weighted tau has no analytic"):
        correlation_interval([1, 2], [1, 2], method="kendall_weighted", kind="analytic")
    with pytest.raises(StatisticsError, match=r"clusters: .* Give one per row"):
        correlation_interval([1, 2], [1, 2], clusters=["a"])
