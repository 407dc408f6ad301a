"""Intervals: weighing distinct rows must equal repeating the items that were drawn."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import pytest

from captious.errors import StatisticsError
from captious.stats.agreement import agreement_summary, percent_agreement
from captious.stats.alpha import krippendorff_alpha
from captious.stats.concordance import kendall_w
from captious.stats.estimate import Estimate
from captious.stats.icc import icc
from captious.stats.kappa import cohen_kappa, fleiss_kappa
from captious.stats.resample import bootstrap_weights, generator

Coefficient = Callable[..., Estimate]


def _cohen(ratings: np.ndarray, **asked: object) -> Estimate:
    return cohen_kappa(ratings[:, 0], ratings[:, 1], weights="linear", **asked)  # type: ignore[arg-type]


COEFFICIENTS: dict[str, Coefficient] = {
    "percent": percent_agreement,
    "cohen": _cohen,
    "fleiss": fleiss_kappa,
    "alpha nominal": partial(krippendorff_alpha, scale="nominal"),
    "alpha ordinal": partial(krippendorff_alpha, scale="ordinal"),
    "alpha interval": partial(krippendorff_alpha, scale="interval"),
    "w": kendall_w,
    "icc single": partial(icc, unit="single"),
    "icc average": partial(icc, unit="average"),
}


def _ratings(missing: float = 0.0) -> np.ndarray:
    rng = np.random.default_rng(5)
    truth = rng.integers(1, 6, 60)
    ratings = np.clip(truth[:, None] + rng.integers(-1, 2, (60, 4)), 1, 5).astype(float)
    ratings[rng.random(ratings.shape) < missing] = np.nan
    return ratings


@pytest.mark.parametrize("name", COEFFICIENTS)
@pytest.mark.parametrize("clustered", [False, True])
def test_interval_equals_the_loop_over_repeated_items(name: str, clustered: bool) -> None:
    coefficient, ratings = COEFFICIENTS[name], _ratings()
    images = np.arange(60) // 3 if clustered else np.arange(60)
    found = coefficient(
        ratings, resamples=50, clusters=list(images) if clustered else None, level=0.9, seed=8
    )
    draws = []
    for weights in bootstrap_weights(images.max() + 1, 50, generator(8)):
        draws += [coefficient(ratings[np.repeat(np.arange(60), row[images])]).value for row in weights]
    assert found.value == coefficient(ratings).value
    assert (found.low, found.high) == pytest.approx(np.quantile(draws, [0.05, 0.95]), abs=1e-12)


@pytest.mark.parametrize("name", [name for name in COEFFICIENTS if name != "cohen"])
def test_ratings_on_a_slider_need_no_categories(name: str) -> None:
    rng = np.random.default_rng(1)
    ratings = rng.random((400, 1)) + rng.normal(0, 0.1, (400, 3))
    found = COEFFICIENTS[name](ratings, resamples=20)
    assert found.undefined == 0
    if name in ("percent", "fleiss", "alpha nominal"):
        assert found.value == pytest.approx(0, abs=0.01)  # no two ratings are the same category
    else:
        assert 0.5 < found.low <= found.value <= found.high < 1


@pytest.mark.parametrize("name", COEFFICIENTS)
@pytest.mark.parametrize(
    "ratings",
    [
        np.zeros((0, 3)),
        np.full((5, 3), np.nan),
        np.eye(4)[:, :2] * np.nan + 1,
        np.where(np.eye(4, dtype=bool), 2.0, np.nan),  # no item has two ratings
    ],
    ids=["no items", "no ratings", "all missing", "no overlap"],
)
def test_undefined_is_nan_with_a_reason(name: str, ratings: np.ndarray) -> None:
    found = COEFFICIENTS[name](ratings, resamples=10)
    assert np.isnan([found.value, found.low, found.high]).all()
    assert found.reason


@pytest.mark.parametrize("name", [name for name in COEFFICIENTS if name != "percent"])
def test_all_ratings_equal_is_undefined_with_a_reason(name: str) -> None:
    found = COEFFICIENTS[name](np.full((5, 3), 0.1), resamples=10)
    assert np.isnan(found.value)
    assert found.reason


@pytest.mark.parametrize("name", [name for name in COEFFICIENTS if name != "cohen"])
def test_one_rater_is_undefined_with_a_reason(name: str) -> None:
    found = COEFFICIENTS[name]([[1.0], [2.0]], resamples=10)
    assert np.isnan(found.value)
    assert found.reason


def test_all_equal_is_full_per_cent_agreement() -> None:
    assert percent_agreement(np.full((5, 3), 2.0)).value == 1.0


def test_resamples_without_a_value_are_counted_and_left_out() -> None:
    # Two items, one in each category: a resample that draws one of them twice has one category.
    found = krippendorff_alpha([[1, 1], [2, 2]], "nominal", resamples=200)
    assert found.value == 1.0
    assert 60 < found.undefined < 140  # half of 200 expected, 4 standard deviations of 7
    assert (found.low, found.high) == (1.0, 1.0)


def test_same_seed_same_interval_whatever_the_order_of_categories() -> None:
    first = fleiss_kappa(_ratings(), resamples=30, seed=4)
    assert first == fleiss_kappa(_ratings(), resamples=30, seed=4)
    assert first.low != fleiss_kappa(_ratings(), resamples=30, seed=5).low


@pytest.mark.parametrize(
    ("name", "entered"),
    [("percent", 2), ("fleiss", 3), ("alpha ordinal", 2), ("w", 2), ("icc single", 2), ("cohen", 2)],
)
def test_items_that_cannot_enter_are_not_counted_and_not_drawn(name: str, entered: int) -> None:
    # A single rating tells Fleiss' kappa about chance and nothing to the others.
    ratings = np.array([[1, 2], [3, 3], [2, np.nan], [np.nan, np.nan]])
    found = COEFFICIENTS[name](ratings, resamples=40, clusters=list("aabb"))
    rated = ratings[:entered]
    same = COEFFICIENTS[name](rated, resamples=40, clusters=list("aabb")[:entered])
    assert found.n_items == entered
    assert found == same


def test_a_generator_gives_all_coefficients_the_same_resamples() -> None:
    found = agreement_summary(_ratings(), resamples=30, seed=np.random.default_rng(1))
    again = agreement_summary(_ratings(), resamples=30, seed=np.random.default_rng(1))
    assert found == again
    # With as many ratings an item, alpha = 1 - (1 - kappa) (N - 1) / N, with N = 240 ratings, on
    # every resample and so on the ends of the interval.
    for end in ("low", "high"):
        kappa, alpha = getattr(found["fleiss_kappa"], end), getattr(found["alpha_nominal"], end)
        assert alpha == pytest.approx(1 - (1 - kappa) * 239 / 240, abs=1e-12)


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_clusters_must_be_one_an_item(name: str) -> None:
    with pytest.raises(StatisticsError, match="2 for 60 items"):
        COEFFICIENTS[name](_ratings(), clusters=["a", "b"], resamples=5)


def test_level_must_be_a_share() -> None:
    with pytest.raises(StatisticsError, match="level"):
        kendall_w(_ratings(), resamples=5, level=95)
