"""The graph against BERT's arithmetic in NumPy, on small random weights."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.special import erf, softmax

from captious.errors import InputError
from captious.models.encoders.bert_graph import Shape, build_graph

SHAPE = Shape(layers=2, heads=3, width=12, positions=16, epsilon=1e-12)
WIDE, WORDS = 20, 30
Weights = dict[str, np.ndarray]


def random_weights(prefix: str = "") -> Weights:
    rng = np.random.default_rng(7)
    sizes: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (WORDS, SHAPE.width),
        "embeddings.position_embeddings.weight": (SHAPE.positions, SHAPE.width),
        "embeddings.token_type_embeddings.weight": (2, SHAPE.width),
        "embeddings.LayerNorm.weight": (SHAPE.width,),
        "embeddings.LayerNorm.bias": (SHAPE.width,),
    }
    for layer in range(SHAPE.layers):
        part = f"encoder.layer.{layer}."
        dense = {
            **{f"attention.self.{n}": (SHAPE.width,) * 2 for n in ("query", "key", "value")},
            "attention.output.dense": (SHAPE.width, SHAPE.width),
            "intermediate.dense": (WIDE, SHAPE.width),
            "output.dense": (SHAPE.width, WIDE),
        }
        for name, size in dense.items():
            sizes |= {f"{part}{name}.weight": size, f"{part}{name}.bias": size[:1]}
        for name in ("attention.output.LayerNorm", "output.LayerNorm"):
            sizes |= {f"{part}{name}.{kind}": (SHAPE.width,) for kind in ("weight", "bias")}
    return {prefix + k: rng.normal(size=s).astype(np.float32) for k, s in sizes.items()}


def by_formula(weights: Weights, ids: np.ndarray, layers: int) -> np.ndarray:
    def norm(x: np.ndarray, name: str) -> np.ndarray:
        centred = x - x.mean(-1, keepdims=True)
        scaled = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + SHAPE.epsilon)
        return scaled * weights[name + "weight"] + weights[name + "bias"]

    def dense(x: np.ndarray, name: str) -> np.ndarray:
        return x @ weights[name + ".weight"].T + weights[name + ".bias"]

    def heads(x: np.ndarray) -> np.ndarray:
        return x.reshape(*x.shape[:2], SHAPE.heads, -1).transpose(0, 2, 1, 3)

    part = "embeddings."
    x = weights[part + "word_embeddings.weight"][ids].astype(np.float64)
    x += weights[part + "position_embeddings.weight"][: ids.shape[1]]
    x += weights[part + "token_type_embeddings.weight"][0]
    x = norm(x, part + "LayerNorm.")
    for layer in range(layers):
        own = f"encoder.layer.{layer}."
        q, k, v = (heads(dense(x, f"{own}attention.self.{n}")) for n in ("query", "key", "value"))
        weight = softmax(q @ k.transpose(0, 1, 3, 2) / np.sqrt(q.shape[-1]), axis=-1)
        mixed = (weight @ v).transpose(0, 2, 1, 3).reshape(x.shape)
        mixed = dense(mixed, own + "attention.output.dense")
        x = norm(mixed + x, own + "attention.output.LayerNorm.")
        wide = dense(x, own + "intermediate.dense")
        wide = wide * 0.5 * (1 + erf(wide / np.sqrt(2)))
        x = norm(dense(wide, own + "output.dense") + x, own + "output.LayerNorm.")
    return x


@pytest.mark.parametrize("prefix", ["", "bert."])
@pytest.mark.parametrize("layer", [1, 2])
def test_states_are_those_of_the_formula(prefix: str, layer: int) -> None:
    runtime = pytest.importorskip("onnxruntime")
    pytest.importorskip("onnx")
    content = build_graph(random_weights(prefix), SHAPE, layer)
    session = runtime.InferenceSession(content, providers=["CPUExecutionProvider"])
    ids = np.random.default_rng(1).integers(0, WORDS, size=(4, 7))
    found = session.run(None, {"ids": ids})[0]
    np.testing.assert_allclose(found, by_formula(random_weights(), ids, layer), atol=1e-4)


def test_weights_that_are_no_berts_are_refused() -> None:
    pytest.importorskip("onnx")
    with pytest.raises(InputError, match="so this is no BERT"):
        build_graph({"wte.weight": np.zeros((3, 3), np.float32)}, SHAPE, 1)


def test_another_kind_of_bert_is_refused() -> None:
    facts = {"num_hidden_layers": 1, "num_attention_heads": 1, "hidden_size": 4}
    with pytest.raises(InputError, match="needs backend=torch"):
        Shape.of(facts | {"hidden_act": "relu"}, Path("model"))
    with pytest.raises(InputError, match="lacks 'max_position_embeddings'"):
        Shape.of(facts, Path("model"))
