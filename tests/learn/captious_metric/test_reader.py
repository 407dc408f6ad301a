"""The encoder that is tuned and the encoder that scores say the same."""

from __future__ import annotations

from dataclasses import replace
from importlib.util import find_spec

import numpy as np
import pytest

from captious.errors import MissingDependencyError
from captious.learn.captious_metric.reader import LIKENESSES, Reader
from captious.metrics import resolve
from captious.metrics.captious_metric.extract import encoder_of
from captious.metrics.captious_metric.meaning import MEANING_FEATURES, meaning_features, read_meanings
from captious.metrics.captious_metric.model import load_model

TEXTS = ["a black dog runs on the beach", "a dog runs along the sand", "the dog is black", "a cat on a bed"]


@pytest.mark.long
def test_likenesses_are_those_of_scoring() -> None:
    if find_spec("torch") is None or find_spec("transformers") is None:
        pytest.skip("tuning needs torch and transformers")
    try:
        resolve("captious").ready()
    except MissingDependencyError as error:
        pytest.skip(str(error))
    model = replace(load_model(), ranges=None)  # in floats, as it is tuned
    reader = Reader(0, model.change, model.tokens)
    tuned = reader.likenesses(reader.encode(TEXTS), [0, 3], [[1, 2], [1, 2]]).detach().numpy()
    meant = [own for (own,) in read_meanings(encoder_of(model), TEXTS, model.tokens).windows]
    for row, own in enumerate((0, 3)):
        scored = dict(zip(MEANING_FEATURES, meaning_features(meant[own], meant[1:3]), strict=True))
        for name in ("sentence", "precision_best", "recall_mean"):
            assert tuned[row, LIKENESSES.index(name)] == pytest.approx(scored[name], abs=1e-4)


@pytest.mark.long
def test_a_new_reader_changes_nothing_yet() -> None:
    if find_spec("torch") is None or find_spec("transformers") is None:
        pytest.skip("tuning needs torch and transformers")
    for _, b in Reader(0).change().factors.values():
        assert not np.any(b)
