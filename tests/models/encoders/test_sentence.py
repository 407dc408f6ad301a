"""Encoders on real weights: both backends, any company, any damage."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

import numpy as np
import pytest

from captious.errors import InputError, MissingDependencyError, UnknownNameError
from captious.models import locate
from captious.models.encoders import sentence as encoders

TEXTS = [
    "A man riding a wave on top of a surfboard.",
    "a man riding a wave on top of a surfboard .",
    "Two dogs.",
    "A red double-decker bus stops at the corner of a street in London.",
    "狗在沙滩上跑。",
    "",
]


@pytest.fixture(scope="module")
def encoder(minilm: Path) -> encoders.Encoder:
    return encoders.load_encoder(backend="onnx")


def test_the_signature_names_the_weights(minilm: Path, encoder: encoders.Encoder) -> None:
    # SHA-256 of the weights that sentence-transformers/all-MiniLM-L6-v2 publishes: 53aa5117….
    assert encoder.label == "all-MiniLM-L6-v2/53aa5117"
    assert encoders.label_of(locate.MINILM, "auto") == ("all-MiniLM-L6-v2/53aa5117", "onnx")
    assert (encoder.layers, encoder.longest) == (6, 512)


def test_sentence_vectors_have_length_one_and_tell_meaning(encoder: encoders.Encoder) -> None:
    made = encoders.sentence_vectors(
        encoder, ["A man surfs.", "Someone rides a wave.", "A plate of pasta.", ""]
    )
    vectors = made.rows
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2] + 0.2
    assert made.known.tolist() == [True, True, True, False]


def test_a_text_has_the_same_states_in_any_company(encoder: encoders.Encoder) -> None:
    ids = encoder.encode(TEXTS * 3 + [f"{n} dogs run." for n in range(30)], 512)
    together = encoders.token_states(encoder, ids, 6)
    for place in (0, 1, 2, 5, 7, 20):
        alone = encoders.token_states(encoder, [ids[place]], 6).values
        first, last = together.offsets[place : place + 2]
        np.testing.assert_array_equal(together.values[first:last], alone)


def test_both_backends_give_the_same_states(minilm: Path, encoder: encoders.Encoder) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    other = encoders.load_encoder(backend="torch")
    assert other.label == encoder.label
    ids = encoder.encode(TEXTS, 512)
    assert other.encode(TEXTS, 512) == ids
    for layer in (1, 3, 6):
        ours = encoders.token_states(encoder, ids, layer).values
        theirs = encoders.token_states(other, ids, layer).values
        np.testing.assert_allclose(ours, theirs, atol=1e-4)


def test_no_texts(encoder: encoders.Encoder) -> None:
    made = encoders.sentence_vectors(encoder, [])
    assert (len(made.rows), len(made.known)) == (0, 0)


def test_the_graph_is_kept_and_a_damaged_one_made_anew(
    minilm: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from captious.models.encoders.torch_sentence import OnnxEncoder

    monkeypatch.setenv("CAPTIOUS_CACHE", str(tmp_path))
    ids = np.array([[101, 1037, 3899, 102]])
    expected = OnnxEncoder("x", minilm).states(ids, 1)
    (kept,) = (tmp_path / "models").iterdir()
    kept.write_bytes(kept.read_bytes()[:1000])
    np.testing.assert_array_equal(OnnxEncoder("x", minilm).states(ids, 1), expected)
    assert kept.stat().st_size > 1_000_000


def test_a_cache_that_cannot_be_written_costs_no_answer(
    minilm: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from captious.models.encoders.torch_sentence import OnnxEncoder

    (tmp_path / "file").write_text("")
    monkeypatch.setenv("CAPTIOUS_CACHE", str(tmp_path / "file"))
    states = OnnxEncoder("x", minilm).states(np.array([[101, 102]]), 1)
    assert states.shape == (1, 2, 384)


def test_a_fork_opens_its_own_session(encoder: encoders.Encoder) -> None:
    if not hasattr(os, "fork"):
        pytest.skip("no fork here")
    from multiprocessing import get_context

    before = encoders.sentence_vectors(encoder, TEXTS).rows
    context = get_context("fork")
    ours, theirs = context.Pipe()

    def work() -> None:
        theirs.send(encoders.sentence_vectors(encoders.load_encoder(backend="onnx"), TEXTS).rows)

    process = context.Process(target=work, daemon=True)
    process.start()
    assert ours.poll(60)
    np.testing.assert_array_equal(ours.recv(), before)
    process.join()


def test_what_is_no_bert_needs_torch(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="Use backend=torch"):
        encoders.load_encoder(str(tmp_path), "onnx")
    with pytest.raises(UnknownNameError, match='Did you mean "onnx"'):
        encoders.load_encoder(backend="onxx")


def test_an_unknown_hub_name_is_one_clear_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises((InputError, MissingDependencyError)) as caught:
        encoders.load_encoder("nobody/has-this-model", "torch")
    assert "\n" not in str(caught.value)


def test_a_folder_with_a_broken_configuration_is_one_clear_line(tmp_path: Path) -> None:
    for name in ("model.safetensors", "vocab.txt", "config.json"):
        (tmp_path / name).write_text("{")
    with pytest.raises(InputError, match="is not JSON"):
        encoders.load_encoder(str(tmp_path))


def test_the_runtime_that_is_installed_is_taken(minilm: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    name = str(minilm)
    absent: set[str] = set()
    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda package: None if package in absent else found(package)
    )
    absent |= {"onnx", "onnxruntime"}
    assert encoders.label_of(name, "auto")[1] == "torch"
    with pytest.raises(MissingDependencyError, match="needs onnx"):
        encoders.load_encoder(name, "onnx")
    absent |= {"torch"}
    with pytest.raises(MissingDependencyError, match=r"captious\[encoder\]"):
        encoders.load_encoder(name)
