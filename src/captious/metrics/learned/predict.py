"""What a trained model computes, from plain arrays: no library of the trainer's, no code in files.

Each predictor is a frozen dataclass of arrays; `predict` maps rows of features to numbers. A file
that names anything but these kinds, or whose numbers point outside, is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from captious.corpus.columns import FloatArray

Arrays = Mapping[str, NDArray[Any]]
LEAF = -1


class Predictor(Protocol):
    """A fitted model."""

    kind: ClassVar[str]

    @property
    def width(self) -> int:
        """Number of feature columns."""

    def predict(self, rows: FloatArray) -> FloatArray:
        """One number for each row of features."""

    def arrays(self) -> dict[str, NDArray[Any]]:
        """What a file stores."""


@dataclass(frozen=True, eq=False)
class Linear:
    """intercept + sum_k weight_k (x_k - mean_k) / scale_k.

    >>> model = Linear(np.zeros(2), np.ones(2), np.array([1.0, -1.0]), 0.5)
    >>> model.predict(np.array([[3.0, 1.0]])).tolist()
    [2.5]
    """

    kind: ClassVar[str] = "linear"
    mean: FloatArray
    scale: FloatArray
    weights: FloatArray
    intercept: float

    @property
    def width(self) -> int:
        """Number of feature columns."""
        return len(self.weights)

    def predict(self, rows: FloatArray) -> FloatArray:
        """One number for each row of features."""
        return np.asarray((rows - self.mean) / self.scale @ self.weights + self.intercept)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """What a file stores."""
        return {
            "mean": self.mean,
            "scale": self.scale,
            "weights": self.weights,
            "intercept": np.array(self.intercept),
        }

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> Linear:
        """Build from what a file stores; `ValueError` where it makes no sense."""
        mean, scale, weights = (arrays[name].astype(np.float64) for name in ("mean", "scale", "weights"))
        _require(mean.shape == scale.shape == weights.shape and mean.ndim == 1 and bool((scale > 0).all()))
        return cls(mean, scale, weights, float(arrays["intercept"]))


@dataclass(frozen=True, eq=False)
class Trees:
    """base + the sum over trees of the value of the leaf that a row ends in.

    Nodes of all trees stand in one column; `roots` says where each tree begins, `feature` is -1 at
    a leaf. A row goes left where its feature is at most the threshold; where it is missing (NaN),
    left where `missing_left` says so. `single` compares in single precision, as scikit-learn's
    gradient boosting does.
    """

    kind: ClassVar[str] = "trees"
    columns: int
    base: float
    roots: NDArray[np.int64]
    feature: NDArray[np.int64]
    threshold: FloatArray
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    value: FloatArray
    missing_left: NDArray[np.bool_]
    single: bool = False

    @property
    def width(self) -> int:
        """Number of feature columns."""
        return self.columns

    def predict(self, rows: FloatArray) -> FloatArray:
        """One number for each row of features."""
        values = rows.astype(np.float32).astype(np.float64) if self.single else rows
        places = np.arange(len(values))
        total = np.full(len(values), self.base)
        for root in self.roots.tolist():
            node = np.full(len(values), root, dtype=np.int64)
            open_rows = places[self.feature[node] != LEAF]
            while len(open_rows):
                at = node[open_rows]
                found = values[open_rows, self.feature[at]]
                goes_left = np.where(np.isnan(found), self.missing_left[at], found <= self.threshold[at])
                node[open_rows] = np.where(goes_left, self.left[at], self.right[at])
                open_rows = open_rows[self.feature[node[open_rows]] != LEAF]
            total += self.value[node]
        return total

    def arrays(self) -> dict[str, NDArray[Any]]:
        """What a file stores."""
        return {
            "columns": np.array(self.columns),
            "base": np.array(self.base),
            "single": np.array(self.single),
            "roots": self.roots.astype(np.int32),
            "feature": self.feature.astype(np.int32),
            "threshold": self.threshold,
            "left": self.left.astype(np.int32),
            "right": self.right.astype(np.int32),
            "value": self.value,
            "missing_left": self.missing_left,
        }

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> Trees:
        """Build from what a file stores; children stand after their parents, so that walks end."""
        whole = {
            name: arrays[name].astype(np.int64, casting="safe")
            for name in ("roots", "feature", "left", "right")
        }
        threshold, value = (arrays[name].astype(np.float64) for name in ("threshold", "value"))
        columns, size = int(arrays["columns"]), len(value)
        inner = np.flatnonzero(whole["feature"] != LEAF)
        for name in ("left", "right"):
            children = whole[name][inner]
            _require(len(whole[name]) == size and bool(((children > inner) & (children < size)).all()))
        used = whole["feature"][inner]
        _require(bool(((used >= 0) & (used < columns)).all()) and len(whole["feature"]) == size)
        _require(bool(((whole["roots"] >= 0) & (whole["roots"] < size)).all()))
        _require(len(threshold) == size == len(arrays["missing_left"]))
        return cls(
            columns=columns,
            base=float(arrays["base"]),
            threshold=threshold,
            value=value,
            missing_left=arrays["missing_left"].astype(bool),
            single=bool(arrays["single"]),
            **whole,
        )


def join_trees(parts: Sequence[dict[str, Any]], base: float, columns: int, *, single: bool) -> Trees:
    """Trees one after another in one column of nodes."""
    sizes = [len(part["value"]) for part in parts]
    roots = np.cumsum([0, *sizes[:-1]]) if sizes else np.zeros(0)
    moved = {
        name: np.concatenate(
            [
                np.where(part[name] == LEAF, LEAF, part[name] + root)
                for part, root in zip(parts, roots, strict=True)
            ]
        ).astype(np.int64)
        for name in ("left", "right")
    }
    whole = {
        name: np.concatenate([part[name] for part in parts])
        for name in ("feature", "threshold", "value", "missing_left")
    }
    # The largest finite number in place of infinity, which a split of missing from present has.
    threshold = np.nan_to_num(whole["threshold"].astype(np.float64), posinf=np.finfo(np.float64).max)
    return Trees(
        columns=columns,
        base=base,
        roots=roots.astype(np.int64),
        feature=whole["feature"].astype(np.int64),
        threshold=threshold,
        value=whole["value"].astype(np.float64),
        missing_left=whole["missing_left"],
        single=single,
        **moved,
    )


@dataclass(frozen=True, eq=False)
class Network:
    """A feed-forward network with ReLU between its layers, on standardised features.

    >>> net = Network(np.zeros(1), np.ones(1), (np.array([[2.0]]), np.array([[1.0]])),
    ...               (np.array([-1.0]), np.array([0.5])))
    >>> net.predict(np.array([[3.0], [0.0]])).tolist()  # relu(5) + 0.5, relu(-1) + 0.5
    [5.5, 0.5]
    """

    kind: ClassVar[str] = "network"
    mean: FloatArray
    scale: FloatArray
    weights: tuple[NDArray[Any], ...]
    biases: tuple[NDArray[Any], ...]

    @property
    def width(self) -> int:
        """Number of feature columns."""
        return int(self.weights[0].shape[0])

    def predict(self, rows: FloatArray) -> FloatArray:
        """One number for each row of features."""
        found = ((rows - self.mean) / self.scale).astype(self.weights[0].dtype)
        last = len(self.weights) - 1
        for place, (weights, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            found = found @ weights + bias
            if place < last:
                found = np.maximum(found, 0)
        return found[:, 0].astype(np.float64)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """What a file stores."""
        stored: dict[str, NDArray[Any]] = {"mean": self.mean, "scale": self.scale}
        for place, (weights, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            stored |= {f"weights{place}": weights, f"bias{place}": bias}
        return stored

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> Network:
        """Build from what a file stores; every layer must fit the one before it."""
        count = sum(name.startswith("weights") for name in arrays)
        weights = tuple(arrays[f"weights{place}"] for place in range(count))
        biases = tuple(arrays[f"bias{place}"] for place in range(count))
        mean, scale = arrays["mean"].astype(np.float64), arrays["scale"].astype(np.float64)
        _require(count > 0 and all(np.issubdtype(w.dtype, np.floating) and w.ndim == 2 for w in weights))
        sizes = [len(mean), *(w.shape[1] for w in weights)]
        _require(all(w.shape[0] == before for w, before in zip(weights, sizes, strict=False)))
        _require(all(b.shape == (size,) for b, size in zip(biases, sizes[1:], strict=True)))
        _require(sizes[-1] == 1 and scale.shape == mean.shape and bool((scale > 0).all()))
        return cls(mean, scale, weights, biases)


@dataclass(frozen=True, eq=False)
class Mean:
    """The mean of several predictors, for instance of one architecture from several seeds."""

    kind: ClassVar[str] = "mean"
    members: tuple[Predictor, ...]

    @property
    def width(self) -> int:
        """Number of feature columns."""
        return self.members[0].width

    def predict(self, rows: FloatArray) -> FloatArray:
        """One number for each row of features."""
        return np.asarray(np.mean([member.predict(rows) for member in self.members], axis=0))

    def arrays(self) -> dict[str, NDArray[Any]]:
        """What a file stores."""
        return {
            f"{place}.{member.kind}.{name}": array
            for place, member in enumerate(self.members)
            for name, array in member.arrays().items()
        }

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> Mean:
        """Build from what a file stores."""
        own: dict[int, dict[str, NDArray[Any]]] = {}
        kinds: dict[int, str] = {}
        for key, array in arrays.items():
            place, kind, name = key.split(".", 2)
            own.setdefault(int(place), {})[name] = array
            kinds[int(place)] = kind
        _require(bool(own) and "mean" not in kinds.values())
        members = tuple(build_predictor(kinds[place], own[place]) for place in sorted(own))
        _require(len({member.width for member in members}) == 1)
        return cls(members)


KINDS: dict[str, Callable[[Arrays], Predictor]] = {
    "linear": Linear.from_arrays,
    "trees": Trees.from_arrays,
    "network": Network.from_arrays,
    "mean": Mean.from_arrays,
}


def build_predictor(kind: str, arrays: Arrays) -> Predictor:
    """The predictor of a kind from stored arrays; `ValueError` or `KeyError` where they do not fit."""
    predictor = KINDS[kind](arrays)
    _require(all(np.isfinite(a).all() for a in arrays.values() if np.issubdtype(a.dtype, np.floating)))
    return predictor


def mean_of(predictors: Sequence[Predictor]) -> Predictor:
    """One predictor as it is, several as their mean."""
    return predictors[0] if len(predictors) == 1 else Mean(tuple(predictors))


def _require(sound: bool) -> None:
    if not sound:
        raise ValueError("arrays do not fit")
