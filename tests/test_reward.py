"""`captious.Reward`: the metric's own values, at any batch, from any thread."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import captious
from captious import Corpus, Reward
from captious.corpus.load import load_corpus
from captious.data import demo_files
from captious.errors import CaptiousWarning, InputError
from captious.metrics.document_frequency import DocumentFrequencies


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    files = demo_files()
    return load_corpus(list(files.systems), files.references)


@pytest.fixture(scope="module")
def references(corpus: Corpus) -> dict[str, list[str]]:
    return {one.image_id: one.references for one in map(corpus.example, range(len(corpus)))}


@pytest.mark.parametrize(
    "metric", ["cider", "cider[n=2,sigma=3,tokeniser=space]", "bleu4", "rouge_l", "cider_original", "spider"]
)
def test_a_batch_has_the_scores_of_the_whole(
    corpus: Corpus, references: dict[str, list[str]], metric: str
) -> None:
    """Four samples of each image, in any order: the values of `captious.score` over all of them."""
    expected = captious.score(corpus, [metric])[metric].values
    rows = np.random.default_rng(3).permutation(len(corpus))[:50]
    examples = [corpus.example(int(row)) for row in rows]
    reward = Reward(metric, references=references)
    found = reward([one.image_id for one in examples], [one.caption for one in examples])
    assert found == pytest.approx(expected[rows], abs=1e-12)


def test_odd_captions_and_few_references(references: dict[str, list[str]]) -> None:
    """pycocoevalcap's CIDEr of the same texts: empty, unknown words, repeated words, one reference."""
    peer = pytest.importorskip("pycocoevalcap.cider.cider")
    gts = {7: ["a dog runs"], 8: ["two cats", "cats sleep on a mat"], 9: ["a a a dog", "", "b"]}
    captions = {7: [""], 8: ["zebra zebra cats cats two cats"], 9: ["a a dog dog a"]}
    _, expected = peer.Cider().compute_score(gts, captions)
    found = Reward("cider[tokeniser=space]", references=gts)(list(gts), [c for (c,) in captions.values()])
    assert found == pytest.approx(expected, abs=1e-12)


def test_document_frequencies_of_a_table(
    corpus: Corpus, references: dict[str, list[str]], tmp_path: Path
) -> None:
    table = tmp_path / "other.npz"
    DocumentFrequencies.build([["a dog runs"], ["a cat"], ["the red bus", "a bus"]]).save(table)
    name = f"cider[df={table}]"
    expected = captious.score(corpus, [name])[name].values[:10]
    examples = [corpus.example(row) for row in range(10)]
    found = Reward(name, references=references)([e.image_id for e in examples], [e.caption for e in examples])
    assert found == pytest.approx(expected, abs=1e-12)


def test_threads_share_a_reward(corpus: Corpus, references: dict[str, list[str]]) -> None:
    reward = Reward("cider", references=references)
    examples = [corpus.example(row) for row in range(len(corpus))]

    def values(start: int) -> list[float]:
        part = examples[start : start + 12]
        return reward([one.image_id for one in part], [one.caption for one in part]).tolist()

    starts = [8 * (n % 10) for n in range(40)]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(values, starts)) == [values(start) for start in starts]


def test_what_is_wrong_is_said(references: dict[str, list[str]]) -> None:
    reward = Reward("cider", references=references)
    with pytest.raises(InputError, match='image "no such" has no references here'):
        reward(["no such"], ["a dog"])
    with pytest.raises(InputError, match="1 images and 2 captions"):
        reward([next(iter(references))], ["a", "b"])
    with pytest.raises(InputError, match="vifidel_plus needs objects, and only references are given"):
        Reward("vifidel_plus", references=references)
    with pytest.raises(InputError, match="Score more images"):
        Reward("cider", references={1: ["a dog"]})
    with pytest.raises(InputError, match='image "1" has no references'):
        Reward("bleu4", references={1: []})
    assert reward([], []).tolist() == []


def test_references_and_batches_as_they_are_held(corpus: Corpus, references: dict[str, list[str]]) -> None:
    images, captions = list(references)[:3], [corpus.example(row).caption for row in range(3)]
    expected = Reward("cider", references=references)(images, captions)
    for given in (
        pd.Series(references),
        {image: np.array(own) for image, own in references.items()},
        demo_files().references,
        pd.DataFrame({"image_id": list(references), "references": list(references.values())}),
        corpus,
    ):
        reward = Reward("cider", references=given)
        for batch in (list, iter, np.array, pd.Series):
            assert reward(batch(images), batch(captions)) == pytest.approx(expected, abs=1e-12)
    by_place = Reward("cider", references=list(references.values()))
    assert by_place(np.arange(3), captions) == pytest.approx(expected, abs=1e-12)
    from_file = Reward("cider", references=demo_files().references)
    assert from_file([int(image) for image in images], captions) == pytest.approx(expected, abs=1e-12)
    assert repr(from_file) == "Reward(cider, references of 24 images)"


@pytest.mark.parametrize(
    ("images", "captions", "said"),
    [
        ([1], ["a dog"], 'image "1" has no references here. Ids there are of type str, not int.'),
        ("1", "a dog", 'captions must be a list of texts; found the plain text "a dog"'),
        (1, ["a dog"], "images must be a list; found int"),
        (["1"], [None], "captions: entry 1 is missing (None)"),
        ([[1]], ["a dog"], "images: a list is not an image id"),
    ],
)
def test_a_batch_that_cannot_be_meant_is_said(
    images: Any, captions: Any, said: str, references: dict[str, list[str]]
) -> None:
    with pytest.raises(InputError) as caught:
        Reward("cider", references=references)(images, captions)
    assert said in str(caught.value)


def test_references_that_cannot_be_meant_are_said() -> None:
    with pytest.raises(
        InputError, match="references of image 1 must be a list of texts; found the plain text"
    ):
        Reward("bleu4", references={1: "a dog", 2: "a cat"})
    with pytest.raises(InputError, match="references: found int"):
        Reward("bleu4", references=3)


def test_several_metrics_with_weights(corpus: Corpus, references: dict[str, list[str]]) -> None:
    scores = captious.score(corpus, ["cider", "rouge_l"])
    images = [corpus.image_ids[image] for image in corpus.image_of.tolist()]
    expected = scores["cider"].values + 0.5 * scores["rouge_l"].values
    found = Reward({"cider": 1, "ROUGE-L": 0.5}, references=references)(images, corpus.captions)
    assert found == pytest.approx(expected, abs=1e-12)
    both = Reward(["cider", "rouge_l"], references=references)(images, corpus.captions)
    assert both == pytest.approx(scores["cider"].values + scores["rouge_l"].values, abs=1e-12)


def test_a_metric_that_looks_at_images_beside_one_that_does_not(
    references: dict[str, list[str]], tmp_path: Path
) -> None:
    """In one line, from a folder of images; a function stands for CLIPScore, whose weights are not here."""

    def bytes_of(images: list[str], captions: list[str]) -> list[float]:
        return [Path(path).stat().st_size / len(text) for path, text in zip(images, captions, strict=True)]

    ids = list(references)[:3]
    photographs = tmp_path / "photographs"
    photographs.mkdir()
    for image, path in zip(ids, sorted(demo_files().images.glob("*.jpg")), strict=False):
        shutil.copy(path, photographs / f"{image}.jpg")
    texts = ["a dog", "a cat on a mat", "a red bus"]
    reward = Reward({"cider": 1.0, bytes_of: 0.001}, references=references, images=photographs)
    paths = [str(photographs / f"{image}.jpg") for image in ids]
    cider = Reward("cider", references=references)(ids, texts)
    assert reward(ids, texts) == pytest.approx(cider + 0.001 * np.array(bytes_of(paths, texts)))
    alone = Reward(bytes_of, images=dict(zip(ids, paths, strict=True)))
    assert alone(ids, texts) == pytest.approx(bytes_of(paths, texts))


def test_what_several_metrics_lack_is_said(references: dict[str, list[str]], tmp_path: Path) -> None:
    with pytest.raises(InputError, match="clipscore needs image, and only references are given here"):
        Reward({"cider": 1, "clipscore": 1}, references=references)
    with pytest.raises(InputError, match="the weight of cider must be a number; found 'much'"):
        Reward({"cider": "much"}, references=references)  # type: ignore[dict-item]
    with pytest.raises(InputError, match="contains no image files"):
        Reward(["cider", "clipscore"], references=references, images=tmp_path)


def test_long_and_foreign_texts_are_refused_or_told_as_elsewhere() -> None:
    with pytest.warns(CaptiousWarning, match="spice: references are German"):
        reward = Reward("spice", references=[["Ein brauner Hund rennt über die Wiese."]])
    with pytest.raises(InputError, match=r"spice: .* has 6,000 words; at most 5,000 are allowed"):
        reward([0], ["a dog " * 3000])
    with pytest.raises(InputError, match=r"spice: .* has 6,000 words"):
        Reward("spice", references=[["a dog " * 3000]])
