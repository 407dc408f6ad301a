from __future__ import annotations

import pytest

from captious.corpus.ids import clean_id, clean_ids, loose_id, meet


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (391895, "391895"),
        (391895.0, "391895"),
        (" a b ", "a b"),
        ("", None),
        ("  ", None),
        (1.5, None),
        (1e20, None),
        (float("nan"), None),
        (float("inf"), None),
        (True, None),
        (None, None),
        ([1], None),
    ],
)
def test_clean_id(value: object, expected: str | None) -> None:
    assert clean_id(value) == expected
    assert clean_ids([value]) == [expected]
    assert clean_ids([value, 5, "x"]) == [expected, "5", "x"]


@pytest.mark.parametrize(
    ("image_id", "expected"),
    [
        ("COCO_val2014_000000391895.jpg", "391895"),
        ("coco_val2014_000000060623", "60623"),
        ("http://images.cocodataset.org/val2014/COCO_val2014_000000000192.jpg", "192"),
        ("a\\b\\0012.PNG", "12"),
        ("391895.0", "391895"),
        ("000", "0"),
        ("1056338697_4f7d7ce270.jpg", "1056338697_4f7d7ce270"),
        ("9" * 5000, "9" * 5000),
        ("version-1.5", "version-1.5"),
    ],
)
def test_loose_id(image_id: str, expected: str) -> None:
    assert loose_id(image_id) == expected


def test_an_id_that_could_be_two_is_not_met() -> None:
    assert meet(["0012"], ["12", "012.jpg"]) == {}
