from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from captious.stats.concordance import kendall_w


def test_siegels_three_executives() -> None:
    # Siegel 1956, chapter 9: sums of ranks 8 14 11 11 11 8, s = 25.5, W = 306 / 1890 = .16
    ranks = np.transpose([[1, 6, 3, 2, 5, 4], [1, 5, 6, 4, 2, 3], [6, 3, 2, 5, 4, 1]])
    assert kendall_w(ranks).value == pytest.approx(306 / 1890)


def test_siegels_tied_ranks() -> None:
    # Siegel 1956, chapter 9, ties: sums 5.5 6.5 9 13.5 12 20 23 23.5 25.5 26.5, s = 591;
    # without correction 12 * 591 / (9 * 990) = .796.
    # T: rater 1 has 2 pairs of ties, 2 * 6 = 12; rater 2 has 3 pairs, 18; rater 3 has one of four
    # and one of three, 60 + 24 = 84; so W = 7092 / (8910 - 3 * 114) = .828.
    ranks = np.transpose(
        [
            [1, 4.5, 2, 4.5, 3, 7.5, 6, 9, 7.5, 10],
            [2.5, 1, 2.5, 4.5, 4.5, 8, 9, 6.5, 10, 6.5],
            [2, 1, 4.5, 4.5, 4.5, 4.5, 8, 8, 8, 10],
        ]
    )
    assert kendall_w(ranks).value == pytest.approx(7092 / 8568)
    assert kendall_w(ranks, correct_ties=False).value == pytest.approx(7092 / 8910)


def test_equals_friedmans_chi_square_over_its_maximum() -> None:
    # Friedman's statistic, with ties corrected, is m (n - 1) W.
    rng = np.random.default_rng(4)
    ratings = rng.integers(1, 6, (40, 1)) + rng.integers(0, 3, (40, 5))
    # scipy ranks within rows, so items are its treatments and raters its blocks.
    chi_square = stats.friedmanchisquare(*ratings).statistic
    assert kendall_w(ratings).value == pytest.approx(chi_square / (5 * 39), abs=1e-12)


def test_items_that_a_rater_skipped_are_left_out() -> None:
    complete = [[1, 2], [2, 2], [3, 4], [5, 4]]
    found = kendall_w([*complete, [3, np.nan]])
    assert (found.value, found.n_items) == (kendall_w(complete).value, 4)


def test_a_rater_who_ties_everything_adds_nothing_but_does_not_break_it() -> None:
    # Rater 2 ties all: rank sums 2 + 2, 2 + 1... by hand: ranks (1,2,3) and (2,2,2), sums 3 4 5,
    # S = 2, T_2 = 24; W = 24 / (4 * 24 - 2 * 24) = 0.5
    assert kendall_w([[1, 7], [2, 7], [3, 7]]).value == pytest.approx(0.5)
