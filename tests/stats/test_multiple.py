from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from captious.errors import StatisticsError
from captious.stats import holm, significance_clusters


def test_holm_by_hand():
    # Sorted .005 .01 .03 .04 times 4 3 2 1: .02 .03 .06 .04, then never falling: .02 .03 .06 .06
    # (R: p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm") is 0.03 0.06 0.06 0.02)
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_holm_is_capped_and_leaves_nan_out_of_the_count():
    assert holm([0.6, 0.7]).tolist() == [1.0, 1.0]
    assert holm([0.02, np.nan, 0.5])[[0, 2]] == pytest.approx([0.04, 0.5])
    assert holm([]).size == 0


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_holm_lies_between_the_raw_and_bonferroni(p_values):
    adjusted = holm(p_values)
    assert (adjusted >= np.array(p_values)).all()
    assert (adjusted <= np.minimum(1, np.array(p_values) * len(p_values)) + 1e-15).all()
    order = np.argsort(p_values)
    assert (np.diff(adjusted[order]) >= 0).all()


def test_clusters_need_everyone_above_to_beat_everyone_below():
    # d > c > b > a; c and b differ from a, d only from a and b: the only line is above a.
    names = ["a", "b", "c", "d"]
    p = np.ones((4, 4))
    for i, j in [(0, 1), (0, 2), (0, 3), (1, 3)]:
        p[i, j] = p[j, i] = 0.01
    found = significance_clusters(names, [1, 2, 3, 4], p)
    assert found.clusters == [["d", "c", "b"], ["a"]]
    assert found.order == ["d", "c", "b", "a"]
    assert found.rank_low == [1, 1, 2, 4]
    assert found.rank_high == [2, 3, 3, 4]


def test_no_difference_is_one_cluster_and_all_differences_are_singles():
    names = ["x", "y", "z"]
    assert significance_clusters(names, [1, 2, 3], np.ones((3, 3))).clusters == [["z", "y", "x"]]
    apart = significance_clusters(names, [1, 2, 3], np.zeros((3, 3)))
    assert apart.clusters == [["z"], ["y"], ["x"]]
    assert apart.rank_low == apart.rank_high == [1, 2, 3]
    assert significance_clusters([], [], np.zeros((0, 0))).clusters == []


def test_bad_input_is_refused():
    with pytest.raises(StatisticsError, match="1 outside"):
        holm([0.5, 1.5])
    with pytest.raises(StatisticsError, match="2 x 2 matrix"):
        significance_clusters(["a", "b"], [1, 2], np.ones((3, 3)))
