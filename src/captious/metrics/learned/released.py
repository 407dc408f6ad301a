"""The regressor that the authors of VCRScore released, a pickle, read without running any of its code.

A pickle names what it is made of. Arrays are built from their bytes; objects of scikit-learn become bags
of their attributes, of which the trees are taken; any other name is refused.
"""

from __future__ import annotations

import hashlib
import io
import pickle
from pathlib import Path
from typing import Any

import numpy as np

from captious.errors import InputError, one_line
from captious.metrics.learned.folder import TrainedModel
from captious.metrics.learned.predict import LEAF, Trees, join_trees

# In the order that the released program passes them.
FEATURES = ("vcr_recall[variant=released]", "vilt", "mcipscore_ref")
_MOST_BYTES = 64 * 2**20
_BAGS = ("sklearn.", "numpy.random.", "_loss")  # the last is how scikit-learn's compiled loss is named
_MULTIARRAY = ("numpy.core.multiarray", "numpy._core.multiarray")


class _Bag:
    """What stands in place of an object: what it was made of."""

    def __new__(cls, *made_of: Any) -> _Bag:
        return object.__new__(cls)

    def __init__(self, *made_of: Any) -> None:
        self.made_of = made_of
        self.state: dict[str, Any] = {}

    def __setstate__(self, state: Any) -> None:
        self.state = state if isinstance(state, dict) else {}


class _Kind:
    """What a pickle says of the numbers of an array; NumPy's own would believe a damaged file."""

    def __init__(self, letters: str, *_: Any) -> None:
        self.letters, self.order, self.size = letters, "=", 0
        self.fields: dict[str, Any] | None = None

    def __setstate__(self, state: Any) -> None:
        _, self.order, _, names, fields, self.size, *_ = state
        if names is not None:
            self.fields = {name: fields[name][:2] for name in names}

    def dtype(self) -> np.dtype[Any]:
        """The type, of plain numbers or of records of them."""
        if self.fields is None:
            if self.letters[:1] not in tuple("biuf"):
                raise ValueError(f"numbers of type {self.letters}")
            return np.dtype(("=" if self.order == "|" else self.order) + self.letters)
        own: Any = {
            "names": list(self.fields),
            "formats": [kind.dtype() for kind, _ in self.fields.values()],
            "offsets": [offset for _, offset in self.fields.values()],
            "itemsize": self.size,
        }
        found: np.dtype[Any] = np.dtype(own)
        return found


class _Array:
    """An array of a pickle: numbers from their bytes, or a list of objects."""

    content: Any = None

    def __setstate__(self, state: Any) -> None:
        _, shape, kind, _, content = state
        if isinstance(content, list):
            self.content = content
        else:
            self.content = np.frombuffer(content, kind.dtype()).reshape(shape)


def _reconstruct(*_: Any) -> _Array:
    return _Array()


def _scalar(kind: _Kind, content: bytes) -> Any:
    return np.frombuffer(content, kind.dtype())[0]


_NUMPY = {"ndarray": _Array, "dtype": _Kind, "_reconstruct": _reconstruct, "scalar": _scalar}


class _Reader(pickle.Unpickler):
    """Makes nothing but numbers, and bags in place of everything of scikit-learn's."""

    def find_class(self, module: str, name: str) -> Any:
        if module in ("numpy", *_MULTIARRAY) and name in _NUMPY:
            return _NUMPY[name]
        if module.startswith(_BAGS):
            return type("Bag", (_Bag,), {})
        raise _StrangeNameError(f"{module}.{name}")


class _StrangeNameError(Exception):
    pass


def read_released(path: Path) -> TrainedModel:
    """The released regressor as a model of ours; whatever is no such file is refused in one line."""
    content = path.read_bytes()
    if len(content) > _MOST_BYTES:
        raise InputError(f"{path}: {len(content):,} bytes are too many for the released VCRScore.")
    try:
        predictor = _trees(_Reader(io.BytesIO(content)).load())
    except _StrangeNameError as error:
        raise InputError(
            f"{path}: names {one_line(str(error), 60)}, which a regressor does not need, so it was not "
            "loaded. Get the file from its authors again."
        ) from None
    except Exception as error:  # noqa: BLE001 - a damaged pickle may fail in any way
        raise InputError(
            f"{path}: is not the regressor that VCRScore's authors released ({one_line(str(error), 60)}). "
            "Get the file from its authors again."
        ) from None
    return TrainedModel(
        name="vcrscore",
        recipe="vcrscore",
        features=FEATURES,
        predictor=predictor,
        scale=(0.0, 1.0),
        digest=hashlib.sha256(content).hexdigest()[:8],
        facts={"released": "yes"},
    )


def _trees(model: Any) -> Trees:
    """The trees of a gradient-boosting regressor; anything missing or strange is an error."""
    own = model.state
    rate, columns = float(own["learning_rate"]), int(own["n_features_in_"])
    parts = []
    for one in own["estimators_"].content:
        tree = one.state["tree_"].state
        nodes, values = tree["nodes"].content, tree["values"].content
        inner = nodes["left_child"] != LEAF
        parts.append(
            {
                "feature": np.where(inner, nodes["feature"], LEAF),
                "threshold": np.where(inner, nodes["threshold"], 0.0),
                "left": nodes["left_child"],
                "right": nodes["right_child"],
                "value": rate * values[:, 0, 0],
                "missing_left": np.zeros(len(inner), dtype=bool),
            }
        )
    if len(parts) != int(own["n_estimators"]) or columns != len(FEATURES):
        raise ValueError(f"{len(parts)} trees over {columns} inputs")
    base = float(np.ravel(_content(own["init_"].state["constant_"]))[0])
    return Trees.from_arrays(join_trees(parts, base, columns, single=True).arrays())


def _content(value: Any) -> Any:
    return value.content if isinstance(value, _Array) else value
