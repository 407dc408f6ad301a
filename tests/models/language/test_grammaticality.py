"""Fluency from 0 to 1 by a model's own captions."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from captious.models.language.grammaticality import LOWEST, fluency, slor, with_fluency
from captious.models.language.load import load_language_model
from captious.models.language.ngram import NgramModel
from captious.models.language.ngram_train import train

NOUNS = ["dog", "cat", "bird", "horse", "man", "woman", "child", "bus", "train", "boat"]
VERBS = ["runs", "waits", "sleeps", "turns", "moves"]
PLACES = ["park", "street", "field", "room", "beach", "yard", "station", "harbour", "garden", "forest"]
CAPTIONS = [f"a {noun} {verb} in the {place}" for noun in NOUNS for verb in VERBS for place in PLACES] * 2


def test_slor_is_the_probability_beyond_that_of_the_words() -> None:
    model = train(["a dog", "a dog", "a cat"], order=2)
    # By the definition: log p of the caption less log p of each token alone, over dog, a and the end.
    alone = sum(model.logs[0][[model._numbers["a"], model._numbers["dog"], 1]])
    whole = model.likelihoods(["a dog"]).logs[0]
    assert slor(model, ["a dog"])[0] == pytest.approx((whole - alone) / 3)


def test_a_hundredth_of_unseen_captions_counts_as_less_than_fluent() -> None:
    model = with_fluency(train(CAPTIONS, order=2), CAPTIONS)
    assert model.fluent is not None
    assert fluency(model, ["a dog runs in the park"])[0] == 1.0
    assert fluency(model, ["park the in runs dog a"])[0] == 0.0


def test_below_it_fluency_is_in_proportion() -> None:
    # A scale by hand: the SLOR of 101 steps from -1 (the very lowest) to 0 (the hundredth).
    model = replace(train(["a dog", "a dog", "a cat"], order=2), fluent=np.linspace(-1, 0, 101))
    found = slor(model, ["dog a", "a dog"])
    expected = np.clip(found + 1, 0, 1)
    assert expected[0] < 1
    np.testing.assert_allclose(fluency(model, ["dog a", "a dog"]), expected)


def test_few_captions_give_no_scale() -> None:
    assert with_fluency(train(CAPTIONS[:999], order=2), CAPTIONS[:999]).fluent is None


def test_the_scale_survives_the_file(tmp_path: Path) -> None:
    model = with_fluency(train(CAPTIONS, order=2), CAPTIONS)
    model.save(tmp_path / "m.npz")
    again = NgramModel.load(tmp_path / "m.npz")
    assert again.label == model.label
    np.testing.assert_array_equal(again.fluent, model.fluent)


def test_the_bundled_model_knows_written_order(data: Path) -> None:
    """Captions of COCO images that it was not trained on, and the same words in random order."""
    import json

    lines = (data / "thumb" / "mscoco_references.jsonl").read_text(encoding="utf-8").splitlines()
    written = [text for line in lines for text in json.loads(line)["refs"]]
    rng = np.random.default_rng(3)
    scrambled = [" ".join(rng.permutation(text.rstrip(". ").split())) for text in written]
    model = load_language_model("captions")
    assert (fluency(model, written) < 1).mean() <= 2 * LOWEST
    assert (slor(model, written) > slor(model, scrambled)).mean() > 0.99
    assert (fluency(model, scrambled) < 1).mean() > 0.8
