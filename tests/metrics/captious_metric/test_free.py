"""Scores without references."""

from __future__ import annotations

import pytest

from captious import Corpus
from captious.errors import InputError, MissingDependencyError
from captious.metrics import Batch, resolve

OBJECTS = {"1": ["gold:dog", "gold:frisbee", "d80:person"], "2": []}


@pytest.fixture(autouse=True)
def _weights() -> None:
    try:
        resolve("captious_free").ready()
    except MissingDependencyError as error:
        pytest.skip(str(error))


def scores(captions: list[str], images: list[str], name: str = "captious_free") -> list[float]:
    corpus = Corpus.from_lists(captions, [[] for _ in captions], image_ids=images, objects=OBJECTS)
    return resolve(name).score_examples(Batch(corpus), None).tolist()


def test_a_caption_that_names_the_objects_scores_higher() -> None:
    right, other = scores(["a dog catches a frisbee", "a plate of food on a table"], ["1", "1"])
    assert right > other > 0


def test_nothing_to_compare_scores_zero() -> None:
    assert scores(["", "a dog"], ["1", "2"]) == [0.0, 0.0]


def test_the_source_of_objects_matters() -> None:
    both, gold = (
        scores(["a person"], ["1"], name)[0] for name in ("captious_free", "captious_free[objects=gold]")
    )
    assert both > gold


def test_a_corpus_without_objects_is_refused() -> None:
    corpus = Corpus.from_lists(["a dog"], [["a dog"]])
    with pytest.raises(InputError, match="captious_free needs the objects"):
        resolve("captious_free").check(corpus, None)
