from __future__ import annotations

import numpy as np
import pytest

from captious.errors import StatisticsError
from captious.stats.columns import finite_pair, number_labels, undefined_reason


def test_labels_are_numbered_in_sorted_order():
    labels = number_labels(["dog", "cat", "dog"], 3, "groups")
    assert labels.index.tolist() == [1, 0, 1]
    assert labels.names.tolist() == ["cat", "dog"]
    assert labels.count == 2


def test_a_missing_label_is_refused():
    with pytest.raises(StatisticsError, match="groups: a label is NaN"):
        number_labels([1.0, np.nan], 2, "groups")
    with pytest.raises(StatisticsError, match="labels for 3 rows"):
        number_labels(["a", "b"], 3, "groups")


def test_tables_and_infinities_are_refused():
    with pytest.raises(StatisticsError, match="x: expected one column"):
        finite_pair([[1, 2], [3, 4]], [1, 2])
    with pytest.raises(StatisticsError, match="x: 1 of 2 values are NaN or infinite"):
        finite_pair([1, -np.inf], [1, 2])


def test_defined_columns_have_no_reason():
    assert undefined_reason(np.array([1.0, 2.0]), np.array([2.0, 1.0])) == ""
