from __future__ import annotations

import numpy as np
import pytest

import captious
from captious import Corpus
from captious.errors import InputError, UnknownNameError
from captious.metrics import resolve


@pytest.fixture
def corpus() -> Corpus:
    return Corpus.from_lists(
        ["a dog with a frisbee", "a bus on a street", "two cats on a sofa"],
        [["a dog catches a frisbee"], ["a red bus drives by"], ["cats asleep on a couch"]],
        image_ids=["1", "2", "3"],
        objects={"1": ["dog", "frisbee", "person"], "2": ["bus", "car"], "3": ["cat", "couch"]},
    )


@pytest.fixture(scope="module")
def shuffled(photographs: tuple[dict[str, list[str]], dict[str, list[str]]]) -> Corpus:
    """159 photographs with gold objects: the own first caption, then those of four other images.

    References are the image's other four captions.
    """
    references, objects = photographs
    images = list(references)
    pairs = [
        (images[(place + step) % len(images)], image)
        for place, image in enumerate(images)
        for step in range(5)
    ]
    return Corpus.from_lists(
        [references[theirs][0] for theirs, _ in pairs],
        [references[image][1:5] for _, image in pairs],
        image_ids=[image for _, image in pairs],
        objects=objects,
    )


def preferred(values: np.ndarray) -> float:
    """Share of pairs in which the image's own caption scores higher; a tie counts half."""
    own, others = values.reshape(-1, 5)[:, :1], values.reshape(-1, 5)[:, 1:]
    return float(((own > others) + (own == others) / 2).mean())


@pytest.mark.parametrize(
    ("joined", "other", "scale"),
    [
        ("vifidel_plus", "cider", lambda cider: 1 - np.exp(-cider)),
        ("vifidel_plus[rule=range]", "cider", lambda cider: cider / 10),
        ("vifidel_plus[rule=raw]", "cider", lambda cider: cider),
        ("vifidel_plus[other=lm,rule=range]", "lm[model=captions]", np.exp),
        ("vifidel_plus[other=lm,rule=raw]", "lm[model=captions]", lambda log: log),
    ],
)
def test_each_example_is_the_mean_of_the_two_by_the_rule(corpus, joined, other, scale) -> None:
    found = captious.score(corpus, ["vifidel", other, joined])
    means = (found["vifidel"].values + scale(found[other].values)) / 2
    assert np.allclose(found[joined].values, means, rtol=0, atol=1e-12)
    assert found[joined].score == pytest.approx(means.mean())


def test_a_list_of_the_objects_is_faithful_and_not_fluent() -> None:
    # The paper, 4.4: a system that lists all objects gets a high VIFIDEL and a low fluency.
    corpus = Corpus.from_lists(
        ["frisbee person dog", "a dog and a person with a frisbee"],
        image_ids=["1", "1"],
        objects={"1": ["dog", "frisbee", "person"]},
    )
    found = captious.score(corpus, ["vifidel", "vifidel_plus[other=lm]"])
    listed, written = found["vifidel"].values
    assert listed >= written
    assert found["vifidel_plus[other=lm]"].values[1] == pytest.approx((written + 1) / 2)
    assert found["vifidel_plus[other=lm]"].values[0] < found["vifidel_plus[other=lm]"].values[1]


def test_no_sum_is_worse_than_its_better_half(shuffled: Corpus) -> None:
    names = ["vifidel", "cider", "lm[model=captions]", "vifidel_plus", "vifidel_plus[other=lm]"]
    scores = captious.score(shuffled, names)
    found = {name: preferred(scores[name].values) for name in names}
    assert found["vifidel"] == pytest.approx(0.942, abs=0.0005)  # an independent audit's figure
    assert found["vifidel_plus[other=lm]"] >= max(found["vifidel"], found["lm[model=captions]"])
    assert found["vifidel_plus"] >= max(found["vifidel"], found["cider"])


def test_neither_half_drowns_the_other(shuffled: Corpus) -> None:
    from scipy.stats import spearmanr

    scores = captious.score(shuffled, ["vifidel", "cider", "vifidel_plus"])
    for half in ("vifidel", "cider"):
        assert spearmanr(scores["vifidel_plus"].values, scores[half].values).statistic > 0.7


def test_the_signature_tells_both_and_the_rule(corpus: Corpus) -> None:
    scores = captious.score(corpus, ["vifidel_plus", "vifidel_plus[other=lm]"])
    signature = scores["vifidel_plus"].signature
    for part in ("|objects:", "|other:cider|rule:scaled|", "|cider-df:corpus:3|", "|cider-sigma:6.0|"):
        assert part in signature
    signature = scores["vifidel_plus[other=lm]"].signature
    assert "|other:lm|rule:scaled|lm-model:ngram2:22465:" in signature
    assert "|lm-report:fluency|" in signature


def test_options_are_checked_before_work(corpus: Corpus) -> None:
    with pytest.raises(UnknownNameError, match="cider"):
        resolve("vifidel_plus[other=cidr]")
    with pytest.raises(UnknownNameError, match="counts"):
        resolve("vifidel_plus[counts=often]")
    with pytest.raises(UnknownNameError, match="rule"):
        resolve("vifidel_plus[rule=sum]")


def test_a_model_without_a_scale_of_fluency_is_refused_by_name(corpus: Corpus) -> None:
    pytest.importorskip("pocketsphinx")
    with pytest.raises(InputError, match="no scale of fluency"):
        captious.score(corpus, ["vifidel_plus[other=lm,model=pocketsphinx]"])


def test_with_a_language_model_one_image_is_enough() -> None:
    # CIDEr weighs words by the images that have them: one image has no weights.
    assert resolve("vifidel_plus").fewest_images == 2
    assert resolve("vifidel_plus[other=lm]").fewest_images == 1
    assert resolve("vifidel_plus[other=lm]").needs == {"objects"}
