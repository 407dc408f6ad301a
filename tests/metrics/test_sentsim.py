"""Sentence similarity with the real encoder."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.stats import kendalltau

from captious import Corpus
from captious.errors import MissingDependencyError, UnknownNameError
from captious.metrics import Batch, resolve
from captious.metrics.sentsim import sentence_vectors_of
from captious.models.locate import MINILM
from captious.scoring import score

CAPTIONS = ["A dog runs on the beach.", "Two cats sleep on a couch.", "A bus."]
REFERENCES = [
    ["A brown dog runs along the sandy beach.", "The dog is running by the sea."],
    ["A pair of cats on a couch."],
    ["A red bus.", "", "A double-decker in London."],
]


@pytest.fixture(scope="module", autouse=True)
def _weights() -> None:
    try:
        resolve("sentsim").ready()
    except MissingDependencyError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def batch() -> Batch:
    return Batch(Corpus.from_lists(CAPTIONS, REFERENCES))


def cosines(batch: Batch) -> list[np.ndarray]:
    """Cosine of every example with each of its references, one dot product at a time."""
    vectors = sentence_vectors_of(batch, MINILM, "auto").rows
    row = {text: vectors[place].astype(float) for place, text in enumerate(batch.texts)}
    return [
        np.array([row[caption] @ row[reference] if reference else 0.0 for reference in references])
        for caption, references in zip(CAPTIONS, REFERENCES, strict=True)
    ]


def test_max_is_of_the_best_reference_and_mean_of_all(batch: Batch) -> None:
    expected = cosines(batch)
    best = resolve("sentsim").score_examples(batch, None)
    mean = resolve("sentsim[agg=mean]").score_examples(batch, None)
    np.testing.assert_allclose(best, [own.max() for own in expected], atol=1e-6)
    np.testing.assert_allclose(mean, [own.clip(0).mean() for own in expected], atol=1e-6)


def test_mean_embedding_is_the_cosine_with_the_references_mean(batch: Batch) -> None:
    vectors = sentence_vectors_of(batch, MINILM, "auto").rows
    row = {text: vectors[place].astype(float) for place, text in enumerate(batch.texts)}
    expected = []
    for caption, references in zip(CAPTIONS, REFERENCES, strict=True):
        mean = np.mean([row[text] for text in references if text], axis=0)
        expected.append(row[caption] @ mean / np.linalg.norm(mean))
    found = resolve("sentsim[agg=mean_embedding]").score_examples(batch, None)
    np.testing.assert_allclose(found, expected, atol=1e-6)


def test_an_unrelated_caption_scores_low_and_an_equal_one_1() -> None:
    corpus = Corpus.from_lists(["Two dogs play.", "A stock market chart.", ""], [["Two dogs play."]] * 3)
    equal, other, empty = resolve("sentsim").score_examples(Batch(corpus), None)
    assert equal == pytest.approx(1.0, abs=1e-6)
    assert other < 0.2
    assert empty == 0.0


def test_signature() -> None:
    scores = score(Corpus.from_lists(CAPTIONS, REFERENCES), ["sentsim"])["sentsim"]
    assert scores.signature == ("sentsim|refs:1-3|agg:max|enc:all-MiniLM-L6-v2/53aa5117|backend:onnx|v:0.1.0")


def test_processes_give_what_one_gives() -> None:
    corpus = Corpus.from_lists(CAPTIONS * 2, REFERENCES * 2, image_ids=[*"abcdef"])
    one = score(corpus, ["sentsim"])["sentsim"].values
    two = score(corpus, ["sentsim"], jobs=2)["sentsim"].values
    np.testing.assert_array_equal(one, two)


def test_torch_gives_the_same_scores() -> None:
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    batch = Batch(Corpus.from_lists(CAPTIONS, REFERENCES))
    ours = resolve("sentsim").score_examples(batch, None)
    theirs = resolve("sentsim[backend=torch]").score_examples(batch, None)
    np.testing.assert_allclose(ours, theirs, atol=1e-5)


def test_vectors_from_the_cache_give_the_same_scores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = Corpus.from_lists([*CAPTIONS, ""], [*REFERENCES, ["A dog."]])
    plain = resolve("sentsim").score_examples(Batch(corpus), None)
    monkeypatch.setenv("CAPTIOUS_CACHE", str(tmp_path))
    for _ in range(2):
        found = resolve("sentsim[cache=yes]").score_examples(Batch(corpus), None)
        np.testing.assert_array_equal(found, plain)
    assert len(list((tmp_path / "sentences").iterdir())) == 1


def test_unknown_options() -> None:
    with pytest.raises(UnknownNameError, match='Did you mean "max"'):
        resolve("sentsim[agg=maxi]")
    with pytest.raises(UnknownNameError, match='unknown backend "tf"'):
        resolve("sentsim[backend=tf]")


@pytest.mark.long
def test_flickr8k_expert_agrees_with_people(data: Path) -> None:
    from captious.benchmarks.datasets.flickr8k import load_expert

    judged = load_expert(data)
    values = score(judged.corpus, ["sentsim"])["sentsim"].values
    ratings = judged.judgments
    tau = kendalltau(values[ratings.example_of], ratings.values, variant="c").statistic
    assert len(ratings.values) == 16_992
    assert tau >= 0.55
