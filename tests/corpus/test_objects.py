from __future__ import annotations

import json
from pathlib import Path

import pytest

from captious.corpus.objects import read_objects, split_source
from captious.errors import InputError

INSTANCES = {
    "images": [{"id": 7}, {"id": 9}],
    "categories": [{"id": 1, "name": "dog"}, {"id": 2, "name": "fire hydrant"}],
    "annotations": [
        {"image_id": 7, "category_id": 1},
        {"image_id": 7, "category_id": 2},
        {"image_id": 7, "category_id": 1},
    ],
}


@pytest.mark.parametrize(
    "content",
    [
        {"7": ["dog", "dog", "fire hydrant"], "9": []},
        {"000000000007.jpg": {"dog": 2, "fire hydrant": 1}, "9": {}},
        INSTANCES,
    ],
)
def test_formats(content: object, tmp_path: Path) -> None:
    file = tmp_path / "objects.json"
    file.write_text(json.dumps(content))
    labels = read_objects(file, ["9", "7", "unknown"])
    assert [sorted(own) for own in labels] == [[], ["dog", "dog", "fire hydrant"], []]


def test_sources_are_kept_with_their_labels(tmp_path: Path) -> None:
    file = tmp_path / "objects.json"
    content = {"7": {"gold": ["dog", "dog"], "d80": {"dog": 1, "wine glass": 2}}, "9": ["cat"]}
    file.write_text(json.dumps(content))
    first, second = read_objects(file, ["7", "9"])
    assert first == ["gold:dog", "gold:dog", "d80:dog", "d80:wine glass", "d80:wine glass"]
    assert second == ["cat"]
    assert split_source(first[3]) == ("d80", "wine glass")


def test_a_count_that_would_fill_the_memory_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "objects.json"
    file.write_text(json.dumps({"7": {"dog": 10**9}}))
    with pytest.raises(InputError, match='key "7": a count is above 10,000'):
        read_objects(file, ["7"])


def test_a_broken_source_says_where(tmp_path: Path) -> None:
    file = tmp_path / "objects.json"
    file.write_text(json.dumps({"7": {"gold": ["dog"], "d80": {"dog": "two"}}}))
    with pytest.raises(InputError, match='key "7/d80": a count is not a whole number'):
        read_objects(file, ["7"])
