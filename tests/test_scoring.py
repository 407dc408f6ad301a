from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest

import captious
from captious.corpus import Corpus
from captious.corpus.load import load_corpus
from captious.data import demo_files
from captious.errors import CaptiousError, CaptiousWarning, InputError
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


def test_a_metric_shows_its_scores_and_not_its_arrays(corpus: Corpus) -> None:
    found = score(corpus, ["rouge_l"])["rouge_l"]
    assert repr(found) == (
        f"MetricScores('rouge_l', systems={found.systems!r}, signature={found.signature!r})"
    )
    assert "array" not in repr(found)


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
            "cider needs references, but there are none. "
            'Give references=, or use metrics="free" for metrics that need none.',
        ),
        (
            "vifidel",
            "vifidel needs the objects in each image, but the corpus has none. "
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
            'candidates must be a list of texts; found the plain text "a dog". Put it in a list.',
        ),
        (lambda one: score(None), "as captious.load_corpus takes them; found None."),
        (
            lambda one: score(7),
            "corpus must be a corpus, or captions as captious.load_corpus takes them; found 7.",
        ),
        (lambda one: score(one, 4), "metrics must be a metric or a list of metrics or None; found 4."),
        (
            lambda one: score(one, [["bleu1"]]),
            "found what looks like references. Give them by name: references=",
        ),
        (lambda one: score(one, {"1": ["a dog"]}), "found what looks like references."),
        (lambda one: score(one, ["a dog runs"]), "found what looks like references."),
        (
            lambda one: score(one, references=[["a dog"]]),
            "is already a corpus. Give references when you make it.",
        ),
        (lambda one: score(one, ["bleu1"], resamples="10"), "resamples must be a whole number; found '10'."),
        (lambda one: score(one, ["bleu1"], resamples=1.5), "resamples must be a whole number; found 1.5."),
        (lambda one: captious.check(4), "candidates: found int. Give a file, a data frame, a dict"),
        (lambda one: captious.Client(None), "url must be text; found None."),
    ],
)
def test_arguments_of_a_wrong_type_are_refused_in_one_line(call: Any, said: str, corpus: Corpus) -> None:
    with pytest.raises(CaptiousError) as caught:
        call(corpus)
    assert said in str(caught.value) and "\n" not in str(caught.value)


TWO_LISTS = [["a dog is running", "the dog"], ["cats asleep"]]
CAPTIONS = ["a dog runs", "two cats sleep"]


@pytest.mark.filterwarnings("ignore::captious.errors.CaptiousWarning")
@pytest.mark.filterwarnings("ignore::captious.errors.CaptiousWarning")
def test_the_smallest_installation_scores_without_references(monkeypatch: pytest.MonkeyPatch) -> None:
    for package in ("pocketsphinx", "harper", "torch", "onnxruntime"):
        monkeypatch.setitem(sys.modules, package, None)
    assert list(compute(CAPTIONS)) == ["alttext"]


@pytest.mark.parametrize(
    ("captions", "references"),
    [
        (CAPTIONS, TWO_LISTS),
        (iter(CAPTIONS), iter(TWO_LISTS)),
        (pd.Series(CAPTIONS, index=["x", "y"]), pd.Series(TWO_LISTS)),
        (np.array(CAPTIONS), np.array(TWO_LISTS, dtype=object)),
        (dict(enumerate(CAPTIONS)), dict(enumerate(TWO_LISTS))),
        (pd.DataFrame({"caption": CAPTIONS, "references": TWO_LISTS}), None),
        (pd.DataFrame({"caption": CAPTIONS}), TWO_LISTS),
        ([{"image_id": n, "caption": text} for n, text in enumerate(CAPTIONS)], dict(enumerate(TWO_LISTS))),
    ],
    ids=["lists", "iterators", "series", "arrays", "dicts", "frame", "frame beside a list", "rows"],
)
def test_captions_are_scored_as_they_are_held(captions: Any, references: Any) -> None:
    """`compute` and `score` of the same captions, however they are given: 3 of 6 words meet."""
    if isinstance(captions, Iterator):
        captions, references = list(captions), list(references)
        assert compute(iter(captions), iter(references), "bleu1")["bleu1"] == pytest.approx(0.5)
        assert score(iter(captions), "bleu1", references=iter(references))["bleu1"].score == pytest.approx(
            0.5
        )
    assert compute(captions, references, "bleu1")["bleu1"] == pytest.approx(0.5)
    assert score(captions, "bleu1", references=references)["bleu1"].score == pytest.approx(0.5)


def test_files_are_scored_as_they_are() -> None:
    files = demo_files()
    corpus = load_corpus(list(files.systems), files.references)
    expected = score(corpus, "bleu1").to_dict()
    assert score(list(files.systems), "bleu1", references=files.references).to_dict() == expected
    assert compute(files.systems[0], files.references, "bleu1")["bleu1"] == pytest.approx(
        score(corpus, "bleu1")["bleu1"].systems[corpus.systems[0]].score
    )


@pytest.mark.parametrize(
    ("captions", "references", "said"),
    [
        (TWO_LISTS, CAPTIONS, "predictions: found a list of lists, as references are. Were predictions and"),
        (
            CAPTIONS,
            dict(enumerate(TWO_LISTS)),
            "found dict. To match by image id, give predictions as a dict",
        ),
        (dict(enumerate(CAPTIONS)), TWO_LISTS, "Give two dicts or two lists."),
        ({"a": {1: "a dog"}, "b": {1: "a cat"}}, {1: ["a dog"]}, "are of 2 systems, but compute scores one"),
        ("a dog", "a dog", 'predictions must be a list of texts; found the plain text "a dog".'),
        (["a dog", float("nan")], TWO_LISTS, "predictions: entry 2 is missing (nan); it must be text."),
        (CAPTIONS, [["a dog", None], ["a cat"]], "references of prediction 1: entry 2 is missing (None)"),
        (None, TWO_LISTS, "predictions is None."),
    ],
)
def test_what_compute_cannot_take_is_named(captions: Any, references: Any, said: str) -> None:
    with pytest.raises(InputError) as caught:
        compute(captions, references, "bleu1")
    assert said in str(caught.value) and "\n" not in str(caught.value)


def test_findings_are_there_when_asked_for(corpus: Corpus) -> None:
    pytest.importorskip("harper")
    silent = score(corpus, "rulegrammar")
    with pytest.raises(InputError, match="findings=True"):
        silent.findings  # noqa: B018
    with pytest.warns(CaptiousWarning, match="no findings are given by bleu1, rouge_l"):
        scores = score(corpus, "bleu1,rulegrammar,rouge_l", findings=True, resamples=10)
    assert scores.findings.sources == ["rulegrammar"]
    assert scores.findings.captions == corpus.captions
    with pytest.raises(InputError, match=r"none of these metrics gives findings.*rulegrammar"):
        score(corpus, "bleu1", findings=True)
