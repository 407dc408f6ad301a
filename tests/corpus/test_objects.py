from __future__ import annotations

import json
from pathlib import Path

import pytest

from captious.corpus.objects import read_objects

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
