from __future__ import annotations

import numpy as np
import pytest

import captious
from captious import Corpus
from captious.errors import UnknownNameError
from captious.metrics import resolve


@pytest.fixture
def corpus() -> Corpus:
    return Corpus.from_lists(
        ["a dog with a frisbee", "a bus on a street", "two cats on a sofa"],
        [["a dog catches a frisbee"], ["a red bus drives by"], ["cats asleep on a couch"]],
        image_ids=["1", "2", "3"],
        objects={"1": ["dog", "frisbee", "person"], "2": ["bus", "car"], "3": ["cat", "couch"]},
    )


@pytest.mark.parametrize("other", ["cider", "lm"])
def test_each_example_is_the_mean_of_the_two(corpus: Corpus, other: str) -> None:
    if other == "lm":
        pytest.importorskip("pocketsphinx")
    joined = f"vifidel_plus[other={other}]"
    found = captious.score(corpus, ["vifidel", other, joined])
    means = (found["vifidel"].values + found[other].values) / 2
    assert np.allclose(found[joined].values, means, rtol=0, atol=1e-12)
    assert found[joined].score == pytest.approx(means.mean())


def test_the_signature_tells_both(corpus: Corpus) -> None:
    scores = captious.score(corpus, ["vifidel_plus"])
    signature = scores["vifidel_plus"].signature
    for part in ("|objects:", "|other:cider|", "|cider-df:corpus:3|", "|cider-sigma:6.0|"):
        assert part in signature


def test_options_are_checked_before_work() -> None:
    with pytest.raises(UnknownNameError, match="cider"):
        resolve("vifidel_plus[other=cidr]")
    with pytest.raises(UnknownNameError, match="counts"):
        resolve("vifidel_plus[counts=often]")
