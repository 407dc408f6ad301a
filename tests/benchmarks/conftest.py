from __future__ import annotations

import json
from pathlib import Path

import pytest

from captious.benchmarks.datasets.flickr8k import load_expert
from captious.benchmarks.datasets.pascal50s import load_pascal50s
from captious.benchmarks.datasets.thumb import load_thumb
from captious.benchmarks.protocol import Preferences, Protocol, RatedExamples, rated_examples
from captious.corpus import Corpus


@pytest.fixture(scope="session")
def expert(data: Path) -> RatedExamples:
    return load_expert(data)


@pytest.fixture(scope="session")
def thumb(data: Path) -> RatedExamples:
    return load_thumb(data)


@pytest.fixture(scope="session")
def thumb_with_human(data: Path) -> RatedExamples:
    return load_thumb(data, human="with")


@pytest.fixture(scope="session")
def pascal(data: Path) -> Preferences:
    return load_pascal50s(data, draws=2)


@pytest.fixture
def small() -> RatedExamples:
    """Two systems on three images, two aspects, ratings of two raters."""
    corpus = Corpus.from_lists(
        ["a dog", "a cat", "two dogs", "a man rides", "a horse", "a man on a horse"],
        [["a dog runs", "the dog"]] * 2 + [["two dogs play"]] * 2 + [["a man on a horse"]] * 2,
        image_ids=["1", "1", "2", "2", "3", "3"],
        systems=["A", "B"] * 3,
    )
    ratings = {"overall": [[5, 4], [1, 1], [5, 5], [2, 1], [2, 4], [5, 4]], "fluency": [[1.0]] * 6}
    ids = ["1", "1", "2", "2", "3", "3"]
    return rated_examples(Protocol("small", ratings="each"), corpus, ratings, ids)


@pytest.fixture
def judgment_rows() -> list[dict]:
    """A file of judgments as users write them: two raters, two systems."""
    references = {"1": ["A dog runs."], "2": ["Two dogs play."], "3": ["A man on a horse."]}
    captions = {
        ("1", "A"): "A dog.",
        ("1", "B"): "A cat.",
        ("2", "A"): "Two dogs.",
        ("2", "B"): "A man rides.",
        ("3", "A"): "A horse.",
        ("3", "B"): "A man on a horse.",
    }
    values = {
        ("1", "A"): (5, 4),
        ("1", "B"): (1, 1),
        ("2", "A"): (5, 5),
        ("2", "B"): (2, 1),
        ("3", "A"): (2, 4),
        ("3", "B"): (5, 4),
    }
    return [
        {
            "image": image,
            "system": system,
            "caption": caption,
            "references": references[image],
            "rating": value,
            "rater": rater,
        }
        for (image, system), caption in captions.items()
        for rater, value in zip(("r1", "r2"), values[image, system], strict=True)
    ]


@pytest.fixture
def judgment_file(tmp_path: Path, judgment_rows: list[dict]) -> Path:
    path = tmp_path / "judgments.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in judgment_rows))
    return path
