import math

import numpy as np
import pytest

from captious.errors import StatisticsError
from captious.stats import average_precision, bootstrap_weights, resampled_average_precision
from captious.stats.resample import generator

sklearn = pytest.importorskip("sklearn.metrics")
RNG = np.random.default_rng(7)
LABELS = RNG.random(400) < 0.2
SCORES = RNG.integers(0, 12, 400) / 12  # many ties
OWNER = RNG.integers(0, 30, 400)


def test_it_is_scikit_learns() -> None:
    assert average_precision(LABELS, SCORES) == pytest.approx(sklearn.average_precision_score(LABELS, SCORES))


def test_resamples_weigh_whole_clusters() -> None:
    found = resampled_average_precision(LABELS, SCORES, OWNER, resamples=20, seed=3)
    weights = np.concatenate(list(bootstrap_weights(30, 20, generator(3))))
    expected = [sklearn.average_precision_score(LABELS, SCORES, sample_weight=row[OWNER]) for row in weights]
    assert found.draws[0] == pytest.approx(expected)


def test_nothing_to_find_and_bad_input() -> None:
    assert math.isnan(average_precision([0, 0], [0.1, 0.2]))
    assert math.isnan(average_precision([], []))
    with pytest.raises(StatisticsError, match="differ in length"):
        average_precision([1], [0.1, 0.2])
    with pytest.raises(StatisticsError, match="NaN"):
        average_precision([1, 0], [0.1, np.nan])
