from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import captious
from captious.corpus import Corpus
from captious.errors import CaptiousError, InputError
from captious.metrics import resolve
from captious.scoring import compute, score
from captious.stats.resample import bootstrap_sums

REFERENCES = [
    ["a man rides a brown horse", "a man on a horse in a field"],
    ["two dogs play with a red ball", "dogs chase a ball on the grass"],
    ["a plate of pasta with broccoli", "pasta and broccoli on a white plate"],
    ["a train stands at the station", "a long train next to a platform"],
]
GOOD = ["a man riding a horse", "two dogs with a ball", "a plate of pasta", "a train at a station"]
POOR = ["a horse", "a cat", "some food on it", "the bus"]


@pytest.fixture
def corpus() -> Corpus:
    return Corpus.from_lists(
        GOOD + POOR,
        REFERENCES * 2,
        image_ids=[str(i) for i in range(4)] * 2,
        systems=["good"] * 4 + ["poor"] * 4,
    )


def test_each_system_scores_as_if_it_were_alone(corpus: Corpus) -> None:
    together = score(corpus, ["bleu1", "bleu4", "rouge_l", "cider"])
    alone = score(Corpus.from_lists(GOOD, REFERENCES), ["bleu1", "bleu4", "rouge_l", "cider"])
    for name in alone:
        assert together[name].systems["good"].score == pytest.approx(alone[name].score, abs=1e-12)


def test_an_interval_is_the_quantiles_of_resampled_statistics(corpus: Corpus) -> None:
    scores = score(corpus, ["bleu2"], resamples=200, level=0.9, seed=5)
    metric = resolve("bleu2")
    own = scores["bleu2"].statistics[:4]
    draws = metric.corpus_score(bootstrap_sums(own, 200, 5))
    low, high = np.quantile(draws, [0.05, 0.95])
    found = scores["bleu2"].systems["good"]
    assert (found.low, found.high) == (pytest.approx(low), pytest.approx(high))
    assert found.low <= found.score <= found.high


def test_the_json_shape_is_the_documented_one(corpus: Corpus) -> None:
    shape = score(corpus, ["cider"], resamples=50).to_dict()
    assert list(shape) == ["systems"]
    assert list(shape["systems"]) == ["good", "poor"]
    assert list(shape["systems"]["good"]["cider"]) == ["score", "low", "high", "n", "signature"]
    assert shape["systems"]["good"]["cider"]["n"] == 4


def test_compute_takes_parallel_lists_like_evaluate() -> None:
    found = compute(predictions=GOOD, references=REFERENCES, metrics=["bleu1", "rouge_l"])
    assert found == pytest.approx(
        {
            name: score(Corpus.from_lists(GOOD, REFERENCES), [name])[name].score
            for name in ("bleu1", "rouge_l")
        }
    )


def test_compute_takes_one_plain_reference_a_prediction() -> None:
    plain = compute(predictions=["a dog"], references=["a dog runs"], metrics=["rouge_l"])
    listed = compute(predictions=["a dog"], references=[["a dog runs"]], metrics=["rouge_l"])
    assert plain == listed


def test_parallel_lists_of_different_lengths_are_refused() -> None:
    with pytest.raises(InputError, match="references has 1 entries for 2 captions"):
        compute(predictions=["a", "b"], references=[["a"]], metrics=["bleu1"])


def test_an_empty_corpus_is_refused() -> None:
    with pytest.raises(InputError, match="no captions"):
        score(Corpus.from_lists([], []), ["bleu1"])


def test_scores_become_a_table(corpus: Corpus) -> None:
    pytest.importorskip("pandas")
    table = score(corpus, ["bleu1"]).to_pandas()
    assert list(table.columns) == ["image_id", "system", "caption", "bleu1"]
    assert len(table) == 8


def test_the_package_offers_its_verbs_at_the_top() -> None:
    assert captious.score is score
    assert "score" in dir(captious)
    with pytest.raises(AttributeError, match="no attribute 'scor'"):
        _ = captious.scor


def test_a_single_image_has_no_interval() -> None:
    found = score(Corpus.from_lists(["a dog"], [["a dog runs"]]), ["rouge_l"], resamples=100)
    assert (found["rouge_l"].systems["candidates"].low) is None


@pytest.mark.parametrize(
    ("metric", "said"),
    [
        (
            "cider",
            "cider needs references, and there are none. "
            'Make the corpus with references, or ask for metrics="free", those that need none.',
        ),
        (
            "vifidel",
            "vifidel needs the objects in each image, and the corpus has none. "
            "Make the corpus with objects=.",
        ),
    ],
)
def test_what_a_metric_needs_and_the_corpus_lacks_is_named(metric: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        score(Corpus.from_lists(["a dog"]), [metric])
    assert str(caught.value) == said


def test_errors_of_the_python_interface_name_no_option_of_the_command_line() -> None:
    one = Corpus.from_lists(["a dog"], [["a dog runs"]])
    unlike = Corpus.from_lists(
        ["a dog", "a cat"], [["a dog"], ["a cat"]], image_ids=["1", "2"], systems=["a", "b"]
    )
    for call in (
        lambda: score(Corpus.from_lists(["a dog"]), "bleu1"),
        lambda: score(Corpus.from_lists(["a dog"]), ["vifidel"]),
        lambda: score(one, []),
        lambda: score(one, ["cider"]),
        lambda: captious.compare(one),
        lambda: captious.compare(unlike),
    ):
        with pytest.raises(InputError) as caught:
            call()
        assert " --" not in str(caught.value)
        assert " --" in caught.value.typed  # what the command line prints instead


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            lambda one: score("a dog", ["bleu1"]),
            "makes one or shards, as captious.open_shards opens them; found 'a dog'.",
        ),
        (lambda one: score(None), "opens them; found None."),
        (lambda one: score(one, 4), "metrics must be text or a list of texts or metrics or None; found 4."),
        (lambda one: score(one, [["bleu1"]]), "or None; found a list of list."),
        (lambda one: score(one, ["bleu1"], resamples="10"), "resamples must be a whole number; found '10'."),
        (lambda one: score(one, ["bleu1"], resamples=1.5), "resamples must be a whole number; found 1.5."),
        (captious.check, "candidates must be a path or a list of paths; found a Corpus."),
        (lambda one: captious.check(one.to_pandas()), "a list of paths; found a DataFrame."),
        (lambda one: captious.Client(None), "url must be text; found None."),
    ],
)
def test_arguments_of_a_wrong_type_are_refused_in_one_line(call: Any, said: str, corpus: Corpus) -> None:
    with pytest.raises(CaptiousError) as caught:
        call(corpus)
    assert said in str(caught.value) and "\n" not in str(caught.value)
