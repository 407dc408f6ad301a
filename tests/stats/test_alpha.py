from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from captious.errors import StatisticsError
from captious.stats.alpha import SCALES, Scale, krippendorff_alpha

NAN = np.nan
# Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability", section C: four observers.
FOUR_OBSERVERS = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
        [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
    ]
).T


@pytest.mark.parametrize(("scale", "printed"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_krippendorffs_four_observers(scale: Scale, printed: float) -> None:
    found = krippendorff_alpha(FOUR_OBSERVERS, scale)
    assert found.value == pytest.approx(printed, abs=5e-4)
    assert found.n_items == 11  # the twelfth has one rating


def test_krippendorffs_two_observers_binary() -> None:
    # Krippendorff 2011, section A: alpha = .095
    meg, owen = [0, 1, 0, 0, 0, 0, 0, 0, 1, 0], [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]
    found = krippendorff_alpha(np.transpose([meg, owen]), "nominal")
    assert found.value == pytest.approx(0.095, abs=5e-4)


def test_krippendorffs_two_observers_nominal() -> None:
    # Krippendorff 2011, section B: alpha = .692, with letters as numbers.
    ben, gerry = "aabbdcccedda", "babbbccceddd"
    ratings = [[ord(one), ord(two)] for one, two in zip(ben, gerry, strict=True)]
    assert krippendorff_alpha(ratings, "nominal").value == pytest.approx(0.692, abs=5e-4)


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_equals_the_krippendorff_package(scale: Scale, missing: float) -> None:
    krippendorff = pytest.importorskip("krippendorff")
    rng = np.random.default_rng(2)
    ratings = np.clip(rng.integers(1, 6, (150, 1)) + rng.integers(-1, 2, (150, 4)), 1, 5) * 0.25
    ratings[rng.random(ratings.shape) < missing] = np.nan
    expected = krippendorff.alpha(ratings.T, level_of_measurement=scale)
    assert krippendorff_alpha(ratings, scale).value == pytest.approx(expected, abs=1e-12)


def test_an_unknown_scale_is_refused() -> None:
    with pytest.raises(StatisticsError, match="ratio"):
        krippendorff_alpha([[1, 2]], "ratio")  # type: ignore[arg-type]


ROWS = st.lists(
    st.lists(st.one_of(st.none(), st.integers(1, 5)), min_size=3, max_size=3), min_size=2, max_size=15
)


@given(ROWS)
def test_ordinal_sees_only_the_order_and_interval_only_ratios_of_distances(
    rows: list[list[int | None]],
) -> None:
    ratings = np.array(rows, dtype=float)
    ordinal = krippendorff_alpha(ratings, "ordinal").value
    assert ordinal == pytest.approx(krippendorff_alpha(ratings**3, "ordinal").value, abs=1e-9, nan_ok=True)
    interval = krippendorff_alpha(ratings, "interval").value
    moved = krippendorff_alpha(0.25 * ratings - 7, "interval").value
    assert interval == pytest.approx(moved, abs=1e-9, nan_ok=True)


@given(ROWS)
def test_alpha_of_two_categories_is_the_same_on_every_scale(rows: list[list[int | None]]) -> None:
    ratings = np.array(rows, dtype=float)
    ratings = np.where(np.isnan(ratings), ratings, ratings > 3)
    nominal = krippendorff_alpha(ratings, "nominal").value
    assert krippendorff_alpha(ratings, "ordinal").value == pytest.approx(nominal, abs=1e-9, nan_ok=True)
    assert krippendorff_alpha(ratings, "interval").value == pytest.approx(nominal, abs=1e-9, nan_ok=True)
