import numpy as np
import pytest

from captious.errors import StatisticsError
from captious.stats import Mark, MarkedText
from captious.stats.spans import NO_TWO, covered, estimate_texts, in_words


@pytest.mark.parametrize(
    ("text", "mark", "words"),
    [
        ("A red dog.", (2, 5), (1, 2)),
        ("A red dog.", (3, 7), (1, 3)),  # parts of two words
        ("A red dog.", (1, 6), (1, 2)),  # the spaces around one
        ("  A", (0, 2), None),  # spaces only
        ("👍 dog", (2, 5), (1, 2)),
        ("", (0, 0), None),
    ],
)
def test_marks_in_words(text: str, mark: tuple[int, int], words: tuple[int, int] | None) -> None:
    assert in_words(text, [Mark(*mark, "x")]) == ([Mark(*words, "x")] if words else [])


def test_overlapping_marks_cover_each_character_once() -> None:
    assert covered([Mark(0, 2), Mark(1, 3)], 4).tolist() == [True, True, True, False]


def test_images_are_drawn_whole() -> None:
    # Two captions of image a, one of b: a resample holds both of a or none, so the mean is 1, 4 or between.
    texts = [MarkedText("x" * n, [[], []]) for n in (1, 1, 4)]

    def lengths(one: MarkedText) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        return np.array([len(one.text), 1.0])

    found = estimate_texts(
        texts, lengths, lambda sums: sums[..., 0] / sums[..., 1], reason="", clusters="aab", resamples=200
    )
    assert (found.value, found.low, found.high, found.n_items) == (2, 1, 4, 3)
    with pytest.raises(StatisticsError, match="2 for 3 items"):
        estimate_texts(texts, lengths, lambda sums: sums[..., 0], reason="", clusters="ab")


def test_one_reader_is_no_agreement() -> None:
    found = estimate_texts(
        [MarkedText("x", [[]])], lambda one: np.zeros(1), lambda sums: sums[..., 0], reason=""
    )
    assert np.isnan(found.value)
    assert found.reason == NO_TWO
