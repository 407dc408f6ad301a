"""A feed-forward network with dropout, trained by Adam, in NumPy: no torch needed.

The architecture and schedule of Scott et al. 2023, 3.4 are options; `captious train rating` sets them
to the paper's, which names no optimiser; Adam is the choice made here. Every epoch draws its order and
its dropout from the seed and the epoch's number, so that a run that was interrupted ends as one that
was not.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from captious.errors import InputError
from captious.learn.journal import Arrays
from captious.learn.models.base import Fit, Learner, learner
from captious.learn.models.ridge import standard
from captious.metrics.learned.predict import LEAF, Network, Predictor, join_trees

Single = NDArray[np.float32]
_BETA_1, _BETA_2, _EPSILON = 0.9, 0.999, 1e-7  # Kingma and Ba 2015; Keras' epsilon
_PIECE = 1 << 15  # numbers of which four arrays fit a processor's cache
_SECONDS_BETWEEN_CHECKPOINTS = 60.0


class _State(NamedTuple):
    """Parameters (weights and biases by turns) and Adam's two moments of each."""

    parameters: list[Single]
    first: list[Single]
    second: list[Single]


class _Best(NamedTuple):
    """The epoch with the lowest error on the validation rows, and its parameters."""

    error: float
    epoch: int
    parameters: list[Single]


@learner("mlp")
@dataclass(frozen=True)
class Mlp(Learner):
    """Layers of ReLU with dropout, squared loss, Adam with a rate that falls in steps.

    `hidden` are the sizes of the hidden layers joined by `x`; `rate` is multiplied by `decay` every
    `every` epochs; with `patience` training stops after so many epochs without a lower error on the
    validation rows, and the best epoch is kept.
    """

    summary: ClassVar[str] = "feed-forward network with dropout, trained by Adam, in NumPy"
    needs_sklearn: ClassVar[bool] = False
    limits: ClassVar[dict[str, tuple[float, float]]] = {
        "rate": (1e-12, 10),
        "decay": (0.001, 1),
        "every": (1, 1_000_000),
        "epochs": (1, 1_000_000),
        "batch": (1, 1_000_000),
    }

    hidden: str = "64x16"
    dropout: float = 0.2
    rate: float = 1e-3
    decay: float = 0.99
    every: int = 15
    epochs: int = 200
    batch: int = 256
    patience: int = 20
    standardise: bool = True

    def __post_init__(self) -> None:
        if not 0 <= self.dropout < 1:
            raise InputError(f"mlp: dropout is {self.dropout}; it must be from 0 to below 1.")
        super().__post_init__()
        self.sizes()

    def sizes(self) -> list[int]:
        """Sizes of the hidden layers."""
        try:
            sizes = [int(size) for size in self.hidden.split("x")]
        except ValueError:
            sizes = []
        if not sizes or min(sizes) < 1:
            raise InputError(f'mlp: hidden is "{self.hidden}"; write sizes joined by x, such as 1024x64.')
        return sizes

    def fit(self, given: Fit) -> Predictor:
        """Train the network, going on from the journal's last checkpoint where there is one."""
        mean, scale = standard(given.rows) if self.standardise else _unchanged(given.rows)
        rows = ((given.rows - mean) / scale).astype(np.float32)
        target = given.target.astype(np.float32)
        judged = None
        if given.validation is not None and len(given.validation[1]) and self.patience:
            judged = ((given.validation[0] - mean) / scale).astype(np.float32), given.validation[1]
        start, state, best = self._begin(given, rows.shape[1])
        saved = time.monotonic()
        for epoch in range(start, self.epochs):
            if given.progress and epoch % 5 == 0:
                given.progress("epochs", epoch, self.epochs)
            self._epoch(state, rows, target, given.seed, epoch)
            if judged is not None:
                error = float(((_forward(state.parameters, judged[0]) - judged[1]) ** 2).mean())
                if error < best.error:
                    best = _Best(error, epoch, [one.copy() for one in state.parameters])
                elif epoch - best.epoch >= self.patience:
                    break
            if time.monotonic() - saved > _SECONDS_BETWEEN_CHECKPOINTS:
                given.journal.write(_step(given), _packed(epoch + 1, state, best))
                saved = time.monotonic()
        given.journal.forget(_step(given))
        chosen = best.parameters if judged is not None and best.parameters else state.parameters
        return Network(mean, scale, tuple(chosen[0::2]), tuple(chosen[1::2]))

    def _begin(self, given: Fit, width: int) -> tuple[int, _State, _Best]:
        stored = given.journal.read(_step(given))
        if stored is not None:
            return _unpacked(stored)
        rng = np.random.default_rng([given.seed, 0])
        parameters: list[Single] = []
        sizes = [width, *self.sizes(), 1]
        for before, after in pairwise(sizes):
            reach = np.sqrt(6 / (before + after))  # Glorot and Bengio 2010
            parameters += [rng.uniform(-reach, reach, (before, after)).astype(np.float32)]
            parameters += [np.zeros(after, dtype=np.float32)]
        parameters[-1][:] = given.target.mean()
        zeros = [np.zeros_like(one) for one in parameters]
        state = _State(parameters, zeros, [np.zeros_like(one) for one in parameters])
        return 0, state, _Best(np.inf, 0, [])

    def _epoch(self, state: _State, rows: Single, target: Single, seed: int, epoch: int) -> None:
        rng = np.random.default_rng([seed, 1, epoch])
        order = rng.permutation(len(rows))
        rate = self.rate * self.decay ** (epoch // self.every)
        steps_an_epoch = -(-len(rows) // self.batch)
        for place in range(steps_an_epoch):
            part = order[place * self.batch : (place + 1) * self.batch]
            gradients = self._gradients(state.parameters, rows[part], target[part], rng)
            _adam(state, gradients, rate, epoch * steps_an_epoch + place + 1)

    def _gradients(
        self, parameters: list[Single], rows: Single, target: Single, rng: np.random.Generator
    ) -> list[Single]:
        """Gradients of the mean squared error, by back-propagation."""
        inputs, kept, found = [], [], rows
        last = len(parameters) // 2 - 1
        for layer in range(last + 1):
            inputs.append(found)
            found = found @ parameters[2 * layer] + parameters[2 * layer + 1]
            if layer < last:
                mask = (rng.random(found.shape, dtype=np.float32) >= self.dropout).astype(np.float32)
                mask *= (found > 0) / np.float32(1 - self.dropout)
                kept.append(mask)
                found = found * mask
        error = (2 / len(rows)) * (found - target[:, None])
        gradients: list[Single] = []
        for layer in range(last, -1, -1):
            gradients = [inputs[layer].T @ error, error.sum(axis=0), *gradients]
            if layer:
                error = (error @ parameters[2 * layer].T) * kept[layer - 1]
        return gradients


def _adam(state: _State, gradients: list[Single], rate: float, step: int) -> None:
    """One step, in place and a piece at a time: a whole matrix does not fit the processor's cache."""
    size = np.float32(rate * np.sqrt(1 - _BETA_2**step) / (1 - _BETA_1**step))
    for arrays in zip(*state, gradients, strict=True):
        flat = [array.reshape(-1) for array in arrays]
        for start in range(0, len(flat[0]), _PIECE):
            own, first, second, slope = (array[start : start + _PIECE] for array in flat)
            first *= _BETA_1
            first += (1 - _BETA_1) * slope
            second *= _BETA_2
            slope *= slope
            slope *= 1 - _BETA_2
            second += slope
            np.sqrt(second, out=slope)
            slope += _EPSILON
            np.divide(first, slope, out=slope)
            slope *= size
            own -= slope


def _forward(parameters: list[Single], rows: Single) -> Single:
    last = len(parameters) // 2 - 1
    found = rows
    for layer in range(last + 1):
        found = found @ parameters[2 * layer] + parameters[2 * layer + 1]
        if layer < last:
            found = np.maximum(found, 0)
    return found[:, 0]


def _unchanged(rows: NDArray[Any]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    return np.zeros(rows.shape[1]), np.ones(rows.shape[1])


def _step(given: Fit) -> str:
    return f"checkpoint {given.step}"


def _packed(epoch: int, state: _State, best: _Best) -> Arrays:
    found: Arrays = {"epoch": np.array(epoch), "error": np.array(best.error), "best": np.array(best.epoch)}
    for name, arrays in zip(("p", "f", "s", "b"), (*state, best.parameters), strict=True):
        found |= {f"{name}{place}": array for place, array in enumerate(arrays)}
    return found


def _unpacked(stored: Arrays) -> tuple[int, _State, _Best]:
    def column(name: str) -> list[Single]:
        count = sum(key.startswith(name) and key[1:].isdigit() for key in stored)
        return [stored[f"{name}{place}"] for place in range(count)]

    best = _Best(float(stored["error"]), int(stored["best"]), column("b"))
    return int(stored["epoch"]), _State(column("p"), column("f"), column("s")), best


@learner("gbr")
@dataclass(frozen=True)
class GradientBoosting(Learner):
    """Gradient boosting of regression trees with squared loss (Friedman 2001).

    The defaults are scikit-learn's; VCRScore (3.3) names no others.
    """

    summary: ClassVar[str] = "gradient boosting of small trees (Friedman 2001), VCRScore's regressor"
    limits: ClassVar[dict[str, tuple[float, float]]] = {
        "trees": (1, 100_000),
        "depth": (1, 100),
        "rate": (1e-6, 10),
        "subsample": (0.01, 1),
        "leaf": (1, 1_000_000),
    }

    trees: int = 100
    depth: int = 3
    rate: float = 0.1
    subsample: float = 1.0
    leaf: int = 1

    def fit(self, given: Fit) -> Predictor:
        """Fit the trees and take them out of scikit-learn's objects."""
        from sklearn.ensemble import GradientBoostingRegressor

        model = GradientBoostingRegressor(
            n_estimators=self.trees,
            max_depth=self.depth,
            learning_rate=self.rate,
            subsample=self.subsample,
            min_samples_leaf=self.leaf,
            random_state=given.seed,
        ).fit(given.rows, given.target)
        parts = []
        for (one,) in model.estimators_:
            tree = one.tree_
            inner = tree.children_left != LEAF
            parts.append(
                {
                    "feature": np.where(inner, tree.feature, LEAF),
                    "threshold": np.where(inner, tree.threshold, 0.0),
                    "left": tree.children_left,
                    "right": tree.children_right,
                    "value": self.rate * tree.value[:, 0, 0],
                    "missing_left": np.zeros(len(inner), dtype=bool),
                }
            )
        return join_trees(parts, float(model.init_.constant_.ravel()[0]), given.rows.shape[1], single=True)


@learner("hist")
@dataclass(frozen=True)
class HistogramBoosting(Learner):
    """Histogram-based boosting (Ke et al. 2017), which may be told to be monotone.

    With `monotone=yes` a better value of a feature never lowers the rating.
    """

    summary: ClassVar[str] = "histogram-based boosting; fast on many rows; monotone=yes"
    limits: ClassVar[dict[str, tuple[float, float]]] = {
        "trees": (1, 100_000),
        "leaves": (2, 65_536),
        "rate": (1e-6, 10),
        "leaf": (1, 1_000_000),
        "penalty": (0, 1e9),
    }

    trees: int = 100
    leaves: int = 31
    rate: float = 0.1
    leaf: int = 20
    penalty: float = 0.0
    monotone: bool = False

    def fit(self, given: Fit) -> Predictor:
        """Fit the trees and take them out of scikit-learn's objects."""
        from sklearn.ensemble import HistGradientBoostingRegressor

        model = HistGradientBoostingRegressor(
            max_iter=self.trees,
            max_leaf_nodes=self.leaves,
            learning_rate=self.rate,
            min_samples_leaf=self.leaf,
            l2_regularization=self.penalty,
            monotonic_cst=given.signs.tolist() if self.monotone else None,
            early_stopping=False,
            random_state=given.seed,
        ).fit(given.rows, given.target)
        parts = []
        # scikit-learn has no public view of these trees; tests hold what is read here against
        # its own predictions.
        for (one,) in model._predictors:
            nodes = one.nodes
            inner = nodes["is_leaf"] == 0
            parts.append(
                {
                    "feature": np.where(inner, nodes["feature_idx"], LEAF),
                    "threshold": np.where(inner, nodes["num_threshold"], 0.0),
                    "left": np.where(inner, nodes["left"].astype(np.int64), LEAF),
                    "right": np.where(inner, nodes["right"].astype(np.int64), LEAF),
                    "value": nodes["value"],
                    "missing_left": nodes["missing_go_to_left"].astype(bool),
                }
            )
        return join_trees(
            parts, float(model._baseline_prediction.ravel()[0]), given.rows.shape[1], single=False
        )
