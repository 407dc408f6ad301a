from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import captious
from captious.corpus import Corpus
from captious.errors import InputError
from captious.metrics import resolve

ALL = ["chair", "chair_s", "chair_recall", "chair_objects"]


@pytest.fixture(scope="module")
def released() -> dict[str, Any]:
    """What the released program reads in captions (make_released.py)."""
    path = Path(__file__).parent.parent / "data" / "chair_released.json.gz"
    found: dict[str, Any] = json.loads(gzip.decompress(path.read_bytes()))
    return found


def _gold(data: Path) -> dict[str, list[str]]:
    found: dict[str, list[str]] = json.loads(
        gzip.decompress((data / "detailed" / "coco_objects.json.gz").read_bytes())
    )
    return found


def _check(corpus: Corpus, options: str, said: list[list[str]], there: list[set[str]]) -> None:
    """Compare with the formulas of the paper, on what the released program reads."""
    scores = captious.score(corpus, [f"{name}{options}" for name in ALL], findings=True)
    shares, sentences, recall, invented = (scores[f"{name}{options}"].values for name in ALL)
    wrong = [[one for one in own if one not in gold] for own, gold in zip(said, there, strict=True)]
    by_hand = [len(bad) / len(own) if own else 0.0 for bad, own in zip(wrong, said, strict=True)]
    np.testing.assert_array_equal(shares, by_hand)
    np.testing.assert_array_equal(sentences, [float(bool(bad)) for bad in wrong])
    np.testing.assert_array_equal(invented, [len(bad) for bad in wrong])
    named = [len(gold & set(own)) for own, gold in zip(said, there, strict=True)]
    np.testing.assert_array_equal(
        recall, [n / len(gold) if gold else 0.0 for n, gold in zip(named, there, strict=True)]
    )
    assert scores[f"chair{options}"].score == sum(map(len, wrong)) / sum(map(len, said))
    assert scores[f"chair_recall{options}"].score == sum(named) / sum(map(len, there))
    evidence: list[list[str]] = [[] for _ in said]
    for row in captious.corpus.Findings.on(scores.findings.of_source(f"chair{options}"), corpus).rows():
        if row.kind:
            evidence[int(row.example)].append(row.evidence)
            assert row.text == row.text.strip() and row.text
    assert evidence == wrong


def test_every_caption_of_m2_counts_as_in_the_released_program(data: Path, released: dict[str, Any]) -> None:
    folder = data / "coco_karpathy"
    captions = json.loads((folder / "m2_transformer.json").read_text(encoding="utf-8"))
    references = json.loads((folder / "reference_captions.json").read_text(encoding="utf-8"))
    gold = _gold(data)
    numbers = {image: str(row) for row, image in enumerate(captions)}
    corpus = Corpus.from_lists(
        captions.values(),
        [references[image] for image in captions],
        image_ids=numbers.values(),
        systems="",
        objects={numbers[image]: gold.get(image, []) for image in captions},
    )
    said = [released["m2"][image] for image in captions]
    seen = [set(gold.get(image, [])) for image in captions]
    told = [set(released["references"][image]) for image in captions]
    both = [one | other for one, other in zip(seen, told, strict=True)]
    _check(corpus, "", said, both)
    _check(corpus, "[references=none]", said, seen)
    _check(corpus, "[objects=none]", said, told)


def test_every_long_caption_counts_as_in_the_released_program(data: Path, released: dict[str, Any]) -> None:
    lines = (data / "detailed" / "mhal.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    gold = _gold(data)
    corpus = Corpus.from_lists(
        [row["caption"] for row in rows],
        systems="",
        objects={str(number): gold[row["image"]] for number, row in enumerate(rows)},
    )
    _check(corpus, "", released["mhal"], [set(gold[row["image"]]) for row in rows])


def test_findings_are_the_words_and_what_is_missing() -> None:
    caption = "😀 Two PUPPIES on a surf-board, a Wine  glass and a cafe\u0301's hot\ndogs!"
    corpus = Corpus.from_lists([caption], objects={"0": ["dog", "Surfboard", "gold:chair"]})
    found = captious.score(corpus, ["chair", "chair_recall"], findings=True).findings
    rows = [(row.source, row.text, row.evidence, row.kind) for row in found.rows()]
    assert rows == [
        ("chair", "Wine  glass", "wine glass", "object"),
        ("chair", "hot\ndogs", "hot dog", "object"),
        ("chair_recall", "", "chair", "object"),
        ("chair_recall", "", "surfboard", "object"),
    ]


def test_sources_of_objects() -> None:
    corpus = Corpus.from_lists(["a dog and a cat"], objects={"0": ["gold:dog", "d80:cat"]})
    values = [
        captious.score(corpus, f"chair[objects={which}]")[f"chair[objects={which}]"].score
        for which in ("gold", "d80", "gold|d80")
    ]
    assert values == [0.5, 0.5, 0.0]


def test_a_caption_without_objects_and_an_image_without_any() -> None:
    corpus = Corpus.from_lists(["the sky is blue", "a dog"], objects={"0": ["dog"], "1": []})
    scores = captious.score(corpus, ALL)
    assert [scores[name].values.tolist() for name in ALL] == [[0, 1], [0, 1], [0, 0], [0, 1]]
    assert scores["chair"].score == 1.0 and scores["chair_s"].score == 0.5


def test_objects_or_references_are_needed() -> None:
    corpus = Corpus.from_lists(["a dog"], [["a cat"]])
    with pytest.raises(InputError, match="chair needs the objects in each image"):
        captious.score(corpus, "chair")
    signature = captious.score(corpus, "chair[objects=none]")["chair[objects=none]"].signature
    assert signature.startswith("chair|refs:1|objects:none|words:coco80-pattern|v:")
    with pytest.raises(InputError, match="references of chair"):
        resolve("chair[references=all]")
