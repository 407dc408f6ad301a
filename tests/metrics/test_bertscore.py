"""BERTScore against the bert-score package on the same weights."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from captious import Corpus
from captious.errors import InputError, MissingDependencyError, UnknownNameError
from captious.metrics import Batch, resolve
from captious.metrics.bertscore import PARTS, BertScore, match_pairs, measure_baseline
from captious.metrics.bertscore_baseline import read_baseline, write_baseline
from captious.models.locate import MINILM, carried
from captious.scoring import score

FIGURES = Path(__file__).parent / "data" / "bert_score.json"


@pytest.fixture(scope="module", autouse=True)
def _weights() -> None:
    try:
        resolve("bertscore").ready()
    except MissingDependencyError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def figures() -> dict[str, object]:
    """What bert-score 0.3.13 says of real captions and of edge cases; see make_bert_score.py."""
    stored: dict[str, object] = json.loads(FIGURES.read_text(encoding="utf-8"))
    return stored


@pytest.mark.parametrize("case", ["layer6", "layer6-idf", "layer4", "layer4-idf"])
def test_every_part_is_bert_scores(figures: dict, case: str) -> None:
    layer, _, idf = case.removeprefix("layer").partition("-")
    metric = BertScore(layer=int(layer), idf=bool(idf))
    batch = Batch(Corpus.from_lists(figures["captions"], figures["references"]))
    found = metric.all_parts(batch, metric.merge([metric.collect(batch)]))
    assert len(found) > 100
    np.testing.assert_allclose(found, np.array(figures[case]), atol=1e-5)


def test_the_package_itself_agrees_where_it_is_installed(figures: dict) -> None:
    bert_score = pytest.importorskip("bert_score")
    captions, references = figures["captions"][:40], figures["references"][:40]
    theirs = bert_score.score(captions, references, model_type=str(carried(MINILM)), num_layers=6, idf=True)
    metric = BertScore(idf=True)
    batch = Batch(Corpus.from_lists(captions, references))
    found = metric.all_parts(batch, metric.merge([metric.collect(batch)]))
    np.testing.assert_allclose(found, np.stack([t.numpy() for t in theirs], axis=1), atol=1e-4)


def test_a_text_without_a_word_matches_nothing() -> None:
    # As in bert-score, both where the caption is empty and where the reference is.
    corpus = Corpus.from_lists(["", "A dog.", "A dog."], [["A dog."], [""], ["", "A dog."]])
    parts = BertScore().all_parts(Batch(corpus), None)
    np.testing.assert_allclose(parts, [[0, 0, 0], [0, 0, 0], [1, 1, 1]], atol=1e-6)


def test_greedy_matching_by_hand() -> None:
    # Candidate tokens x, y; reference tokens x, z, with z = (.6, .8): cosines
    #        x   z
    #   x    1  .6      P with weights 1, 3: (1 + 3 * .8) / 4 = .85
    #   y    0  .8      R with weights 1, 1: (1 + .8) / 2 = .9
    states = np.array([[1, 0], [0, 1], [1, 0], [0.6, 0.8]], dtype=np.float32)
    precision, recall = match_pairs(
        states, np.array([0, 2, 4]), np.array([1.0, 3.0, 1.0, 1.0]), np.array([0]), np.array([1])
    )
    assert precision[0] == pytest.approx(0.85)
    assert recall[0] == pytest.approx(0.9)


def test_the_parts_are_options_of_one_metric() -> None:
    corpus = Corpus.from_lists(["A dog runs."], [["A brown dog runs along the beach.", "A dog."]])
    batch = Batch(corpus)
    together = BertScore().all_parts(batch, None)[0]
    for part, value in zip(PARTS, together, strict=True):
        assert resolve(f"bertscore[part={part}]").score_examples(batch, None)[0] == value


def test_a_baseline_rescales(tmp_path: Path) -> None:
    path = tmp_path / "baseline.tsv"
    write_baseline(path, 6, (0.2, 0.3, 0.25))
    corpus = Corpus.from_lists(["A dog runs.", "Dogs"], [["A dog is running."], ["Two dogs"]])
    plain = score(corpus, ["bertscore"])["bertscore"].values
    name = f"bertscore[baseline={path}]"
    rescaled = score(corpus, [name])[name]
    np.testing.assert_allclose(rescaled.values, (plain - 0.25) / 0.75)
    assert "|baseline:file:" in rescaled.signature


def test_a_measured_baseline_is_what_rescales_to_0(tmp_path: Path) -> None:
    # Two texts have one circle: each meets the other, so that the mean of both is the baseline.
    texts = ["A man rides a wave.", "A plate of pasta on a table."]
    path = tmp_path / "captions.tsv"
    write_baseline(path, 6, measure_baseline(texts))
    name = f"bertscore[baseline={path}]"
    others = score(Corpus.from_lists(texts, [[texts[1]], [texts[0]]]), [name])[name]
    assert others.score == pytest.approx(0.0, abs=1e-6)
    same = score(Corpus.from_lists(texts, [[text] for text in texts]), [name])[name]
    assert same.score == pytest.approx(1.0, abs=1e-5)
    with pytest.raises(InputError, match="at least two different texts"):
        measure_baseline(["a dog", "a dog"])


def test_a_baseline_of_the_package_is_read(tmp_path: Path) -> None:
    path = tmp_path / "x.tsv"
    path.write_text("LAYER,P,R,F\n0,0.1,0.2,0.3\n1,0.4,0.5,0.6\n")
    assert read_baseline(str(path), 1).values == (0.4, 0.5, 0.6)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "line 1: the header is not"),
        ("LAYER,P,R,F\n6,a,b,c\n", "three numbers"),
        ("LAYER,P,R,F\n6,.1,.2\n", "three numbers"),
        ("LAYER,P,R,F\n6,1,1,1\n", "must be below 1"),
        ("LAYER,P,R,F\n2,.1,.1,.1\n", "there is no line for layer 6. It has 2"),
    ],
)
def test_a_bad_baseline_is_one_clear_line(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "baseline.tsv"
    path.write_text(content)
    with pytest.raises(InputError, match=message):
        read_baseline(str(path), 6)
    with pytest.raises(InputError, match="no such file"):
        read_baseline(str(tmp_path / "absent"), 6)


def test_signature_says_every_knob() -> None:
    corpus = Corpus.from_lists(["A dog."], [["A dog.", "Dogs."]])
    name = "bertscore[part=recall,idf=yes,layer=3]"
    assert score(corpus, [name])[name].signature == (
        "bertscore|refs:2|part:recall|enc:all-MiniLM-L6-v2/53aa5117|layer:3|idf:refs:2|"
        "baseline:none|backend:onnx|v:0.1.0"
    )


def test_idf_counts_an_images_references_once() -> None:
    references = [["A dog runs.", "The dog."], ["Two cats.", "A cat."]]
    one = Corpus.from_lists(["A dog.", "A cat."], references, image_ids=["1", "2"])
    two = Corpus.from_lists(
        ["A dog.", "A cat.", "Dogs.", "Cats."],
        references * 2,
        image_ids=["1", "2", "1", "2"],
        systems=["a", "a", "b", "b"],
    )
    name = "bertscore[idf=yes]"
    np.testing.assert_array_equal(score(two, [name])[name].values[:2], score(one, [name])[name].values)


def test_options_that_are_not() -> None:
    with pytest.raises(UnknownNameError, match='Did you mean "precision"'):
        resolve("bertscore[part=precison]")
    with pytest.raises(InputError, match="layers count from 1"):
        resolve("bertscore[layer=-1]")
    corpus = Corpus.from_lists(["A dog."], [["A dog."]])
    with pytest.raises(InputError, match="has layers 1 to 6"):
        score(corpus, ["bertscore[layer=7]"])
