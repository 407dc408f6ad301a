import math

import numpy as np
import pytest

from captious.stats import Mark, MarkedText, gamma_agreement
from captious.stats.resample import generator
from captious.stats.spans import NO_TWO

TEXT = "a red dog on a green mat by the old door of a house"


def test_what_has_no_gamma_says_why() -> None:
    assert gamma_agreement([MarkedText("a", [[]])]).reason == NO_TWO
    silent = gamma_agreement([MarkedText(TEXT, [[Mark(2, 5)], []])])
    assert math.isnan(silent.value)
    assert "marked nothing" in silent.reason


@pytest.mark.long
def test_equal_marks_are_1_and_others_are_less(capfd: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("pygamma_agreement")
    ann = [Mark(2, 5, "attribute"), Mark(15, 20, "attribute"), Mark(31, 39, "object")]
    bob = [Mark(2, 9, "object"), Mark(21, 24, "object"), Mark(45, 50, "object")]
    texts = [MarkedText(TEXT, [ann, ann])] * 4
    assert gamma_agreement(texts).value == pytest.approx(1)
    far = [MarkedText(TEXT, [ann, bob])] * 4
    assert gamma_agreement(far).value < 0.7
    assert gamma_agreement(far).value == gamma_agreement(far).value  # from the same seed
    assert capfd.readouterr().out == ""  # the solver's own lines are kept quiet


@pytest.mark.long
def test_two_texts_are_one_continuum_of_the_package() -> None:
    gamma = pytest.importorskip("pygamma_agreement")
    segment = pytest.importorskip("pyannote.core").Segment
    continuum = gamma.Continuum()
    # The second text begins one place after the end of the first.
    second = len(TEXT) + 1
    for rater, start, end, kind in (
        ("a", 2, 5, "x"), ("a", 15, 20, "y"), ("a", second + 6, second + 9, "x"),
        ("b", 2, 9, "x"), ("b", second + 2, second + 9, "x"), ("b", second + 31, second + 39, "y"),
    ):  # fmt: skip
        continuum.add(rater, segment(start, end), kind)
    np.random.seed(int(generator(3).integers(2**32)))
    apart = gamma.CombinedCategoricalDissimilarity(alpha=1, beta=1)
    wanted = continuum.compute_gamma(apart, n_samples=30, fast=True).gamma
    texts = [
        MarkedText(TEXT, [[Mark(2, 5, "x"), Mark(15, 20, "y")], [Mark(2, 9, "x")]]),
        MarkedText(TEXT, [[Mark(6, 9, "x")], [Mark(2, 9, "x"), Mark(31, 39, "y")]]),
    ]
    assert gamma_agreement(texts, seed=3).value == pytest.approx(wanted)
