"""An interval that may be looked at after every answer."""

from __future__ import annotations

import math

import numpy as np
import pytest

from captious.errors import StatisticsError
from captious.stats import confidence_sequence, sequential_mean


def capital(values: list[float], m: float, alpha: float) -> float:
    """The larger of the two bettors' capital against the mean m, value by value (equations 22 to 26)."""
    up = down = 0.5
    centre, spread, total, squares = 0.5, 0.25, 0.0, 0.0
    for t, x in enumerate(values, start=1):
        bet = math.sqrt(2 * math.log(2 / alpha) / (spread * t * math.log(t + 1)))
        up *= 1 + min(bet, 0.5 / m) * (x - m)
        down *= 1 - min(bet, 0.5 / (1 - m)) * (x - m)
        total += x
        centre = (0.5 + total) / (t + 1)
        squares += (x - centre) ** 2
        spread = (0.25 + squares) / (t + 1)
    return max(up, down)


def boundary(values: list[float], inside: float, outside: float, alpha: float) -> float:
    """Where the capital reaches 1/alpha, by bisection."""
    for _ in range(60):
        middle = (inside + outside) / 2
        if capital(values, middle, alpha) < 1 / alpha:
            inside = middle
        else:
            outside = middle
    return inside


def test_the_limits_are_where_a_bettor_has_made_one_over_alpha() -> None:
    values = [float(x) for x in np.random.default_rng(3).beta(2, 4, size=300)]
    low, high = confidence_sequence(values, level=0.9)
    mean = sum(values) / len(values)
    # Rounded outward to a thousandth, and the sequence may have been narrower before.
    assert low[-1] == pytest.approx(boundary(values, mean, 1e-6, 0.1), abs=0.003)
    assert high[-1] == pytest.approx(boundary(values, mean, 1 - 1e-6, 0.1), abs=0.003)


def test_the_first_value_alone_excludes_nothing() -> None:
    # v_0 = 1/4 and l_1 = sqrt(2 log 40 / (log 2 / 4)) = 6.52. Against m the capital is at most
    # (1 + 6.52 (1 - m)) / 2 < 3.8 of the 20 that it takes.
    low, high = confidence_sequence([1.0])
    assert (low.tolist(), high.tolist()) == ([0.0], [1.0])


def test_the_error_rate_holds_at_all_looks_where_a_repeated_interval_fails() -> None:
    rng = np.random.default_rng(20)
    studies, n, alpha, mean = 200, 250, 0.1, 0.3
    ours = repeated = 0
    t = np.arange(1, n + 1)
    for _ in range(studies):
        x = (rng.random(n) < mean).astype(float)
        low, high = confidence_sequence(x, level=1 - alpha, grid=200)
        ours += bool(((low > mean) | (high < mean)).any())
        centre = np.cumsum(x) / t
        half = 1.645 * np.sqrt(np.maximum(centre * (1 - centre), 1e-12) / t)
        repeated += bool((np.abs(centre - mean) > half)[29:].any())
    # 200 studies: above 0.1 + 3 sqrt(0.1 * 0.9 / 200) = 0.164 only where the true rate is above 0.1.
    assert ours / studies <= 0.164
    assert repeated / studies > 0.25


def test_limits_only_move_inward_and_shrink_with_the_spread() -> None:
    rng = np.random.default_rng(5)
    wide = rng.choice([-1.0, 1.0], size=400)
    narrow = wide * 0.2
    low, high = confidence_sequence(wide, bounds=(-1, 1))
    assert (np.diff(low) >= 0).all() and (np.diff(high) <= 0).all()
    close_low, close_high = confidence_sequence(narrow, bounds=(-1, 1))
    assert close_high[-1] - close_low[-1] < 0.6 * (high[-1] - low[-1])


def test_answers_about_one_image_count_as_one() -> None:
    values = [0.25, 0.75, 1.0, 0.0]
    once = sequential_mean([0.5, 1.0, 0.0], bounds=(0, 1))
    found = sequential_mean(values, clusters=["b", "b", "a", "c"], bounds=(0, 1))
    assert found == once and found.n == 3


def test_bad_input_is_refused_and_nothing_is_the_whole_range() -> None:
    with pytest.raises(StatisticsError, match="2 values are not from 0 to 1"):
        confidence_sequence([0.5, 1.5, float("nan")])
    with pytest.raises(StatisticsError, match="is empty"):
        confidence_sequence([0.5], bounds=(1, 1))
    with pytest.raises(StatisticsError, match="clusters: 1 for 2"):
        sequential_mean([0, 1], clusters=["a"])
    none = sequential_mean([], bounds=(-1, 1))
    assert (none.n, none.low, none.high) == (0, -1, 1)
