"""Exact optimal transport between small bags of words.

The cheapest way to turn one distribution into another (Monge, Kantorovich; the Earth Mover's
Distance of Rubner et al. 2000): minimise sum_ij T_ij c(i, j) over T >= 0 with row sums a and column
sums b. Solved exactly by the network simplex in C++ of POT (Flamary et al. 2021); a bag of a single
word needs no solver.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from captious.errors import MissingDependencyError, StatisticsError

FloatArray = NDArray[np.float64]
_MOST_PIVOTS = 1_000_000
_SOLVED = 1  # the code that POT's solver returns for an optimal plan
_FOREIGN = ("PYTORCH", "JAX", "CUPY", "TENSORFLOW")


class Plan(NamedTuple):
    """How much went from where to where, and what it cost in all."""

    flows: FloatArray
    cost: float


def transport(a: FloatArray, b: FloatArray, costs: FloatArray) -> Plan:
    """The cheapest plan from the distribution `a` to the distribution `b`.

    >>> plan = transport(np.array([0.5, 0.5]), np.array([0.75, 0.25]), np.array([[0., 2], [1, 0]]))
    >>> plan.flows.tolist(), plan.cost
    ([[0.5, 0.0], [0.25, 0.25]], 0.25)
    """
    if len(a) == 1 or len(b) == 1:
        flows = np.outer(a, b)
        return Plan(flows, float((flows * costs).sum()))
    flows, cost, _, _, code = _solver()(
        np.ascontiguousarray(a, dtype=np.float64),
        np.ascontiguousarray(b, dtype=np.float64),
        np.ascontiguousarray(costs, dtype=np.float64),
        _MOST_PIVOTS,
        1,
    )
    if code != _SOLVED:
        raise StatisticsError(
            f"optimal transport of {len(a)} by {len(b)} words was not solved (code {code}); "
            "do the vectors contain non-finite numbers?"
        )
    return Plan(flows, float(cost))


def lower_bound(a: FloatArray, b: FloatArray, costs: FloatArray) -> float:
    """No plan costs less: each word goes to its nearest, in either direction (Kusner 2015, 4.2).

    >>> lower_bound(np.array([0.5, 0.5]), np.array([0.75, 0.25]), np.array([[0., 2], [1, 0]]))
    0.0
    """
    return max(float(a @ costs.min(axis=1)), float(b @ costs.min(axis=0)))


def upper_bound(a: FloatArray, b: FloatArray, costs: FloatArray) -> float:
    """Some plan costs this much: every word spreads as the other bag is spread.

    >>> upper_bound(np.array([0.5, 0.5]), np.array([0.75, 0.25]), np.array([[0., 2], [1, 0]]))
    0.625
    """
    return float(a @ costs @ b)


def require_solver() -> None:
    """Refuse, with the command that fixes it, where POT is not installed."""
    from importlib.util import find_spec

    if find_spec("ot") is None:
        raise MissingDependencyError("optimal transport needs POT", "vectors")


@cache
def _solver() -> Callable[..., Any]:
    """POT's compiled solver itself: its Python front takes ten times as long as a small problem."""
    require_solver()
    switches = [] if "ot" in sys.modules else [f"POT_BACKEND_DISABLE_{name}" for name in _FOREIGN]
    before = {switch: os.environ.get(switch) for switch in switches}
    try:
        # POT would import PyTorch and its like where they are installed, and we need none of them.
        os.environ.update({switch: before[switch] or "1" for switch in switches})
        from ot.lp.emd_wrap import emd_c
    finally:
        for switch, value in before.items():
            if value is None:
                os.environ.pop(switch, None)
    solver: Callable[..., Any] = emd_c
    return solver
