"""BERT (Devlin et al. 2019) as a graph for ONNX Runtime, made from published weights.

The graph takes texts of one length and returns their hidden states after a given layer, so there is
no padding and no mask. It is written to the cache once; weights stay 32-bit floats (`bert_int8` rounds them).
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from captious.errors import InputError

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
