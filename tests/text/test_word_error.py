"""Word error rate, with expectations by hand."""

import math

import pytest

from captious.text.word_error import total_word_errors, word_errors


@pytest.mark.parametrize(
    ("said", "meant", "expected"),
    [
        ("a red ball", "A red ball.", (3, 0, 0, 0)),
        ("a bread wall", "A red ball.", (3, 2, 0, 0)),
        ("a ball", "A red ball.", (3, 0, 1, 0)),
        ("a very red ball", "A red ball.", (3, 0, 0, 1)),
        ("", "A red ball.", (3, 0, 3, 0)),
        ("it’s", "It's", (1, 0, 0, 0)),
    ],
)
def test_counts(said, meant, expected):
    assert word_errors(said, meant) == expected


def test_the_rate_of_many_is_over_all_words():
    # 1 error in 2 words and 1 in 8 is 2 in 10, not the mean of 1/2 and 1/8.
    found = total_word_errors([("a b", "a c"), ("a b c d e f g", "a b c d e f g h")])
    assert found.rate == pytest.approx(0.2)


def test_more_words_than_there_were():
    assert word_errors("a b c d", "a").rate == 3


def test_no_words_at_all():
    assert math.isnan(word_errors("a", "").rate)
    assert total_word_errors([]).words == 0
