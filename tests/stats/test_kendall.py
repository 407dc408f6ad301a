from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from captious.stats.kendall import count_pairs, inversions, tau_b, tau_c

rows = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 3), st.integers(0, 3)), max_size=30)


def kinds_by_loop(x, y):
    agree = disagree = metric_tie = human_tie = both = 0
    for i, j in combinations(range(len(x)), 2):
        dx, dy = np.sign(x[i] - x[j]), np.sign(y[i] - y[j])
        agree += dx * dy > 0
        disagree += dx * dy < 0
        metric_tie += dx == 0 and dy != 0
        human_tie += dx != 0 and dy == 0
        both += dx == 0 and dy == 0
    return (agree, disagree, metric_tie, human_tie, both)


@settings(max_examples=80, deadline=None)
@given(rows)
def test_counts_are_those_of_a_loop_over_pairs(case):
    x, y = ([row[k] for row in case] for k in (0, 1))
    assert tuple(count_pairs(x, y)) == kinds_by_loop(x, y)


def test_counts_give_scipys_tau():
    rng = np.random.default_rng(1)
    x, y = rng.integers(0, 30, 500), rng.integers(1, 5, 500)
    kinds = count_pairs(x, y)
    untied_x = kinds.total - kinds.metric_tie - kinds.both_tie
    untied_y = kinds.total - kinds.human_tie - kinds.both_tie
    tau = (kinds.agree - kinds.disagree) / np.sqrt(untied_x * untied_y)
    assert tau == pytest.approx(stats.kendalltau(x, y).statistic, abs=1e-12)
    assert tau_b(kinds) == pytest.approx(tau, abs=1e-12)
    expected = stats.kendalltau(x, y, variant="c").statistic
    assert tau_c(kinds, 500, 4) == pytest.approx(expected, abs=1e-12)


@given(st.lists(st.integers(0, 70), max_size=40))
def test_inversions_are_those_of_a_loop(levels):
    expected = sum(a > b for a, b in combinations(levels, 2))
    assert inversions(np.array(levels, dtype=np.int64)) == expected


def test_counts_pass_32_bits():
    # 200,000 rows in reverse: 19,999,900,000 discordant pairs.
    x = np.arange(200_000)
    assert count_pairs(x, -x).disagree == 200_000 * 199_999 // 2


def test_nothing_to_compare():
    assert tuple(count_pairs([], [])) == tuple(count_pairs([1], [1])) == (0, 0, 0, 0, 0)
    assert np.isnan(tau_b(count_pairs([1, 1], [1, 2])))
    assert np.isnan(tau_c(count_pairs([1, 1], [1, 2]), 2, 1))
