"""BERT (Devlin et al. 2019) as a graph for ONNX Runtime, made from published weights.

The graph takes texts of one length and returns their hidden states after a given layer, so there is
no padding and no mask. It is written to the cache once; weights stay 32-bit floats.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from captious.errors import InputError

_FUSED = "com.microsoft"  # operators of ONNX Runtime that do several steps at once
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
            raise InputError(f"{where}: config.json lacks {error}. Fetch it again.") from None


class _Builder:
    """Collects nodes and weights; every method returns the name of what it made."""

    def __init__(self, weights: Weights, shape: Shape) -> None:
        self._weights, self._shape = weights, shape
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def weight(self, name: str) -> NDArray[np.float32]:
        for known in (name, name.replace("weight", "gamma").replace("bias", "beta")):
            for prefix in ("", "bert."):
                if prefix + known in self._weights:
                    return self._weights[prefix + known]
        raise InputError(f'the weights hold no "{name}", so this is no BERT. Try backend=torch.')

    def constant(self, name: str, values: NDArray[Any]) -> str:
        from onnx import numpy_helper

        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def node(self, kind: str, inputs: list[str], out: str, domain: str = "", **facts: Any) -> str:
        from onnx import helper

        self.nodes.append(helper.make_node(kind, inputs, [out], domain=domain, **facts))
        return out

    def stored(self, name: str, *, turned: bool = False) -> str:
        """A weight as a constant; PyTorch keeps matrices turned."""
        values = self.weight(name)
        return self.constant(name, values.T if turned else values)

    def embeddings(self) -> str:
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
        part = f"encoder.layer.{number}."
        own = part + "attention.self."
        names = ("query", "key", "value")
        matrix = np.concatenate([self.weight(f"{own}{n}.weight").T for n in names], axis=1)
        bias = np.concatenate([self.weight(f"{own}{n}.bias") for n in names])
        attended = self.node(
            "Attention",
            [state, self.constant(own + "weight", matrix), self.constant(own + "bias", bias)],
            part + "attended",
            _FUSED,
            num_heads=self._shape.heads,
        )
        middle = self._added(part + "attention.output.", attended, state, part + "middle")
        dense = part + "intermediate.dense."
        wide = self.node("MatMul", [middle, self.stored(dense + "weight", turned=True)], dense)
        bent = self.node("BiasGelu", [wide, self.stored(dense + "bias")], part + "bent", _FUSED)
        return self._added(part + "output.", bent, middle, f"state{number + 1}")

    def _added(self, part: str, values: str, skipped: str, out: str) -> str:
        """Layer norm of `values` through a dense layer plus what skipped it."""
        dense = self.node("MatMul", [values, self.stored(part + "dense.weight", turned=True)], part + "dense")
        inputs = [
            dense,
            skipped,
            self.stored(part + "LayerNorm.weight"),
            self.stored(part + "LayerNorm.bias"),
            self.stored(part + "dense.bias"),
        ]
        return self.node("SkipLayerNormalization", inputs, out, _FUSED, epsilon=self._shape.epsilon)


def build_graph(weights: Weights, shape: Shape, layer: int) -> bytes:
    """The model up to `layer`, as the bytes of an ONNX file."""
    from onnx import TensorProto, helper

    builder = _Builder(weights, shape)
    state = builder.embeddings()
    for number in range(layer):
        state = builder.layer(number, state)
    graph = helper.make_graph(
        builder.nodes,
        "bert",
        [helper.make_tensor_value_info("ids", TensorProto.INT64, ["texts", "length"])],
        [helper.make_tensor_value_info(state, TensorProto.FLOAT, ["texts", "length", shape.width])],
        builder.constants,
    )
    sets = [helper.make_opsetid("", _OPSET), helper.make_opsetid(_FUSED, 1)]
    model = helper.make_model(graph, opset_imports=sets, ir_version=_IR_VERSION)
    return bytes(model.SerializeToString())


def store(path: Path, content: bytes) -> None:
    """Write a file whole or not at all; a read-only cache costs time, not the answer."""
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
