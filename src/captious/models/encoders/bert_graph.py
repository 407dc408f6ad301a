"""BERT (Devlin et al. 2019) as a graph for ONNX Runtime, made from published weights.

The graph takes texts of one length and returns their hidden states after a given layer, so there is
no padding and no mask. It is written to the cache once; weights stay 32-bit floats (`bert_int8` rounds them).
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from captious.errors import InputError
from captious.models.encoders.wordpiece import read_wordpiece

FUSED = "com.microsoft"  # operators of ONNX Runtime that do several steps at once
_OPSET, _IR_VERSION = 17, 8
LAYOUT = 1  # raise it where the graph changes
Weights = Mapping[str, NDArray[np.float32]]


class Shape(NamedTuple):
    """What of a BERT's `config.json` shapes its graph."""

    layers: int
    heads: int
    width: int
    positions: int
    epsilon: float

    @classmethod
    def of(cls, config: Mapping[str, Any], where: Path) -> Shape:
        """Read from a model's configuration; refuse what the graph does not compute."""
        if config.get("hidden_act", "gelu") != "gelu" or config.get(
            "position_embedding_type", "absolute"
        ) not in ("absolute", None):
            raise InputError(f"{where}: this kind of BERT needs backend=torch.")
        try:
            return cls(
                int(config["num_hidden_layers"]),
                int(config["num_attention_heads"]),
                int(config["hidden_size"]),
                int(config["max_position_embeddings"]),
                float(config.get("layer_norm_eps", 1e-12)),
            )
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(f"{where}: config.json has no {error}. Download it again.") from None


class Builder:
    """Collects nodes and weights; every method returns the name of what it made."""

    def __init__(self, weights: Weights, shape: Shape) -> None:
        self._weights, self._shape = weights, shape
        self.width = shape.width
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def weight(self, name: str) -> NDArray[np.float32]:
        """A published weight by its name, under either of its spellings."""
        for known in (name, name.replace("weight", "gamma").replace("bias", "beta")):
            for prefix in ("", "bert."):
                if prefix + known in self._weights:
                    return self._weights[prefix + known]
        raise InputError(f'the weights contain no "{name}", so this is not a BERT model. Try backend=torch.')

    def constant(self, name: str, values: NDArray[Any]) -> str:
        """An array of the graph."""
        from onnx import numpy_helper

        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def node(self, kind: str, inputs: list[str], out: str, domain: str = "", **facts: Any) -> str:
        """An operator with one output."""
        from onnx import helper

        self.nodes.append(helper.make_node(kind, inputs, [out], domain=domain, **facts))
        return out

    def stored(self, name: str) -> str:
        """A weight as a constant."""
        return self.constant(name, self.weight(name))

    def embeddings(self) -> str:
        """Words and positions, normalised: what enters the first layer."""
        part = "embeddings."
        places = self.weight(part + "position_embeddings.weight")
        # Captions are single segments, so that the first segment's vector joins every position's.
        places = places + self.weight(part + "token_type_embeddings.weight")[0]
        words = self.node("Gather", [self.stored(part + "word_embeddings.weight"), "ids"], "words")
        length = self.node("Shape", ["ids"], "length", start=1, end=2)
        zero = self.constant("zero", np.zeros(1, dtype=np.int64))
        where = self.node("Slice", [self.constant("positions", places), zero, length, zero], "where")
        both = self.node("Add", [words, where], "summed")
        norm = part + "LayerNorm."
        return self.node(
            "LayerNormalization",
            [both, self.stored(norm + "weight"), self.stored(norm + "bias")],
            "state0",
            epsilon=self._shape.epsilon,
        )

    def layer(self, number: int, state: str) -> str:
        """Attention and the two dense layers after it."""
        part = f"encoder.layer.{number}."
        attended = self.attention(part, state)
        middle = self._added(part + "attention.output.", attended, state, part + "middle")
        dense = part + "intermediate.dense."
        wide = self.times(middle, dense, self.weight(dense + "weight").T, dense)
        bent = self.node("BiasGelu", [wide, self.stored(dense + "bias")], part + "bent", FUSED)
        return self._added(part + "output.", bent, middle, f"state{number + 1}")

    def attention(self, part: str, state: str) -> str:
        """What each token takes from the others."""
        own = part + "attention.self."
        matrix, bias = self.joint(own)
        inputs = [state, self.constant(own + "weight", matrix), self.constant(own + "bias", bias)]
        return self.node("Attention", inputs, part + "attended", FUSED, num_heads=self._shape.heads)

    def joint(self, own: str) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Matrix and bias of queries, keys and values side by side."""
        names = ("query", "key", "value")
        matrix = np.concatenate([self.weight(f"{own}{n}.weight").T for n in names], axis=1)
        return matrix, np.concatenate([self.weight(f"{own}{n}.bias") for n in names])

    def times(self, values: str, name: str, matrix: NDArray[np.float32], out: str) -> str:
        """Values times a matrix."""
        return self.node("MatMul", [values, self.constant(name + "weight", matrix)], out)

    def _added(self, part: str, values: str, skipped: str, out: str) -> str:
        """Layer norm of `values` through a dense layer plus what skipped it."""
        name = part + "dense."
        dense = self.times(values, name, self.weight(name + "weight").T, part + "dense")
        inputs = [
            dense,
            skipped,
            self.stored(part + "LayerNorm.weight"),
            self.stored(part + "LayerNorm.bias"),
            self.stored(name + "bias"),
        ]
        return self.node("SkipLayerNormalization", inputs, out, FUSED, epsilon=self._shape.epsilon)


def build_graph(weights: Weights, shape: Shape, layer: int) -> bytes:
    """The model up to `layer`, as the bytes of an ONNX file."""
    return finished(Builder(weights, shape), layer)


def finished(builder: Builder, layer: int, watched: Sequence[str] = ()) -> bytes:
    """The graph of a builder up to `layer`; values named in `watched` are outputs too."""
    from onnx import TensorProto, helper

    state = builder.embeddings()
    for number in range(layer):
        state = builder.layer(number, state)
    outputs = [(state, ["texts", "length", builder.width]), *((name, None) for name in watched)]
    graph = helper.make_graph(
        builder.nodes,
        "bert",
        [helper.make_tensor_value_info("ids", TensorProto.INT64, ["texts", "length"])],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, sizes) for name, sizes in outputs],
        builder.constants,
    )
    sets = [helper.make_opsetid("", _OPSET), helper.make_opsetid(FUSED, 1)]
    model = helper.make_model(graph, opset_imports=sets, ir_version=_IR_VERSION)
    return bytes(model.SerializeToString())


def store(path: Path, content: bytes) -> None:
    """Write a file atomically; a read-only cache costs time, not the answer."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)
    except OSError:
        return
    fresh = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        fresh.replace(path)
    except OSError:
        fresh.unlink(missing_ok=True)


# A BERT that multiplies whole numbers: more than twice as fast, with cosines within about 0.02.
# What enters a matrix is rounded to 8 bits on a scale that is fixed beforehand, so that a text's vector does
# not depend on the texts beside it. Each column is first divided by a number of its own, and the matrix's row
# multiplied by it (Xiao et al. 2023, SmoothQuant), since a few columns are far larger than the others. The
# matrix has 7 bits: sums of 8-bit products overflow on processors without whole-number dot products, and
# scores must be the same on all.


# Lowest and highest value of each column of what enters a matrix, by the value's name in the graph.
Ranges = Mapping[str, NDArray[np.float32]]
_SMOOTHING = 0.8  # share of a column's size that goes to the matrix
_LARGEST = 63  # of the matrix
_STEPS = 255
_LAYOUT = 2  # raise it where the graph changes


def watched(layers: int) -> list[str]:
    """Names of the values that enter a matrix.

    >>> watched(1)
    ['state0', 'encoder.layer.0.attended', 'encoder.layer.0.middle', 'encoder.layer.0.bent']
    """
    parts = ("attended", "middle", "bent")
    return [
        name
        for layer in range(layers)
        for name in (f"state{layer}", *(f"encoder.layer.{layer}.{part}" for part in parts))
    ]


def find_ranges(
    folder: Path, shape: Shape, weights: Weights, texts: Sequence[str]
) -> dict[str, NDArray[np.float32]]:
    """The ranges that some texts show."""
    import onnxruntime

    names = watched(shape.layers)
    content = finished(Builder(weights, shape), shape.layers, names)
    session = onnxruntime.InferenceSession(content, providers=["CPUExecutionProvider"])
    found: dict[str, NDArray[np.float32]] = {}
    for ids in read_wordpiece(folder).encode(texts, shape.positions):
        values = session.run(names, {"ids": np.array([ids], dtype=np.int64)})
        for name, value in zip(names, values, strict=True):
            own = np.stack([value.min(axis=(0, 1)), value.max(axis=(0, 1))])
            known = found.get(name, own)
            found[name] = np.stack([np.minimum(known[0], own[0]), np.maximum(known[1], own[1])])
    return found


def ranges_digest(ranges: Ranges) -> str:
    """First eight digits of the SHA-256 of the ranges and of the graph's layout."""
    content = hashlib.sha256(str(_LAYOUT).encode())
    for name in sorted(ranges):
        content.update(name.encode() + np.ascontiguousarray(ranges[name], dtype=np.float32).tobytes())
    return content.hexdigest()[:8]


class RoundedBuilder(Builder):
    """Builds the graph with whole-number products."""

    def __init__(self, weights: Weights, shape: Shape, ranges: Ranges) -> None:
        super().__init__(weights, shape)
        self._ranges = ranges

    def attention(self, part: str, state: str) -> str:
        """Attention from a product of whole numbers."""
        from onnx import helper

        own, out = part + "attention.self.", part + "attended"
        matrix, bias = self.joint(own)
        # What attention gives is a mean of values: they can be divided here, where it costs nothing.
        divided = self._divided(out, self.weight(part + "attention.output.dense.weight").T)
        columns = np.concatenate([np.ones(2 * self.width), 1 / divided])
        taken = self._rounded(state, own, matrix, columns)
        inputs = [*taken, "", self._floats(own + "bias", bias * columns)]
        joint = self.node("MatMulIntegerToFloat", inputs, part + "joint", FUSED)
        parts = [part + name for name in ("query", "key", "value")]
        sizes = self.constant(part + "sizes", np.full(3, self.width, dtype=np.int64))
        self.nodes.append(helper.make_node("Split", [joint, sizes], parts, axis=2))
        return self.node("MultiHeadAttention", parts, out, FUSED, num_heads=self._shape.heads)

    def times(self, values: str, name: str, matrix: NDArray[np.float32], out: str) -> str:
        """Values times a matrix, both rounded."""
        return self.node("MatMulIntegerToFloat", self._rounded(values, name, matrix), out, FUSED)

    def _rounded(self, values: str, name: str, matrix: NDArray[Any], columns: Any = 1.0) -> list[str]:
        """Values and matrix as whole numbers with their scales: what the product takes.

        The product's columns are multiplied by `columns`.
        """
        divided = self._divided(values, matrix)
        low, high = self._ranges[values].astype(np.float64) / divided
        lowest, highest = min(low.min(), 0.0), max(high.max(), 1e-6)
        step = (highest - lowest) / _STEPS
        smooth = matrix * divided[:, None]
        scale = np.abs(smooth).max(axis=0) / _LARGEST + 1e-12
        whole = self.constant(name + "whole", np.round(smooth / scale).astype(np.int8))
        if not values.endswith("attended"):  # which is divided already
            values = self.node("Mul", [values, self._floats(name + "smooth", 1 / divided)], name + "small")
        unit = self._floats(name + "step", step)
        zero = self.constant(name + "zero", np.array(round(-lowest / step), dtype=np.uint8))
        rounded = self.node("QuantizeLinear", [values, unit, zero], name + "rounded")
        return [rounded, whole, unit, self._floats(name + "scale", scale * columns), zero]

    def _divided(self, values: str, matrix: NDArray[Any]) -> NDArray[np.float64]:
        """What each column of the values is divided by."""
        low, high = self._ranges[values].astype(np.float64)
        size = np.maximum(np.maximum(-low, high), 1e-6)
        rows = np.maximum(np.abs(matrix).max(axis=1), 1e-6)
        found: NDArray[np.float64] = size**_SMOOTHING / rows ** (1 - _SMOOTHING)
        return found

    def _floats(self, name: str, values: object) -> str:
        return self.constant(name, np.asarray(values, dtype=np.float32))
