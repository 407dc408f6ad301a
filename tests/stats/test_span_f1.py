import math

import pytest

from captious.errors import UnknownNameError
from captious.stats import Mark, MarkedText, span_f1
from captious.stats.span_f1 import best_iou, touching

# "a red dog on a mat": Ann marks "red dog", Bob "dog" and "mat", Cy nothing.
TEXT = "a red dog on a mat"
ANN, BOB, CY = [Mark(2, 9)], [Mark(6, 9), Mark(15, 18)], []


@pytest.mark.parametrize(
    ("match", "value"),
    [
        # Pairs ann-bob, ann-cy, bob-cy. Characters: shared 3, 0, 0; marked 7 + 6, 7, 6.
        ("characters", 2 * 3 / (13 + 7 + 6)),
        ("words", 2 * 1 / (4 + 2 + 2)),
        ("exact", 0.0),
        # "red dog" and "dog" touch each other, "mat" touches nothing; marks 1 + 2, 1, 2.
        ("overlap", 2 / (3 + 1 + 2)),
        # "red dog" and "dog" share one of two words, each way.
        ("iou", (0.5 + 0.5) / (3 + 1 + 2)),
    ],
)
def test_by_hand(match, value) -> None:
    assert span_f1([MarkedText(TEXT, [ANN, BOB, CY])], match).value == pytest.approx(value)


@pytest.mark.parametrize("match", ["characters", "words", "exact", "overlap", "iou"])
def test_equal_marks_are_1_and_none_are_undefined(match) -> None:
    assert span_f1([MarkedText(TEXT, [BOB, BOB])], match).value == 1
    nobody = span_f1([MarkedText(TEXT, [[], []]), MarkedText("", [[], []])], match)
    assert math.isnan(nobody.value)
    assert nobody.reason == "no rater marked anything"


def test_one_of_two_raters_who_marked_nothing_disagrees() -> None:
    assert span_f1([MarkedText(TEXT, [ANN, []])]).value == 0


def test_an_unknown_match_is_named() -> None:
    with pytest.raises(UnknownNameError, match="characters"):
        span_f1([], "letters")


def test_marks_that_meet_do_not_touch() -> None:
    assert touching([Mark(0, 3)], [Mark(3, 5)]) == 0
    assert touching([Mark(0, 4), Mark(3, 5)], [Mark(3, 5)]) == 2


def test_iou_is_with_the_best() -> None:
    # Words 1-2 of "red dog": with word 2 a half, with words 1-2 and 3 two thirds.
    assert best_iou(TEXT, [Mark(2, 9)], [Mark(6, 9), Mark(2, 12)]) == pytest.approx(2 / 3)
    assert best_iou(TEXT, [Mark(2, 9)], []) == 0
