from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from captious.errors import StatisticsError
from captious.stats.virtual_raters import draw_virtual_raters, virtual_rater_agreement


def _flickr8k(data: Path) -> tuple[np.ndarray, np.ndarray]:
    lines = (data / "flickr8k" / "ExpertAnnotations.txt").read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines]
    own = np.array([row[1].startswith(row[0]) for row in rows])
    return np.array([row[2:5] for row in rows], dtype=float), own


def test_flickr8k_column_of_the_paper(data: Path) -> None:
    """Scott et al. 2023, Table 3, column Flickr8k, every row to the printed digit."""
    ratings, own = _flickr8k(data)
    found = virtual_rater_agreement(ratings[~own])
    printed = [100 * round(tau.mean, 3) for tau in found.tau]
    assert printed == pytest.approx([47.7, 54.8, 54.0])
    assert 100 * round(found.w.mean, 3) == pytest.approx(84.0)
    assert 100 * round(found.kappa.mean, 3) == pytest.approx(48.8)
    assert 100 * round(found.kappa_merged.mean, 3) == pytest.approx(48.8)
    assert (found.n_items, found.dropped, found.runs) == (5664, 0, 20)
    # Three ratings each and none drawn twice: all runs are the same.
    assert {summary.sd for summary in (*found.tau, found.w, found.kappa)} == {0.0}


def test_other_readings_of_the_protocol_do_not_give_the_column(data: Path) -> None:
    ratings, own = _flickr8k(data)
    with_own = virtual_rater_agreement(ratings, runs=1)
    replaced = virtual_rater_agreement(ratings[~own], runs=1, replace=True)
    tau_b = virtual_rater_agreement(ratings[~own], runs=1, variant="b")
    assert round(with_own.tau[0].mean, 3) == 0.518
    assert replaced.tau[0].mean > 0.54
    assert tau_b.tau[0].mean > 0.69


def test_sample_of_the_paper_own_data(data: Path) -> None:
    """249 pairs with 4 to 6 ratings: as in Table 3, merging 4 and 5 raises kappa by far."""
    path = data / "vicr_sample" / "VICR_Sample250.csv"
    rows = list(csv.reader(path.open(encoding="utf-8-sig")))[1:]
    ratings = np.array([[float(v) if v else np.nan for v in row[4:11]] for row in rows])
    found = virtual_rater_agreement(ratings)
    assert (found.n_items, found.dropped) == (249, 0)
    # Table 3, CocoG (whose images these are): tau 70.9 70.8 70.6, W 90.8, kappa 34.7, merged 51.9.
    assert [tau.mean for tau in found.tau] == pytest.approx([0.709, 0.708, 0.706], abs=0.06)
    assert found.w.mean == pytest.approx(0.908, abs=0.03)
    assert found.kappa.mean == pytest.approx(0.347, abs=0.06)
    assert found.kappa_merged.mean == pytest.approx(0.519, abs=0.06)
    assert 0 < found.kappa.sd < 0.05


def test_each_draw_takes_ratings_of_its_item_and_none_twice() -> None:
    ratings = np.array([[1, 2, 3, np.nan], [5, 5, 4, 1]])
    for seed in range(20):
        first, second = draw_virtual_raters(ratings, 3, seed=seed)
        assert first.tolist() == [1, 2, 3]
        assert list(second) in ([1, 4, 5], [1, 5, 5], [4, 5, 5])


def test_each_rating_is_drawn_equally_often() -> None:
    ratings = np.tile([1.0, 2.0, 3.0, 4.0], (4000, 1))
    counts = np.bincount(draw_virtual_raters(ratings, 2).astype(int).ravel())[1:]
    # 4000 items, each rating with chance 1/2: 2000, standard deviation 32
    assert np.abs(counts - 2000).max() < 160


def test_items_with_too_few_ratings_are_dropped_and_counted() -> None:
    ratings = [[1, 2, np.nan], [1, 1, 2], [3, 4, 4], [2, 2, 3]]
    assert virtual_rater_agreement(ratings, runs=1).dropped == 1
    with pytest.raises(StatisticsError, match="item 0 has 2 ratings"):
        draw_virtual_raters(ratings)


def test_no_item_with_enough_ratings_is_undefined_and_no_crash() -> None:
    found = virtual_rater_agreement([[1, np.nan, np.nan]], runs=2)
    assert found.n_items == 0
    assert np.isnan(found.kappa.mean)
