"""Which examples decide on the weights."""

from __future__ import annotations

import numpy as np

from captious import Corpus
from captious.learn.captious_metric.recipe import Judged, mean_encoder, ranked_benchmark
from captious.metrics.captious_metric.meaning import TokenWeights
from captious.metrics.captious_metric.model import FEATURES, Model
from captious.metrics.captious_metric.words import WordTable
from captious.models.encoders.checkpoint import LowRank

CORPUS = Corpus.from_lists(
    ["c0", "c1", "c2", "c3"],
    [["A dog.", "A hound."], ["A dog.", "A hound."], ["a cat", "a kitten"], ["a bus", "a dog"]],
    image_ids=["1", "1", "2", "3"],
)
FEATURE_ROWS = np.arange(4.0)[:, None] * np.ones(len(FEATURES))


def test_some_examples_are_evenly_spread() -> None:
    some = Judged(CORPUS, np.array([1.0, 2.0, 3.0, 4.0])).first(2)
    assert list(some.corpus.captions) == ["c0", "c3"]
    assert some.ratings is not None
    assert some.ratings.tolist() == [1.0, 4.0]


def test_pairs_keep_both_their_examples() -> None:
    some = Judged(CORPUS, pairs=(np.array([1, 2]), np.array([0, 3]))).first(2)
    assert list(some.corpus.captions) == ["c0", "c1"]
    assert some.pairs is not None
    assert [side.tolist() for side in some.pairs] == [[1], [0]]


def test_images_that_share_two_references_with_a_held_benchmark_are_not_used() -> None:
    judged = Judged(CORPUS, np.array([1.0, 2.0, 3.0, 4.0]))
    ranked = ranked_benchmark(judged, FEATURE_ROWS, {"a dog", "a hound"}, seed=0)
    assert ranked is not None
    # Left are c2 and c3, which shares one reference only: every pair puts c3 (rating 4) above c2.
    assert set(ranked.features[:, 0].tolist()) == {2.0, 3.0}
    assert set(ranked.features[ranked.better, 0].tolist()) == {3.0}


def test_the_mean_of_two_encoders_lies_between_them() -> None:
    def model(size: float, strength: float, weight: float) -> Model:
        one = np.ones((1, 1), np.float32)
        change = LowRank({"w": (one, one * np.float32(size))}, strength)
        return Model(change, TokenWeights(np.array([weight], np.float32), weight), WordTable({}, one[0]), {})

    found = mean_encoder([model(4, 1.0, 1.0), model(4, 0.5, 3.0)])
    # changes of 4 and of half of 4, so 3 between them
    assert found.change.applied({"w": np.zeros((1, 1), np.float32)})["w"].tolist() == [[3.0]]
    assert (found.tokens.w.tolist(), found.tokens.b) == ([2.0], 2.0)
