from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from captious.comparison import compare
from captious.corpus import Corpus
from captious.errors import InputError

WORDS = ["man", "dog", "cat", "horse", "train", "bus", "plate", "table", "street", "field", "ball"]


def _corpus(images: int = 60) -> Corpus:
    """Systems `close` and `twin` copy a reference but for a word; `far` says little."""
    rng = np.random.default_rng(3)
    captions: dict[str, list[str]] = {"close": [], "twin": [], "far": []}
    references = []
    for _ in range(images):
        words = rng.choice(WORDS, 6)
        references.append(["a " + " ".join(words), "the " + " ".join(words[::-1])])
        for name in ("close", "twin"):
            changed = words.copy()
            changed[rng.integers(6)] = "thing"
            captions[name].append("a " + " ".join(changed))
        captions["far"].append("a " + " ".join(words[: rng.integers(1, 4)]))
    ids = [str(i) for i in range(images)]
    return Corpus.from_lists(
        [c for own in captions.values() for c in own],
        references * 3,
        image_ids=ids * 3,
        systems=[name for name in captions for _ in ids],
    )


def test_equal_systems_share_a_cluster_and_a_poor_one_does_not() -> None:
    found = compare(_corpus(), ["rouge_l", "bleu2"], resamples=300, trials=500)
    for metric in found.metrics.values():
        assert metric.clusters == {"close": 1, "twin": 1, "far": 2}
        assert metric.ranking[-1] == "far"


def test_each_pair_tells_difference_interval_tests_and_wins() -> None:
    found = compare(_corpus(), ["rouge_l"], resamples=300, trials=500).to_dict()["rouge_l"]
    pair = next(p for p in found["pairs"] if (p["a"], p["b"]) == ("close", "far"))
    assert pair["low"] < pair["difference"] < pair["high"]
    difference = found["systems"]["close"]["score"] - found["systems"]["far"]["score"]
    assert pair["difference"] == pytest.approx(difference)
    assert pair["p_randomisation"] == pytest.approx(1 / 501)  # no trial was as extreme
    assert pair["p_holm"] == pytest.approx(3 / 501)  # smallest of three, times three
    assert pair["wins"] + pair["ties"] + pair["losses"] == 60


def test_a_system_compared_with_its_copy_shows_no_difference() -> None:
    captions = ["a dog", "a cat on a mat", "two men"]
    corpus = Corpus.from_lists(
        captions * 2,
        [["a dog runs"], ["a cat"], ["two men talk"]] * 2,
        image_ids=["1", "2", "3"] * 2,
        systems=["one"] * 3 + ["copy"] * 3,
    )
    pair = compare(corpus, ["bleu1"], resamples=50, trials=50).metrics["bleu1"].pairs[0]
    assert (pair.difference, pair.p_randomisation, pair.p_bootstrap) == (0.0, 1.0, 1.0)
    assert (pair.wins, pair.ties, pair.losses) == (0, 3, 0)


def test_the_order_of_systems_changes_only_the_sign() -> None:
    corpus = _corpus(20)
    order = np.argsort([-i for i in corpus.system_of], kind="stable")
    there = compare(corpus, ["rouge_l"], resamples=100, trials=100).to_dict()["rouge_l"]
    back = compare(corpus.select(order), ["rouge_l"], resamples=100, trials=100)
    assert there["systems"]["far"] == back.to_dict()["rouge_l"]["systems"]["far"]


def test_systems_that_describe_different_images_are_refused() -> None:
    corpus = Corpus.from_lists(
        ["a", "b", "c"], [["a"], ["b"], ["c"]], image_ids=["1", "2", "1"], systems=["x", "x", "y"]
    )
    with pytest.raises(InputError, match='"x" and "y" describe different images: only one has "2"'):
        compare(corpus, ["bleu1"])


def test_one_system_cannot_be_compared() -> None:
    with pytest.raises(InputError, match="at least two systems"):
        compare(Corpus.from_lists(["a"], [["a"]]), ["bleu1"])


def test_what_is_no_corpus_is_named() -> None:
    with pytest.raises(InputError, match=r"corpus must be a corpus, or captions as .* found 4"):
        compare(4, ["bleu1"])
    with pytest.raises(InputError, match=r"compare needs at least two systems"):
        compare(["a dog"], ["bleu1"], references=[["a dog"]])


def test_captions_by_system_are_compared_as_they_are() -> None:
    references = [[f"a man rides horse number {n}"] for n in range(6)]
    good, poor = [f"a man rides horse {n}" for n in range(6)], ["a horse"] * 6
    corpus = Corpus.from_lists(
        good + poor,
        references * 2,
        systems=["good"] * 6 + ["poor"] * 6,
        image_ids=[str(n) for n in range(6)] * 2,
    )
    expected = compare(corpus, "rouge_l", resamples=20, trials=20).to_dict()
    for held in (list, tuple, pd.Series):
        given = {"good": held(good), "poor": held(poor)}
        found = compare(given, "rouge_l", references=held(references), resamples=20, trials=20)
        assert found.to_dict() == expected
    with pytest.raises(InputError, match=r'references has 5 entries for 6 captions of "good"'):
        compare({"good": good, "poor": poor}, "rouge_l", references=references[:5])
