from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from captious.errors import StatisticsError, UnknownNameError
from captious.stats.agreement import (
    PairCoefficient,
    agreement_summary,
    coefficient_named,
    pairwise_agreement,
    percent_agreement,
)

NAN = np.nan


def test_per_cent_agreement_with_missing_ratings() -> None:
    # Gwet 2014, page 120; irrCAC 0.4.4 for Python prints 0.81818. By hand, over 11 items with
    # two ratings: 1, 3/6, 1, 1, 1, 0, 1, 3/6, 1, 1, 1 sum to 9.
    ratings = [
        [1, 1, NAN, 1],
        [2, 2, 3, 2],
        [3, 3, 3, 3],
        [3, 3, 3, 3],
        [2, 2, 2, 2],
        [1, 2, 3, 4],
        [4, 4, 4, 4],
        [1, 1, 2, 1],
        [2, 2, 2, 2],
        [NAN, 5, 5, 5],
        [NAN, NAN, 1, 1],
        [NAN, NAN, 3, NAN],
    ]
    assert percent_agreement(ratings).value == pytest.approx(9 / 11)


@pytest.mark.parametrize("name", ["tau_b", "tau_c", "pearson", "spearman"])
def test_pairs_of_raters_by_correlation_equal_scipy(name: PairCoefficient) -> None:
    rng = np.random.default_rng(7)
    ratings = (rng.integers(1, 5, (80, 1)) + rng.integers(0, 2, (80, 3))).astype(float)
    ratings[:5, 0] = NAN
    found = pairwise_agreement(ratings, name)
    x, y = ratings[5:, 0], ratings[5:, 2]
    expected = {
        "tau_b": stats.kendalltau(x, y, variant="b").statistic,
        "tau_c": stats.kendalltau(x, y, variant="c").statistic,
        "pearson": np.corrcoef(x, y)[0, 1],
        "spearman": stats.spearmanr(x, y).statistic,
    }[name]
    assert found.values[0, 2] == found.values[2, 0] == pytest.approx(expected)
    assert found.shared[0, 2] == 75
    assert found.mean == pytest.approx(found.values[np.triu_indices(3, 1)].mean())


def test_pairs_without_shared_items_or_variation_are_counted_as_undefined() -> None:
    found = pairwise_agreement([[1, 2, NAN], [2, 2, NAN], [NAN, NAN, 1]], "tau_b")
    assert (found.undefined_pairs, found.shared[0, 2]) == (3, 0)
    assert np.isnan(found.mean)


def test_pairwise_kappa_equals_scikit_learn_on_the_common_scale() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(8)
    ratings = rng.integers(1, 5, (60, 3))
    ratings[:, 1] = np.minimum(ratings[:, 1], 2)
    expected = metrics.cohen_kappa_score(
        ratings[:, 0], ratings[:, 1], weights="quadratic", labels=[1, 2, 3, 4]
    )
    assert pairwise_agreement(ratings, "kappa_quadratic").values[0, 1] == pytest.approx(expected)


def test_an_unknown_coefficient_is_refused() -> None:
    with pytest.raises(StatisticsError, match="gamma"):
        pairwise_agreement([[1, 2]], "gamma")  # type: ignore[arg-type]


def test_flickr8k_experts(data: Path) -> None:
    """The three experts on all 5,822 pairs; alpha as the krippendorff package 0.9.0 gives it."""
    lines = (data / "flickr8k" / "ExpertAnnotations.txt").read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines]
    ratings = np.array([row[2:5] for row in rows], dtype=float)
    images = [row[0] for row in rows]
    found = agreement_summary(ratings, merged={5: 4}, resamples=1000, clusters=images)
    assert found["alpha_nominal"].n_items == 5822
    expected = {
        "fleiss_kappa": 0.5167,
        "fleiss_kappa_merged": 0.5167,
        "alpha_nominal": 0.5168,
        "alpha_ordinal": 0.6939,
        "alpha_interval": 0.7885,
        "kendall_w": 0.8561,
    }
    for name, value in expected.items():
        assert found[name].value == pytest.approx(value, abs=5e-5), name
        assert found[name].low < value < found[name].high, name
        assert 0.01 < found[name].high - found[name].low < 0.05, name


def test_an_unknown_coefficient_is_an_error_in_one_line():
    with pytest.raises(UnknownNameError, match=r'^unknown coefficient "alpha_ordinl"\. Did you mean'):
        coefficient_named("alpha_ordinl")
