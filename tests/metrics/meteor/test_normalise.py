"""METEOR's tokenisation; every expectation is what the program wrote."""

from __future__ import annotations

import pytest

from captious.metrics.meteor.normalise import is_plain, normalise


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the cat 's mat", "the cat ' s mat"),
        ("ca n't", "ca n 't"),
        ("can't", "can 't"),
        ("1960's", "1960 's"),
        ("rock 'n' roll", "rock ' n ' roll"),
        ("a-b-c-d-e", "a b-c d-e"),
        ("jack-o-lantern", "jack o-lantern"),
        ("u.s. army", "us army"),
        ("a st.", "a st ."),
        ("a st. louis", "a st. louis"),
        ("3. 4", "3 . 4"),
        ("1,000 a,b", "1,000 a , b"),
        ("12:43 p.m. x", "12 : 43 pm x"),
        ("a... b", "a ... b"),
        ("c++ at&t", "c + + at & t"),
        ("日本", "日 本"),
        ("ÀÉ é’s", "àé é 's"),
        ("-lrb- x", "-lrb- x"),
    ],
)
def test_as_the_program_writes_it(text: str, expected: str) -> None:
    assert " ".join(normalise(text)) == expected


def test_plain_words_stay() -> None:
    words = [word for word in ["dog", "12", "läuft", "t-shirt", "'s", "u.s.", "狗"] if is_plain(word)]
    assert words == ["dog", "12", "läuft"]
    assert all(normalise(word) == [word] for word in words)
