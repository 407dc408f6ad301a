from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from captious.errors import StatisticsError
from captious.stats import best_and_worst, rank_systems, ranking_correlation

SYSTEMS = ["Human", "VinVL-large", "VinVL-base", "Unified-VLP", "Up-Down"]


@given(st.lists(st.integers(0, 5), min_size=1, max_size=12), st.sampled_from(["min", "average"]))
def test_ranks_are_scipys(scores, ties):
    expected = stats.rankdata([-score for score in scores], method=ties)
    assert (rank_systems(scores, ties=ties) == expected).all()
    reverse = rank_systems([-score for score in scores], ties=ties, higher_is_better=False)
    assert (reverse == expected).all()


def test_order_of_systems_against_the_human_order():
    # d^2 of ranks (1 2 3 4) and (2 1 3 4): 2; 1 - 6 * 2 / (4 * 15) = 0.8. Scale does not matter.
    human = [0.9, 0.6, 0.5, 0.1]
    metrics = [[90, 60, 50, 10], [5, 8, 4, -100], [1, 2, 3, 4]]
    assert ranking_correlation(metrics, human) == pytest.approx([1.0, 0.8, -1.0])


def test_tied_systems_share_a_rank():
    found = ranking_correlation([[3, 3, 1]], [3, 2, 1])
    assert found == pytest.approx([stats.spearmanr([3, 3, 1], [3, 2, 1]).statistic])


def test_best_counts_of_thumb_table_3(data):
    table: dict[str, dict[str, list[float]]] = {}
    for line in (data / "thumb" / "mscoco_THumB-1.0.jsonl").read_text().splitlines():
        row = json.loads(line)
        table.setdefault(row["seg_id"], {})[row["SYS"]] = [row["P"], row["R"]]
    cube = np.array([[systems[name] for name in SYSTEMS] for systems in table.values()])
    found = best_and_worst(cube)
    assert found.best.tolist() == [327, 180, 161, 112, 74]  # THumB, Table 3, "# Best"
    # The "# Worst" row is printed as 65 128 150 190 269; the mirrored rule counts a few more.
    assert (found.worst - np.array([65, 128, 150, 190, 269])).tolist() == [8, 8, 8, 9, 15]


def test_all_tied_is_best_and_worst_for_everyone():
    found = best_and_worst(np.ones((3, 2, 2)))
    assert found.best.tolist() == found.worst.tolist() == [3, 3]


def test_bad_shapes_are_refused():
    with pytest.raises(StatisticsError, match="by image, system and aspect"):
        best_and_worst([[1, 2], [3, 4]])
    with pytest.raises(StatisticsError, match="no systems or no aspects"):
        best_and_worst(np.zeros((3, 0, 2)))
    with pytest.raises(StatisticsError, match="1 of 2 rows contain NaN"):
        rank_systems([1, np.nan])
    with pytest.raises(StatisticsError, match='ties: unknown "max"'):
        rank_systems([1, 2], ties="max")
