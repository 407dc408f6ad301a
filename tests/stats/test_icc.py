from __future__ import annotations

import numpy as np
import pytest

from captious.errors import StatisticsError
from captious.stats.icc import icc

# Shrout and Fleiss 1979, Table 2: six targets, four judges.
SHROUT_FLEISS = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]


def test_shrout_and_fleiss_example() -> None:
    # Their Table 4: ICC(2,1) = .29, ICC(2,4) = .62
    assert icc(SHROUT_FLEISS, "single").value == pytest.approx(0.29, abs=5e-3)
    assert icc(SHROUT_FLEISS, "average").value == pytest.approx(0.62, abs=5e-3)


def test_mean_squares_equal_statsmodels_two_way_anova() -> None:
    pytest.importorskip("statsmodels")
    import pandas as pd
    from statsmodels.formula.api import ols
    from statsmodels.stats.anova import anova_lm

    rng = np.random.default_rng(6)
    n, k = 25, 3
    ratings = rng.normal(0, 2, (n, 1)) + rng.normal(0, 1, (1, k)) + rng.normal(0, 1, (n, k))
    long = pd.DataFrame(
        {"item": np.repeat(np.arange(n), k), "rater": np.tile(np.arange(k), n), "value": ratings.ravel()}
    )
    table = anova_lm(ols("value ~ C(item) + C(rater)", long).fit())
    bms, jms, ems = table["mean_sq"]
    single = (bms - ems) / (bms + (k - 1) * ems + k * (jms - ems) / n)
    average = (bms - ems) / (bms + (jms - ems) / n)
    assert icc(ratings, "single").value == pytest.approx(single, abs=1e-9)
    assert icc(ratings, "average").value == pytest.approx(average, abs=1e-9)


def test_a_strict_rater_lowers_absolute_agreement() -> None:
    ratings = np.array([[1.0, 1.0], [3.0, 3.0], [5.0, 5.0]])
    assert icc(ratings).value == pytest.approx(1.0)
    # Shifted by one: BMS = 8, JMS = 1.5, EMS = 0, n = 3, k = 2; 8 / (8 + 2 * 1.5 / 3) = 8/9
    assert icc(ratings - [0, 1]).value == pytest.approx(8 / 9)


def test_an_unknown_unit_is_refused() -> None:
    with pytest.raises(StatisticsError, match="pair"):
        icc(SHROUT_FLEISS, "pair")  # type: ignore[arg-type]
