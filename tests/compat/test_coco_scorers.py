"""Our scorers beside pycocoevalcap's: the same calls, the same values, the same shapes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from captious.compat import coco
from captious.corpus.load import load_corpus
from captious.data import demo_files
from captious.errors import InputError
from captious.metrics.document_frequency import DocumentFrequencies

CLOSE = 1e-10


@pytest.fixture(scope="module")
def texts() -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """The demo's captions, tokenised; and what is odd: an empty caption, one word, a repeated word."""
    files = demo_files()
    corpus = load_corpus([files.systems[1]], files.references)
    examples = [corpus.example(row) for row in range(len(corpus))]
    tokenise = coco.PTBTokenizer().tokenize
    gts = tokenise({one.image_id: [{"caption": text} for text in one.references] for one in examples})
    res = tokenise({one.image_id: [{"caption": one.caption}] for one in examples})
    gts |= {"empty": ["a dog", "the dog runs"], "word": ["dog", "a dog"], "again": ["dog dog a", "a a a dog"]}
    res |= {"empty": [""], "word": ["dog"], "again": ["dog dog dog a a"]}
    return gts, res


def test_cider(texts: Any) -> None:
    peer = pytest.importorskip("pycocoevalcap.cider.cider")
    for options in ({}, {"sigma": 3.0}):  # with another n the peer fails
        expected, items = peer.Cider(**options).compute_score(*texts)
        found, own = coco.Cider(**options).compute_score(*texts)
        assert found == pytest.approx(expected, abs=CLOSE)
        assert isinstance(own, np.ndarray) and own.shape == items.shape
        assert own == pytest.approx(items, abs=CLOSE)
    assert coco.Cider().method() == peer.Cider().method()


def test_bleu(texts: Any) -> None:
    peer = pytest.importorskip("pycocoevalcap.bleu.bleu")
    for n in (2, 4):
        expected, items = peer.Bleu(n).compute_score(*texts, verbose=0)
        found, own = coco.Bleu(n).compute_score(*texts, verbose=0)
        assert found == pytest.approx(expected, abs=CLOSE)
        assert [len(one) for one in own] == [len(one) for one in items]
        assert np.array(own) == pytest.approx(np.array(items), abs=CLOSE)
    assert coco.Bleu(4).method() == peer.Bleu(4).method()


def test_rouge(texts: Any) -> None:
    peer = pytest.importorskip("pycocoevalcap.rouge.rouge")
    expected, items = peer.Rouge().compute_score(*texts)
    found, own = coco.Rouge().compute_score(*texts)
    assert found == pytest.approx(expected, abs=CLOSE)
    assert own == pytest.approx(items, abs=CLOSE)
    assert coco.Rouge().method() == peer.Rouge().method()


def test_cider_d_takes_several_samples_of_an_image(texts: Any, tmp_path: Path) -> None:
    """As self-critical training calls it. The peer gets each sample as an image of its own."""
    peer = pytest.importorskip("pycocoevalcap.cider.cider")
    gts, res = texts
    images = list(gts)[:4] * 3
    samples = [res[image] for image in list(gts)[:12]]
    entries = [{"image_id": i, "caption": s} for i, s in zip(images, samples, strict=True)]
    apart = dict(enumerate(samples))
    expected, items = peer.Cider().compute_score({n: gts[i] for n, i in enumerate(images)}, apart)
    found, own = coco.CiderD().compute_score(gts, entries)
    assert found == pytest.approx(expected, abs=CLOSE)
    assert own == pytest.approx(items, abs=CLOSE)
    table = tmp_path / "df.npz"
    DocumentFrequencies.build(gts, tokeniser="space").save(table)
    _, all_at_once = coco.Cider().compute_score(gts, res)
    _, by_table = coco.CiderD(df=str(table)).compute_score(gts, dict(list(res.items())[:3]))
    assert by_table == pytest.approx(all_at_once[:3], abs=CLOSE)


def test_meteor_and_spice_have_the_shapes_of_the_originals(texts: Any) -> None:
    gts, res = ({key: part[key] for key in list(part)[:5]} for part in texts)
    score, items = coco.Meteor().compute_score(gts, res)
    assert isinstance(score, float) and 0 < score < 1
    assert [type(one) for one in items] == [float] * 5
    mean, categories = coco.Spice().compute_score(gts, res)
    assert mean == pytest.approx(np.mean([one["All"]["f"] for one in categories]))
    assert set(categories[0]["All"]) >= {"f", "pr", "re"}
    assert (coco.Meteor().method(), coco.Spice().method()) == ("METEOR", "SPICE")


def test_what_does_not_fit_is_said_in_one_line() -> None:
    with pytest.raises(InputError, match='image "2" is only in one of gts and res'):
        coco.Rouge().compute_score({1: ["a"]}, {1: ["a"], 2: ["b"]})
    with pytest.raises(InputError, match="exactly one caption"):
        coco.Rouge().compute_score({1: ["a"]}, {1: ["a", "b"]})
    with pytest.raises(InputError, match="at least one reference"):
        coco.Rouge().compute_score({1: []}, {1: ["a"]})
    with pytest.raises(InputError, match="n is 5"):
        coco.Bleu(5)


def _sample() -> tuple[dict[str, list[dict[str, str]]], dict[str, list[dict[str, str]]]]:
    """The demo sample as coco-caption takes it, with captions that tokenisers stumble over."""
    sample = demo_files()
    rows = json.loads(sample.references.read_text("utf-8"))["annotations"]
    gts: dict[str, list[dict[str, str]]] = {}
    for row in rows:
        gts.setdefault(str(row["image_id"]), []).append({"caption": row["caption"]})
    given = json.loads(sample.systems[1].read_text("utf-8"))
    res = {str(row["image_id"]): [{"caption": row["caption"]}] for row in given}
    for number, caption in enumerate(NASTY):
        gts[f"n{number}"] = [{"caption": caption.lower()}, {"caption": "a dog."}]
        res[f"n{number}"] = [{"caption": caption}]
    return gts, res


NASTY = (
    "It's the dog's bone; they don't care -- cannot, gonna!",
    'A sign that says "STOP" (and $5.50) at 10:30 a.m. in the U.S.',
    "Two   spaces,\ttabs & a T-shirt/short... isn't it?",
    "Café, naïve façade – a man’s hat “quoted” 50% off #1",
)


def test_the_tokeniser_says_what_the_java_one_says(java: str) -> None:
    theirs = pytest.importorskip("pycocoevalcap.tokenizer.ptbtokenizer").PTBTokenizer()
    for texts in _sample():
        assert coco.PTBTokenizer().tokenize(texts) == theirs.tokenize(texts)


def test_meteor_says_what_the_java_one_says(java: str) -> None:
    theirs = pytest.importorskip("pycocoevalcap.meteor.meteor").Meteor()
    gts, res = (coco.PTBTokenizer().tokenize(texts) for texts in _sample())
    score, each = coco.Meteor().compute_score(gts, res)
    expected, singly = theirs.compute_score(gts, res)
    assert score == pytest.approx(expected, abs=1e-12)
    assert list(each) == pytest.approx(list(singly), abs=1e-12)


@pytest.mark.parametrize(
    ("call", "line"),
    [
        (lambda: coco.PTBTokenizer().tokenize({7: ["a dog"]}), "found 'a dog' in it."),  # type: ignore[list-item]
        (lambda: coco.PTBTokenizer().tokenize([{"caption": "a dog"}]), "captions must be a dict by image id"),  # type: ignore[arg-type]
        (lambda: coco.Cider().compute_score([], {7: ["a dog"]}), "gts must be a dict by image id"),  # type: ignore[arg-type]
        (lambda: coco.Rouge().compute_score({7: ["a dog"]}, ["a dog"]), "res must be a dict by image id"),  # type: ignore[arg-type]
        (lambda: coco.Spice().compute_score(["a dog"], {7: ["a dog"]}), "gts must be a dict by image id"),  # type: ignore[arg-type]
        (
            lambda: coco.CiderD().compute_score({7: ["a dog"]}, [{"id": 7, "caption": ["a dog"]}]),
            'a list of {"image_id": ID, "caption": [TEXT]}',
        ),
    ],
)
def test_texts_in_the_wrong_shape_are_one_line(call: Any, line: str) -> None:
    with pytest.raises(InputError) as raised:
        call()
    assert line in str(raised.value) and "\n" not in str(raised.value)
