"""Weights of the views, where the right answer is known."""

from __future__ import annotations

import numpy as np
import pytest

from captious.errors import InputError
from captious.learn.captious_metric.fit import (
    VIEWS,
    choose_weights,
    fit_head,
    ranked_by_ratings,
    view_columns,
)
from captious.metrics.captious_metric.model import FEATURES
from captious.metrics.captious_metric.words import FAULTS

ONES = np.ones(len(FEATURES))


def drawn(seed: int, *parts: tuple[str, float]) -> tuple[np.ndarray, np.ndarray]:
    """Examples whose rating is a sum of features."""
    features = np.random.default_rng(seed).normal(size=(400, len(FEATURES)))
    return features, sum(weight * features[:, FEATURES.index(name)] for name, weight in parts)  # type: ignore[return-value]


def test_a_view_that_decides_the_ratings_gets_weight_and_others_none() -> None:
    # The words view is the mean of two features: a half of each is a weight of 1.
    parts = [(name, 0.5) for name in VIEWS["words"]]
    features, ratings = drawn(0, ("sentence", 1.0), *parts)
    chosen = choose_weights({"a": ranked_by_ratings(features, ratings, 0)}, view_columns(ONES))
    assert chosen["words"] == 1.0
    assert chosen["tokens"] == chosen["faults"] == chosen["agreement"] == 0


def test_it_orders_new_examples() -> None:
    features, ratings = drawn(0, ("sentence", 1.0), ("colour", -0.1))
    normal = (ratings - ratings.min()) / np.ptp(ratings)
    head, _ = fit_head({"a": ranked_by_ratings(features, ratings, 0)}, ONES, (features, normal))
    new, truth = drawn(1, ("sentence", 1.0), ("colour", -0.1))
    assert np.corrcoef(head.scores(new), truth)[0, 1] > 0.95


def test_scales_of_two_sets_need_not_agree() -> None:
    features, ratings = drawn(0, ("sentence", 1.0))
    one = ranked_by_ratings(features, ratings, 0)
    other = ranked_by_ratings(features, 1000 + 50 * ratings, 0)
    np.testing.assert_array_equal(one.better, other.better)
    np.testing.assert_allclose(one.weights, other.weights)


def test_no_caption_gains_by_a_fault_or_loses_by_a_likeness() -> None:
    features, ratings = drawn(0, ("sentence", -1.0), ("colour", 1.0))
    normal = (ratings - ratings.min()) / np.ptp(ratings)
    head, _ = fit_head({"a": ranked_by_ratings(features, ratings, 0)}, ONES, (features, normal))
    for name, weight in zip(FEATURES, head.weights, strict=True):
        if name != "agreement":
            assert weight <= 0 if name in FAULTS else weight >= 0


def test_ratings_that_are_all_alike_are_refused() -> None:
    with pytest.raises(InputError, match="nothing to learn"):
        ranked_by_ratings(np.zeros((3, len(FEATURES))), np.ones(3), 0)
