"""Images that a metric could not read: their examples and pairs leave, for all metrics."""

from __future__ import annotations

import numpy as np

from captious.benchmarks.protocol import Preferences, Protocol
from captious.benchmarks.scores import BenchmarkScores
from captious.benchmarks.selection.seen_images import without_unread_images
from captious.corpus import Corpus


def test_a_pair_leaves_as_a_whole_and_every_metric_with_it() -> None:
    corpus = Corpus.from_lists(["a", "b", "c", "d"], image_ids=["1", "1", "2", "2"])
    pairs = Preferences(
        Protocol("pairs", task="preference"),
        [corpus],
        first=np.array([0, 2]),
        second=np.array([1, 3]),
        label=np.array([0, 1]),
        category=["HC", "HI"],
        ids=list("abcd"),
    )
    arrays = {"clip": np.array([[np.nan, np.nan, 0.3, 0.4]]), "bleu": np.array([[0.1, 0.2, 0.5, 0.6]])}
    found, scores = without_unread_images(pairs, BenchmarkScores(arrays, {"bleu": "b"}))
    assert isinstance(found, Preferences)
    assert (found.first.tolist(), found.second.tolist(), found.category) == ([0], [1], ["HI"])
    assert {name: values.tolist() for name, values in scores.arrays.items()} == {
        "clip": [[0.3, 0.4]],
        "bleu": [[0.5, 0.6]],
    }
    assert found.notes == (
        '1 pairs of 1 images that clip could not read ("1") are left out; 1 pairs of 1 images remain.',
    )


def test_where_every_image_was_read_nothing_changes() -> None:
    corpus = Corpus.from_lists(["a"], image_ids=["1"])
    none = np.array([], dtype=np.int64)
    data = Preferences(Protocol("pairs"), [corpus], none, none, none, [], ["a"])
    scores = BenchmarkScores({"bleu": np.array([[0.5]])}, {})
    assert without_unread_images(data, scores) == (data, scores)
