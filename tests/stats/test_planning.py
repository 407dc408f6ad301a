from __future__ import annotations

import numpy as np
import pytest

from captious.errors import StatisticsError
from captious.stats.planning import PlannedStudy, plan_study, smallest_study, variance_components


def _pilot(raters_differ: float = 0.0, mean: float = 0.3) -> np.ndarray:
    rng = np.random.default_rng(15)
    items = rng.normal(0, 1, (400, 1))
    raters = rng.normal(0, raters_differ, (1, 6)) if raters_differ else 0.0
    return mean + items + raters + rng.normal(0, 1.5, (400, 6))


def test_nested_components_by_hand() -> None:
    # Item means 2 and 6, variance 8; residuals -1 1 -1 1, mean square 4 / 2 = 2; items 8 - 2/2 = 7
    parts = variance_components([[1, 3], [5, 7]])
    assert parts.mean == 4
    assert parts.items.var() == pytest.approx(7)
    assert parts.residuals.var() == pytest.approx(2)


def test_crossed_components_by_hand() -> None:
    # Item means 2 and 6 (variance 8), rater means 3 and 5 (variance 2), no residual
    parts = variance_components([[1, 3], [5, 7]], "crossed")
    assert (parts.items.var(), parts.raters.var()) == (pytest.approx(8), pytest.approx(2))
    assert parts.residuals.var() == 0


@pytest.mark.parametrize("n_raters", [1, 3, 12])
def test_spread_equals_the_formula_of_the_nested_design(n_raters: int) -> None:
    # Variance of a study's mean: items / n + residual / (n m), Shavelson and Webb 1991
    pilot = _pilot()
    parts = variance_components(pilot)
    variance = (parts.items.var() + parts.residuals.var() / n_raters) / 50
    (found,) = plan_study(pilot, [50], [n_raters], simulations=4000)
    assert found.spread == pytest.approx(1.96 * variance**0.5, rel=0.07)
    assert found.half_width == pytest.approx(2.01 * variance**0.5, rel=0.03)  # t(49) = 2.0096
    assert found.coverage == pytest.approx(0.95, abs=0.015)


def test_crossed_raters_add_to_the_spread_and_the_interval_over_items_does_not_know() -> None:
    pilot = _pilot(raters_differ=0.5)
    parts = variance_components(pilot, "crossed")
    variance = parts.items.var() / 100 + parts.raters.var() / 3 + parts.residuals.var() / 300
    (found,) = plan_study(pilot, [100], [3], design="crossed", simulations=3000)
    assert found.spread == pytest.approx(1.96 * variance**0.5, rel=0.1)
    assert found.half_width < 0.7 * found.spread
    assert found.coverage < 0.8


def test_power_equals_the_t_test() -> None:
    power = pytest.importorskip("statsmodels.stats.power")
    pilot = _pilot()
    parts = variance_components(pilot)
    sd = (parts.items.var() + parts.residuals.var() / 2) ** 0.5
    (found,) = plan_study(pilot, [60], [2], mean=0.4, simulations=4000)
    expected = power.TTestPower().power(0.4 / sd, nobs=60, alpha=0.025, alternative="larger")
    assert found.power == pytest.approx(expected, abs=0.035)


def test_without_an_effect_power_is_the_error_rate() -> None:
    (found,) = plan_study(_pilot(), [80], [2], mean=0.0, simulations=4000)
    assert found.power == pytest.approx(0.025, abs=0.01)


def test_progress_seed_and_order_of_sizes() -> None:
    seen: list[tuple[int, int]] = []
    asked = {"simulations": 100, "seed": 2}
    plans = plan_study(
        _pilot(), [20, 40], [1, 2], progress=lambda done, total: seen.append((done, total)), **asked
    )  # type: ignore[arg-type]
    assert [(plan.n_items, plan.n_raters) for plan in plans] == [(20, 1), (20, 2), (40, 1), (40, 2)]
    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]
    assert plans == plan_study(_pilot(), [20, 40], [1, 2], **asked)  # type: ignore[arg-type]


def test_the_smallest_study_that_serves() -> None:
    plans = [
        PlannedStudy(100, 1, 0.20, 0.2, 0.95, 0.70),
        PlannedStudy(100, 2, 0.15, 0.2, 0.95, 0.85),
        PlannedStudy(200, 1, 0.14, 0.2, 0.95, 0.90),
        PlannedStudy(200, 2, 0.11, 0.2, 0.95, 0.97),
    ]
    assert smallest_study(plans, power=0.8) == plans[2]
    assert smallest_study(plans, half_width=0.12) == plans[3]
    assert smallest_study(plans, half_width=0.1) is None


def test_a_pilot_with_one_rating_an_item_plans_for_one_rater_only() -> None:
    pilot = [[1, np.nan], [np.nan, 3], [4, np.nan]]
    (found,) = plan_study(pilot, [30], [1], simulations=50)
    assert found.half_width > 0
    with pytest.raises(StatisticsError, match="items and noise cannot be separated"):
        plan_study(pilot, [30], [2], simulations=50)


def test_pilots_and_sizes_that_cannot_be_planned_are_refused() -> None:
    with pytest.raises(StatisticsError, match="fewer than two rated items"):
        plan_study([[1, 2]], [30], [2])
    with pytest.raises(StatisticsError, match="1 items by 2 raters"):
        plan_study([[1, 2], [2, 3]], [1], [2])
    with pytest.raises(StatisticsError, match="at least two of each"):
        plan_study([[1, np.nan], [2, 3]], [10], [2], design="crossed")
    with pytest.raises(StatisticsError, match="split"):
        plan_study([[1, 2], [2, 3]], [10], [2], design="split")  # type: ignore[arg-type]
