"""The stemmer against stems that METEOR's program prints."""

from __future__ import annotations

import pytest

from captious.text.stem import stem


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("riding", "ride"),
        ("skis", "ski"),
        ("ties", "tie"),
        ("flies", "fli"),
        ("generically", "generic"),
        ("hopping", "hop"),
        ("hoping", "hope"),
        ("succeed", "succeed"),
        ("fluently", "fluentli"),
        ("relational", "relat"),
        ("yellowish", "yellowish"),
        ("'clock", "clock"),
        ("by", "by"),
    ],
)
def test_stems(word: str, expected: str) -> None:
    assert stem(word) == expected
