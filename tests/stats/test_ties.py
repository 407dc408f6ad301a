from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from captious.errors import StatisticsError
from captious.stats import acc_eq, calibrate_ties
from captious.stats.ties import MAX_PAIRS

rows = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 3), st.integers(0, 2)), min_size=2, max_size=20)


def acc_eq_by_loop(x, y, groups, epsilon, average):
    shares, right, total = [], 0, 0
    for group in sorted(set(groups)):
        members = [k for k in range(len(x)) if groups[k] == group]
        good = pairs = 0
        for at, i in enumerate(members):
            for j in members[at + 1 :]:
                metric = 0 if abs(x[i] - x[j]) <= epsilon else np.sign(x[i] - x[j])
                good += metric == np.sign(y[i] - y[j])
                pairs += 1
        if pairs:
            shares.append(good / pairs)
        right, total = right + good, total + pairs
    if not total:
        return float("nan")
    return right / total if average == "pairs" else float(np.mean(shares))


@pytest.mark.parametrize("average", ["pairs", "groups"])
@settings(max_examples=50, deadline=None)
@given(case=rows)
def test_no_threshold_is_better_and_no_smaller_one_as_good(average, case):
    x, y, groups = (np.array([row[k] for row in case], dtype=float) for k in range(3))
    found = calibrate_ties(x, y, groups=groups, average=average)
    scores = {eps: acc_eq_by_loop(x, y, groups, eps, average) for eps in range(13)}
    if found.pairs == 0:
        assert np.isnan(found.accuracy)
        return
    best = max(scores.values())
    assert found.accuracy == pytest.approx(best)
    assert found.epsilon == min(eps for eps, value in scores.items() if value >= best - 1e-12)
    assert found.accuracy_untied == pytest.approx(scores[0])


def test_threshold_zero_is_acc_eq():
    rng = np.random.default_rng(2)
    x, y, image = rng.normal(size=60), rng.integers(0, 3, 60), rng.integers(0, 9, 60)
    for average in ("pairs", "groups"):
        plain = acc_eq(x, y, groups=image, average=average)
        found = calibrate_ties(x, y, groups=image, average=average)
        assert found.accuracy_untied == pytest.approx(plain.value)
        assert found.pairs == plain.pairs
        assert found.accuracy > found.accuracy_untied


def test_many_human_ties_want_a_threshold_and_none_want_zero():
    rng = np.random.default_rng(3)
    quality = rng.integers(0, 3, 80)
    noisy = quality + rng.uniform(-0.2, 0.2, 80)
    found = calibrate_ties(noisy, quality)
    assert found.accuracy == 1.0
    assert 0.2 < found.epsilon <= 0.4
    assert calibrate_ties(noisy, noisy).epsilon == 0.0


def test_too_many_pairs_are_refused_with_a_way_out():
    n = int(np.sqrt(2 * MAX_PAIRS)) + 2
    with pytest.raises(StatisticsError, match="Compare within images"):
        calibrate_ties(np.arange(n), np.arange(n))
