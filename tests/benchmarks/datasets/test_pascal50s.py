from __future__ import annotations

import json
import shutil
from collections import Counter

import numpy as np
import pytest

from captious.benchmarks.datasets.pascal50s import load_pascal50s
from captious.benchmarks.datasets.same_text import fold
from captious.benchmarks.meta_evaluation.evaluate import evaluate
from captious.benchmarks.meta_evaluation.result import MetaSettings
from captious.benchmarks.scores import compute_scores, metrics_for
from captious.errors import InputError


def test_four_categories_of_a_thousand_pairs(pascal) -> None:
    assert Counter(pascal.category) == {"HC": 1000, "HI": 1000, "HM": 1000, "MM": 1000}
    assert len(pascal.corpora) == 2
    assert set(pascal.corpora[0].reference_counts.tolist()) == {5}


def test_draws_differ_and_the_seed_repeats_them(pascal, data) -> None:
    first, second = pascal.corpora
    assert first.captions == second.captions
    assert first.references.values != second.references.values
    again = load_pascal50s(data, draws=1)
    assert again.corpora[0].references.values == first.references.values
    other = load_pascal50s(data, draws=1, seed=1)
    assert other.corpora[0].references.values != first.references.values
    assert other.protocol.seed == 1


def test_both_captions_of_a_pair_meet_the_same_references_and_never_themselves(pascal) -> None:
    corpus = pascal.corpora[0]
    for pair in range(0, 4000, 7):
        one, two = (corpus.example(int(place[pair])) for place in (pascal.first, pascal.second))
        assert one.references == two.references
        folded = {fold(text) for text in one.references}
        assert fold(one.caption) not in folded and fold(two.caption) not in folded


@pytest.mark.parametrize(
    ("metric", "published"),
    # Madhyastha et al. 2019, Table 6, five references: HC HI HM MM all. Draws are random, so each
    # category is met within two points and the mean within one.
    [("bleu1", [0.64, 0.95, 0.91, 0.61, 0.78]), ("cider", [0.67, 0.98, 0.90, 0.66, 0.80])],
)
def test_published_accuracies(pascal, metric, published) -> None:
    scores = compute_scores(pascal, metrics_for(metric, pascal.protocol.documents))
    found = evaluate(pascal, scores, MetaSettings(resamples=0)).results[metric]
    each = [found[name].value for name in ("HC", "HI", "HM", "MM")]
    assert np.abs(np.array(each) - published[:4]).max() <= 0.02
    assert abs(found["accuracy"].value - published[4]) <= 0.01
    assert found["accuracy"].value == pytest.approx(np.mean(each))


def _copy(data, tmp_path, change):
    folder = tmp_path / "pascal50s"
    folder.mkdir()
    shutil.copy(data / "pascal50s" / "pascal50S.mat", folder)
    document = json.loads((data / "pascal50s" / "pascal_50s.json").read_text())
    change(document)
    (folder / "pascal_50s.json").write_text(json.dumps(document))
    return tmp_path


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda d: d.pop("MM"), "expected an object with the keys HC, HI, HM, MM"),
        (lambda d: d["HI"][3].update(label=2), "HI, pair 4: needs two captions and a label"),
        (lambda d: d["HC"][0].update(image="x/y.jpg"), 'image "x/y.jpg" has no references'),
    ],
)
def test_bad_pairs(data, tmp_path, change, said) -> None:
    with pytest.raises(InputError, match=said):
        load_pascal50s(_copy(data, tmp_path, change))


def test_a_broken_mat_file(data, tmp_path) -> None:
    folder = _copy(data, tmp_path, lambda d: None)
    (folder / "pascal50s" / "pascal50S.mat").write_bytes(b"not a mat file, but long enough" * 20)
    with pytest.raises(InputError, match="train_sent_final"):
        load_pascal50s(folder)
