from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from captious.errors import StatisticsError
from captious.stats.aggregate import (
    mean_rating,
    mean_without_extremes,
    median_rating,
    rounded_mean,
    rubric_total,
    vote,
)

NAN = np.nan
ROWS = st.lists(
    st.lists(st.one_of(st.none(), st.integers(1, 5)), min_size=4, max_size=4), min_size=1, max_size=10
)


def test_mean_of_the_paper() -> None:
    # Ruiz et al. 2024, 2.2 print 0.4062 for this set
    scores = [[0.25, 0.50, 0.25, 0.50, 0.50, 0.50, 0.25, 0.50]]
    assert mean_rating(scores)[0] == pytest.approx(0.4062, abs=5.1e-5)
    assert vote(scores).tolist() == [0.5]


@given(ROWS)
def test_mean_and_median_equal_numpy_where_there_are_ratings(rows: list[list[int | None]]) -> None:
    ratings = np.array(rows, dtype=float)
    for row, mean, median in zip(ratings, mean_rating(ratings), median_rating(ratings), strict=True):
        given_ratings = row[~np.isnan(row)]
        if given_ratings.size:
            assert mean == pytest.approx(given_ratings.mean())
            assert median == np.median(given_ratings)
        else:
            assert np.isnan([mean, median]).all()


@given(ROWS)
def test_lowest_vote_equals_scipys_mode(rows: list[list[int | None]]) -> None:
    ratings = np.array(rows, dtype=float)
    found = vote(ratings, ties="lowest")
    rated = ~np.isnan(ratings).all(axis=1)
    if rated.any():
        expected = stats.mode(ratings[rated], axis=1, nan_policy="omit").mode
        np.testing.assert_array_equal(found[rated], np.ma.filled(expected, NAN))
    assert np.isnan(found[~rated]).all()


def test_votes_break_ties_evenly_and_by_seed() -> None:
    ratings = np.tile([1.0, 1.0, 2.0, 2.0, 5.0, NAN], (3000, 1))
    chosen = vote(ratings, seed=1)
    # Two tied categories: 1500 each, standard deviation 27
    assert set(chosen) == {1.0, 2.0}
    assert abs((chosen == 1).sum() - 1500) < 140
    np.testing.assert_array_equal(chosen, vote(ratings, seed=1))
    np.testing.assert_array_equal(chosen, vote(ratings[:, ::-1], seed=1))
    assert (vote(ratings, seed=2) != chosen).any()
    assert set(vote(ratings, ties="highest")) == {2.0}


def test_rounded_mean_states_its_rule_for_halves() -> None:
    ratings = [[2, 3, NAN], [3, 4, NAN], [1, 1, 2], [1, 2, 2], [NAN, NAN, NAN]]
    np.testing.assert_array_equal(rounded_mean(ratings), [3, 4, 1, 2, NAN])
    np.testing.assert_array_equal(rounded_mean(ratings, "down"), [2, 3, 1, 2, NAN])
    np.testing.assert_array_equal(rounded_mean(ratings, "even"), [2, 4, 1, 2, NAN])
    with pytest.raises(StatisticsError, match="odd"):
        rounded_mean(ratings, "odd")  # type: ignore[arg-type]


def test_extremes_are_left_out_once_each() -> None:
    np.testing.assert_array_equal(
        mean_without_extremes([[1, 1, 4, 5], [5, NAN, 3, 3], [1, NAN, NAN, 2]]), [2.5, 3, NAN]
    )


def test_thumb_totals(data: Path) -> None:
    """The mean of P and R less penalties is the stored total of all 2,500 captions."""
    lines = (data / "thumb" / "mscoco_THumB-1.0.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    column = {key: np.array([row[key] for row in rows]) for key in ("P", "R", "Fl", "Con", "Inc")}
    penalties = {key: np.abs(column[key]) for key in ("Fl", "Con", "Inc")}
    total = rubric_total({"P": column["P"], "R": column["R"]}, penalties)
    stored = [row["human_score"] for row in rows]
    assert len(rows) == 2500
    np.testing.assert_allclose(total, stored, atol=1e-9)
    systems = np.array([row["SYS"] for row in rows])
    # Kasai et al. 2022, Table 2
    printed = {"Human": 4.56, "VinVL-large": 4.25, "VinVL-base": 4.21, "Unified-VLP": 4.06, "Up-Down": 3.88}
    for system, mean in printed.items():
        assert total[systems == system].mean() == pytest.approx(mean, abs=0.0051), system


def test_weights_of_aspects_and_penalties() -> None:
    scores, penalties = {"P": [5.0], "R": [3.0]}, {"fluency": [0.5], "conciseness": [0.5]}
    weights = {"P": 0.2, "R": 0.8, "fluency": 2.0}
    # 1 + 2.4 - 2 * .5 - 1 * .5
    assert rubric_total(scores, penalties, weights=weights)[0] == pytest.approx(1.9)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (({},), "at least one aspect"),
        (({"P": [1]}, {"fluency": [-0.1]}), "-0.1 is negative"),
        (({"P": [1], "R": [1, 2]},), "P 1, R 2"),
        (({"P": ["good"]},), "aspect 'P'"),
        (({"P": [1]}, {"P": [0]}), "both a score and a penalty"),
    ],
)
def test_rubrics_that_make_no_sense_are_refused(
    arguments: tuple[dict[str, list[float]], ...], message: str
) -> None:
    with pytest.raises(StatisticsError, match=message):
        rubric_total(*arguments)


def test_weights_must_fit_the_aspects() -> None:
    with pytest.raises(StatisticsError, match="none for R"):
        rubric_total({"P": [1], "R": [1]}, weights={"P": 1})
    with pytest.raises(StatisticsError, match="no aspect is called recall"):
        rubric_total({"P": [1]}, weights={"P": 1, "recall": 1})
