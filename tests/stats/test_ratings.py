from __future__ import annotations

import numpy as np
import pytest

from captious.errors import StatisticsError
from captious.stats.ratings import as_ratings, merge_categories, patterns, rating_matrix


def test_long_columns_become_items_by_raters_in_order_of_appearance() -> None:
    built = rating_matrix(["b", "a", "b"], ["y", "y", "x"], [3, 1, 2])
    assert built.items == ["b", "a"]
    assert built.raters == ["y", "x"]
    np.testing.assert_array_equal(built.values, [[3, 2], [1, np.nan]])


def test_a_second_rating_by_the_same_rater_is_refused_with_its_row() -> None:
    with pytest.raises(StatisticsError, match=r"row 2: rater 'x' rates item 'a' again"):
        rating_matrix(["a", "b", "a"], ["x", "x", "x"], [1, 2, 3])


def test_columns_of_unequal_length_are_refused() -> None:
    with pytest.raises(StatisticsError, match="2 items, 1 raters, 2 values"):
        rating_matrix(["a", "b"], ["x"], [1, 2])


def test_a_value_off_the_scale_is_refused_with_its_place() -> None:
    with pytest.raises(StatisticsError, match=r"item 1, rater 0 is 6, outside the scale 1 to 5"):
        as_ratings([[1, 2], [6, 3]], scale=(1, 5))


@pytest.mark.parametrize(
    ("ratings", "message"),
    [
        ([["good", "bad"]], "not a matrix of numbers"),
        ([[1, 2], [3]], "not a matrix of numbers"),
        ([1, 2, 3], r"found shape \(3,\)"),
        ([[1, np.inf]], "item 0, rater 1 is infinite"),
    ],
)
def test_what_is_no_rating_matrix_is_refused_in_one_line(ratings: object, message: str) -> None:
    with pytest.raises(StatisticsError, match=message) as refused:
        as_ratings(ratings)  # type: ignore[arg-type]
    assert "\n" not in str(refused.value)


def test_non_numeric_values_are_refused() -> None:
    with pytest.raises(StatisticsError, match="Map labels to numbers"):
        rating_matrix(["a"], ["x"], ["good"])  # type: ignore[list-item]


def test_a_category_outside_the_named_ones_is_refused() -> None:
    with pytest.raises(StatisticsError, match="7 is not one of the categories 1, 2"):
        patterns([[1, 7]], categories=[1, 2])


def test_merging_swaps_at_once_and_keeps_missing() -> None:
    # {4: 5, 5: 4} exchanges the two and does not turn all into one.
    np.testing.assert_array_equal(merge_categories([[4, 5, np.nan]], {4: 5, 5: 4}), [[5, 4, np.nan]])


def test_patterns_rebuild_the_matrix() -> None:
    rng = np.random.default_rng(3)
    matrix = rng.integers(1, 5, (200, 3)).astype(float)
    matrix[rng.random(matrix.shape) < 0.2] = np.nan
    found = patterns(matrix)
    rebuilt = np.append(found.categories, np.nan)[found.codes[found.of_item]]
    np.testing.assert_array_equal(rebuilt, matrix)
    assert found.frequencies.sum() == len(matrix)
