from __future__ import annotations

import json

import pytest

from captious.benchmarks.datasets.own_file import load_own_file
from captious.errors import InputError


def _write(tmp_path, rows):
    path = tmp_path / "mine.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_ratings_of_one_caption_are_averaged(judgment_file) -> None:
    found = load_own_file(judgment_file)
    assert found.protocol.name == "judgments.jsonl"
    assert found.corpus.systems == ["A", "B"]
    assert found.rows("overall")[1].tolist() == [4.5, 1.0, 5.0, 1.5, 3.0, 4.5]
    assert found.keys()[:2] == ["A|1", "B|1"]
    assert found.corpus.example(5).references == ["A man on a horse."]


def test_aspects_paths_and_objects_come_along(tmp_path) -> None:
    rows = [
        {
            "image": i,
            "caption": "A dog.",
            "references": ["A dog."],
            "rating": i,
            "aspect": aspect,
            "image_path": f"{i}.jpg",
            "objects": ["dog"],
        }
        for i in (1, 2)
        for aspect in ("precision", "recall")
    ]
    found = load_own_file(_write(tmp_path, rows))
    assert found.judgments.aspects == ["precision", "recall"]
    assert found.protocol.aspect == "precision"
    assert found.corpus.example(1).objects == ["dog"]
    assert found.corpus.example(1).image_path == "2.jpg"


@pytest.mark.parametrize("rating", [None, "good", float("nan"), float("inf"), True])
def test_a_rating_that_is_no_number(tmp_path, rating) -> None:
    rows = [{"image": 1, "caption": "A dog.", "references": ["A dog."], "rating": rating}]
    with pytest.raises(InputError, match=r"mine\.jsonl"):
        load_own_file(_write(tmp_path, rows))


def test_no_captions(tmp_path) -> None:
    with pytest.raises(InputError, match="contains no captions"):
        load_own_file(_write(tmp_path, [{"image": 1, "rating": 3}, {"image": 2, "rating": 4}]))


def test_no_such_file(tmp_path) -> None:
    with pytest.raises(InputError, match="there is no such file"):
        load_own_file(tmp_path / "none.jsonl")
