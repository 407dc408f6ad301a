from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from captious.errors import StatisticsError
from captious.stats.kappa import Weighting, cohen_kappa, fleiss_kappa

# Gwet 2014, page 120 (`raw4raters` in the irrCAC packages): 12 items, 4 raters.
GWET = np.array(
    [
        [1, 1, np.nan, 1],
        [2, 2, 3, 2],
        [3, 3, 3, 3],
        [3, 3, 3, 3],
        [2, 2, 2, 2],
        [1, 2, 3, 4],
        [4, 4, 4, 4],
        [1, 1, 2, 1],
        [2, 2, 2, 2],
        [np.nan, 5, 5, 5],
        [np.nan, np.nan, 1, 1],
        [np.nan, np.nan, 3, np.nan],
    ]
)
FLEISS_TABLE = [  # the worked example of many textbooks: 14 raters, 5 categories, kappa 0.210
    [0, 0, 0, 0, 14],
    [0, 2, 6, 4, 2],
    [0, 0, 3, 5, 6],
    [0, 3, 9, 2, 0],
    [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0],
    [3, 2, 6, 3, 0],
    [2, 5, 3, 2, 2],
    [6, 5, 2, 1, 0],
    [0, 2, 2, 3, 7],
]


def test_cohens_two_by_two_example() -> None:
    # 50 proposals: both yes 20, only first 5, only second 10, both no 15.
    # observed 35/50 = .7; chance .5 * .6 + .5 * .4 = .5; kappa = .2 / .5
    first = [1] * 25 + [0] * 25
    second = [1] * 20 + [0] * 5 + [1] * 10 + [0] * 15
    assert cohen_kappa(first, second).value == pytest.approx(0.4)


@pytest.mark.parametrize("weights", ["none", "linear", "quadratic"])
def test_cohen_equals_scikit_learn(weights: Weighting) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(0)
    first = rng.integers(1, 6, 300)
    second = np.clip(first + rng.integers(-1, 3, 300), 1, 5)
    expected = metrics.cohen_kappa_score(first, second, weights=None if weights == "none" else weights)
    assert cohen_kappa(first, second, weights=weights).value == pytest.approx(expected, abs=1e-12)


def test_cohen_with_an_unused_category_between() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    first, second = [1, 2, 4, 4, 1], [1, 1, 4, 2, 2]
    found = cohen_kappa(first, second, weights="quadratic", categories=[1, 2, 3, 4])
    expected = metrics.cohen_kappa_score(first, second, weights="quadratic", labels=[1, 2, 3, 4])
    assert found.value == pytest.approx(expected, abs=1e-12)
    assert found.value != pytest.approx(cohen_kappa(first, second, weights="quadratic").value)


def test_cohen_leaves_out_items_that_one_rater_skipped() -> None:
    found = cohen_kappa([1, 1, 2, 2, np.nan], [1, 1, 2, 1, 2])
    assert (found.value, found.n_items) == (pytest.approx(0.5), 4)


def test_cohen_refuses_what_it_cannot_compare() -> None:
    with pytest.raises(StatisticsError, match="3 and 2 items"):
        cohen_kappa([1, 2, 3], [1, 2])
    with pytest.raises(StatisticsError, match="cubic"):
        cohen_kappa([1, 2], [1, 2], weights="cubic")  # type: ignore[arg-type]
    with pytest.raises(StatisticsError, match="too many categories"):
        cohen_kappa(np.arange(2000), np.arange(2000))


def test_fleiss_worked_example() -> None:
    ratings = [np.repeat(np.arange(5), row) for row in FLEISS_TABLE]
    assert fleiss_kappa(ratings).value == pytest.approx(0.210, abs=5e-4)


def test_fleiss_equals_statsmodels() -> None:
    inter_rater = pytest.importorskip("statsmodels.stats.inter_rater")
    rng = np.random.default_rng(1)
    ratings = np.clip(rng.integers(1, 6, (200, 1)) + rng.integers(-1, 2, (200, 5)), 1, 5)
    table, _ = inter_rater.aggregate_raters(ratings)
    expected = inter_rater.fleiss_kappa(table)
    assert fleiss_kappa(ratings).value == pytest.approx(expected, abs=1e-12)


def test_fleiss_with_missing_ratings_equals_gwet() -> None:
    # irrCAC 0.4.4 for Python prints 0.76117 for these data.
    assert fleiss_kappa(GWET).value == pytest.approx(0.76117, abs=5e-6)


def test_merged_categories_count_as_one() -> None:
    ratings = [[4, 5, 4], [1, 1, 1], [5, 5, 4], [2, 1, 1]]
    merged = fleiss_kappa(ratings, merged={5: 4})
    assert merged.value == fleiss_kappa([[4, 4, 4], [1, 1, 1], [4, 4, 4], [2, 1, 1]]).value
    assert merged.value > fleiss_kappa(ratings).value


@given(st.lists(st.lists(st.integers(1, 4), min_size=3, max_size=3), min_size=2, max_size=12))
def test_fleiss_does_not_ask_who_rated_or_in_which_order(rows: list[list[int]]) -> None:
    shuffled = [sorted(row) for row in reversed(rows)]
    found, again = fleiss_kappa(rows).value, fleiss_kappa(shuffled).value
    assert found == pytest.approx(again, abs=1e-12, nan_ok=True)
    assert np.isnan(found) or -0.5 - 1e-9 <= found <= 1 + 1e-9  # -1/(n-1) is the least
