from __future__ import annotations

import json

import numpy as np
import pytest

from captious.benchmarks.protocol import Protocol, RatedExamples, rated_examples
from captious.benchmarks.registry import BENCHMARKS
from captious.corpus import Corpus
from captious.errors import InputError, UnknownNameError


@pytest.mark.parametrize("name", list(BENCHMARKS))
def test_protocols_are_plain_values(name) -> None:
    found = BENCHMARKS[name][0].to_dict()
    assert json.loads(json.dumps(found)) == found
    assert found["name"] == name and found["source"]


def test_each_or_mean(small) -> None:
    examples, _ = small.rows("overall")
    assert examples.tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]
    mean = RatedExamples(Protocol("m", ratings="mean"), small.corpus, small.judgments, small.ids)
    assert mean.rows("overall")[1].tolist() == [4.5, 1.0, 5.0, 1.5, 3.0, 4.5]


def test_an_unknown_aspect(small) -> None:
    with pytest.raises(UnknownNameError, match='Did you mean "fluency"'):
        small.rows("fluencey")


def test_every_example_needs_judgments() -> None:
    corpus = Corpus.from_lists(["a", "b"], [["a"], ["b"]])
    with pytest.raises(InputError, match="2 examples, 1 judged"):
        rated_examples(Protocol("x"), corpus, {"overall": [[1.0], []]}, ["a", "b"])


def test_captions_of_one_image_stay_apart() -> None:
    corpus = Corpus.from_lists(["a", "b"], [["a"], ["a"]], image_ids=["1", "1"])
    found = rated_examples(Protocol("x"), corpus, {"overall": [[1.0], [3.0]]}, ["a", "b"])
    assert np.array_equal(found.rows("overall")[1], [1.0, 3.0])
