from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("ot")

from captious.errors import StatisticsError
from captious.text.transport import lower_bound, transport, upper_bound


def problem(seed: int, rows: int, columns: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    counts = [rng.integers(1, 4, size) for size in (rows, columns)]
    a, b = (count / count.sum() for count in counts)
    return a, b, rng.random((rows, columns))


def cost_by_linear_programming(a: np.ndarray, b: np.ndarray, costs: np.ndarray) -> float:
    from scipy.optimize import linprog

    rows, columns = costs.shape
    sums = np.zeros((rows + columns, rows * columns))
    for i in range(rows):
        sums[i, i * columns : (i + 1) * columns] = 1
    for j in range(columns):
        sums[rows + j, j::columns] = 1
    return float(linprog(costs.ravel(), A_eq=sums, b_eq=np.concatenate([a, b])).fun)


@given(st.integers(0, 10_000), st.integers(1, 9), st.integers(1, 9))
@settings(max_examples=40, deadline=None)
def test_the_plan_is_the_cheapest(seed: int, rows: int, columns: int) -> None:
    a, b, costs = problem(seed, rows, columns)
    plan = transport(a, b, costs)
    assert plan.cost == pytest.approx(cost_by_linear_programming(a, b, costs), abs=1e-9)
    np.testing.assert_allclose(plan.flows.sum(axis=1), a, atol=1e-12)
    np.testing.assert_allclose(plan.flows.sum(axis=0), b, atol=1e-12)
    assert float((plan.flows * costs).sum()) == pytest.approx(plan.cost, abs=1e-12)
    assert lower_bound(a, b, costs) <= plan.cost + 1e-12
    assert upper_bound(a, b, costs) >= plan.cost - 1e-12


def test_equal_bags_cost_nothing() -> None:
    weights = np.full(4, 0.25)
    assert transport(weights, weights, 1.0 - np.eye(4)).cost == 0.0
    assert transport(weights, weights, np.zeros((4, 4))).cost == 0.0


def test_bags_of_different_mass_are_refused() -> None:
    half = np.full(2, 0.5)
    with pytest.raises(StatisticsError, match="optimal transport of 2 by 2 words was not solved"):
        transport(half, np.array([0.9, 0.9]), np.ones((2, 2)))


def test_the_solver_brings_no_deep_learning_library_and_leaves_the_environment_alone() -> None:
    code = (
        "import os, sys, numpy as np\n"
        "from captious.text.transport import transport\n"
        "before = dict(os.environ)\n"
        "transport(np.full(2, .5), np.full(2, .5), np.eye(2))\n"
        "print(sorted({'torch', 'jax', 'tensorflow'} & set(sys.modules)), before == os.environ)"
    )
    out = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=dict(os.environ)
    )
    assert out.stdout.strip() == "[] True"
