from __future__ import annotations

import numpy as np
import pytest

from captious.benchmarks.datasets.pascal50s import PASCAL50S
from captious.benchmarks.protocol import Preferences
from captious.benchmarks.studies.measures.pairs import accuracies
from captious.corpus import Corpus


def test_the_variance_of_a_single_evaluation_is_that_of_its_pairs() -> None:
    corpus = Corpus.from_lists(["a", "b", "c", "d"], [["x"]] * 4)
    data = Preferences(
        protocol=PASCAL50S,
        corpora=[corpus, corpus],
        first=np.array([0, 2]),
        second=np.array([1, 3]),
        label=np.array([0, 1]),
        category=["MM", "MM"],
        ids=["1", "1", "2", "2"],
    )
    # The first pair is right on one draw of two: variance 1/2, and half of it again as we average two draws.
    # The second is a tie on both: a coin, 1/4. (3/4 + 1/4) / 2^2 = 1/4.
    found = accuracies(data, np.array([[2.0, 1, 5, 5], [1.0, 2, 5, 5]]))
    assert found == {"MM": pytest.approx((0.5, 0.25)), "all": pytest.approx((0.5, 0.25))}
    # Without ties, and the same on every draw, there is nothing that varies.
    assert accuracies(data, np.array([[2.0, 1, 5, 4]] * 2))["all"] == pytest.approx((0.5, 0))
