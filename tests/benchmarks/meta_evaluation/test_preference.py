from __future__ import annotations

import numpy as np
import pytest

from captious.benchmarks.meta_evaluation.evaluate import evaluate
from captious.benchmarks.meta_evaluation.result import MetaSettings
from captious.benchmarks.protocol import Preferences, Protocol
from captious.benchmarks.scores import BenchmarkScores
from captious.corpus import Corpus
from captious.errors import InputError


@pytest.fixture
def pairs() -> Preferences:
    corpus = Corpus.from_lists(list("abcdefgh"), [["x"]] * 8, image_ids=list("11223344"))
    return Preferences(
        protocol=Protocol("pairs", task="preference"),
        corpora=[corpus, corpus],
        first=np.array([0, 2, 4, 6]),
        second=np.array([1, 3, 5, 7]),
        label=np.array([0, 1, 0, 1]),
        category=["HC", "HC", "MM", "MM"],
        ids=list("abcdefgh"),
    )


def test_ties_count_half_and_draws_are_averaged(pairs) -> None:
    # Draw 1: right, tie, wrong, right -> HC .75, MM .5. Draw 2: right, right, tie, right -> 1, .75.
    rows = np.array([[2, 1, 1, 1, 0, 1, 0, 1], [2, 1, 0, 1, 1, 1, 0, 1]], dtype=float)
    scores = BenchmarkScores({"m": rows}, {"m": "m"})
    found = evaluate(pairs, scores, MetaSettings(resamples=0)).results["m"]
    assert found["HC"].value == pytest.approx((0.75 + 1.0) / 2)
    assert found["MM"].value == pytest.approx((0.5 + 0.75) / 2)
    assert found["accuracy"].value == pytest.approx((found["HC"].value + found["MM"].value) / 2)
    assert (found["accuracy"].n, found["HC"].n) == (4, 2)


def test_intervals_and_differences(pairs) -> None:
    right = np.array([[1, 0, 0, 1, 1, 0, 0, 1]], dtype=float)
    scores = BenchmarkScores({"right": right, "wrong": -right}, {})
    found = evaluate(pairs, scores, MetaSettings(resamples=50, compare=True))
    assert found.results["right"]["accuracy"][:3] == (1.0, 1.0, 1.0)
    assert found.differences[0].difference == 1.0
    assert "coefficients" not in found.protocol and found.protocol["draws"] == 1


@pytest.mark.parametrize("asked", [{"aspect": "total"}, {"level": "system"}, {"interval": "analytic"}])
def test_what_pairs_do_not_have(pairs, asked) -> None:
    scores = BenchmarkScores({"m": np.zeros((1, 8))}, {})
    with pytest.raises(InputError, match="pairs"):
        evaluate(pairs, scores, MetaSettings(**asked))
