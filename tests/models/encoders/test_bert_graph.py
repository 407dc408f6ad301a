"""The graph against BERT's arithmetic in NumPy, on small random weights."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.special import erf, softmax

from captious.errors import InputError
from captious.models.encoders.bert_graph import (
    Builder,
    Ranges,
    RoundedBuilder,
    Shape,
    build_graph,
    finished,
    ranges_digest,
    watched,
)

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
    with pytest.raises(InputError, match="so this is not a BERT model"):
        build_graph({"wte.weight": np.zeros((3, 3), np.float32)}, SHAPE, 1)


def test_another_kind_of_bert_is_refused() -> None:
    facts = {"num_hidden_layers": 1, "num_attention_heads": 1, "hidden_size": 4}
    with pytest.raises(InputError, match="needs backend=torch"):
        Shape.of(facts | {"hidden_act": "relu"}, Path("model"))
    with pytest.raises(InputError, match="has no 'max_position_embeddings'"):
        Shape.of(facts, Path("model"))


# Whole numbers in place of floats: bert_int8.
IDS = np.random.default_rng(1).integers(0, WORDS, size=(24, 7))


def run(content: bytes, ids: np.ndarray, outputs: list[str] | None = None) -> list[np.ndarray]:
    runtime = pytest.importorskip("onnxruntime")
    pytest.importorskip("onnx")
    return runtime.InferenceSession(content, providers=["CPUExecutionProvider"]).run(outputs, {"ids": ids})


def measured() -> Ranges:
    names = watched(SHAPE.layers)
    found = run(finished(Builder(random_weights(), SHAPE), SHAPE.layers, names), IDS, names)
    return {
        name: np.stack([x.min(axis=(0, 1)), x.max(axis=(0, 1))]) for name, x in zip(names, found, strict=True)
    }


def rounded() -> bytes:
    return finished(RoundedBuilder(random_weights(), SHAPE, measured()), SHAPE.layers)


def test_states_are_near_those_of_floats() -> None:
    exact = run(build_graph(random_weights(), SHAPE, SHAPE.layers), IDS)[0]
    near = run(rounded(), IDS)[0]
    cosines = (exact * near).sum(-1) / np.linalg.norm(exact, axis=-1) / np.linalg.norm(near, axis=-1)
    assert cosines.mean() > 0.995
    assert not np.array_equal(exact, near)


def test_the_other_texts_of_a_batch_change_nothing() -> None:
    content = rounded()
    together = run(content, IDS)[0]
    for row in range(3):
        np.testing.assert_allclose(run(content, IDS[row : row + 1])[0][0], together[row], atol=1e-5)


def test_what_lies_beyond_the_range_is_cut_off_and_not_turned_around() -> None:
    narrow = {name: own / 4 for name, own in measured().items()}
    content = finished(RoundedBuilder(random_weights(), SHAPE, narrow), SHAPE.layers)
    assert np.isfinite(run(content, IDS)[0]).all()


def test_other_ranges_have_another_digest() -> None:
    ranges = measured()
    assert ranges_digest(ranges) == ranges_digest(dict(reversed(ranges.items())))
    assert ranges_digest(ranges) != ranges_digest({name: own * 2 for name, own in ranges.items()})
