"""Low-rank changes of weights."""

from __future__ import annotations

import numpy as np
import pytest

from captious.errors import InputError
from captious.models.encoders.low_rank import LowRank

FACTORS = {"w": (np.array([[1.0, 2.0]], np.float32), np.array([[1.0], [0.0], [3.0]], np.float32))}


def test_the_change_is_added_at_its_strength() -> None:
    changed = LowRank(FACTORS, 0.5).applied({"w": np.ones((3, 2), np.float32), "v": np.zeros(1, np.float32)})
    # 1 + 0.5 * b a, with b a = [[1, 2], [0, 0], [3, 6]]
    assert changed["w"].tolist() == [[1.5, 2.0], [1.0, 1.0], [2.5, 4.0]]
    assert changed["v"].tolist() == [0.0]


def test_weights_of_another_shape_are_refused() -> None:
    with pytest.raises(InputError, match='no matrix "w"'):
        LowRank(FACTORS).applied({"w": np.ones((2, 2), np.float32)})


def test_the_digest_tells_changes_apart() -> None:
    assert LowRank(FACTORS).digest() == LowRank(dict(FACTORS)).digest()
    assert LowRank(FACTORS).digest() != LowRank(FACTORS, 0.5).digest()
