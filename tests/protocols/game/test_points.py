"""Algorithm 1 of Scott et al. (2023): every expectation is derived by hand."""

from fractions import Fraction
from itertools import product

import pytest

from captious.errors import InputError
from captious.protocols.game.cold_start import earlier_ratings, ratings_from_scores
from captious.protocols.game.points import PointTable, Scale, consensus, score


@pytest.mark.parametrize(
    ("rating", "previous", "points"),
    [
        # Two earlier ratings without variance: n = 3, v = 1 + 1/3 = 4/3.
        (4, [4, 4], 2),  # d = 0
        (3, [4, 4], 0),  # d = 3/4
        (5, [4, 4], 0),
        (2, [4, 4], -1),  # d = 2 / (4/3) = 1.5
        (1, [4, 4], -2),  # d = 2.25
        # Variance softens the penalty. [2, 4]: r = 3, sigma^2 = 1, v = 1 + (1/3)(1 + 2/4) = 1.5.
        (5, [2, 4], -1),  # d = 2 / 1.5 = 4/3
        # [5, 5, 1, 5]: mean 4, sigma^2 = 3, n = 5, v = 1 + (1/5)(1 + 4 * 3/4) = 1.8.
        (1, [5, 5, 1, 5], -1),  # d = 3 / 1.8 = 5/3 < 1.75
        (2, [5, 5, 1, 5], -1),  # d = 2 / 1.8 = 1.11
        (3, [5, 5, 1, 5], 0),  # d = 1 / 1.8 = 0.56
        # Four off is always worth -2, for v <= 2 and d >= 2.
        (1, [5, 5], -2),
        # One earlier rating: n = 2, v = 1.5.
        (3, [3], 2),
        (1, [3], -1),  # d = 4/3
    ],
)
def test_points_of_algorithm_1(rating, previous, points):
    assert score(rating, previous).points == points


def test_a_pair_that_nobody_has_rated_gives_no_points_and_shows_no_consensus():
    # n = 1: there is no mean to be near to.
    assert score(5, []) == (0, None, 1, 0.0, None)


@pytest.mark.parametrize("half", [1, 2, 5, 50])
def test_at_the_largest_variance_v_is_2(half):
    # Half 1s, half 5s: r = 3, sigma^2 = 4, v = 1 + (1/n)(1 + (n - 1)) = 2 for every n.
    previous = [1, 5] * half
    scored = [score(rating, previous) for rating in (1, 2, 3, 4, 5)]
    assert [one.distance for one in scored] == [1.0, 0.5, 0.0, 0.5, 1.0]
    # d = 1 is not below 1, d = 0.5 is not below 0.5.
    assert [one.points for one in scored] == [-1, 0, 2, 0, -1]
    assert scored[0].variance == 4


@pytest.mark.parametrize(("earlier", "points"), [(5, -1), (6, -2), (7, -2)])
def test_the_penalty_grows_as_raters_agree(earlier, points):
    # Two off, no variance: v = 1 + 1/n. n = 6: d = 12/7 = 1.714. n = 7: d = 2 / (8/7) = 1.75
    # exactly, which is not below 1.75; in floating point a slip would give -1.
    assert score(1, [3] * earlier).points == points


def test_on_whole_numbers_one_point_is_never_given():
    # v <= 2, so d is 0 or at least 1/2: the branch d < 0.5 needs a finer scale.
    found = {
        score(rating, previous).points
        for count in (1, 2, 3, 4)
        for previous in product((1, 2, 3, 4, 5), repeat=count)
        for rating in (1, 2, 3, 4, 5)
    }
    assert found == {2, 0, -1, -2}


def test_one_point_on_a_scale_with_half_steps():
    # |x - r| = 0.5, v = 4/3, d = 0.375.
    assert score(3.5, [3, 3], scale=Scale(step=0.5)) == (1, 3.0, 3, 0.0, 0.375)


def test_another_scale_has_its_own_largest_variance():
    # 0 to 100: V_max = 2500; [0, 100]: sigma^2 = 2500, v = 2, r = 50, |50 - 51| / 2 = 0.5.
    scored = score(51, [0, 100], scale=Scale(0, 100))
    assert (scored.consensus, scored.distance, scored.points) == (50.0, 0.5, 0)


def test_a_mean_half_way_is_rounded_up():
    assert [consensus(ratings) for ratings in ([1, 2], [2, 3], [3, 4], [4, 5], [1, 2, 2, 5])] == [
        2,
        3,
        4,
        5,
        3,  # 10/4 = 2.5
    ]


def test_computer_ratings_are_replaced_one_by_one():
    # The metric says 5, 5. A human 2 replaces one: [2, 5], mean 3.5, consensus 4. A second human 2
    # replaces the other: [2, 2], consensus 2. A third makes it three human ratings.
    computer, human = [5.0, 5.0], []
    seen = []
    for rating in (2, 2, 3):
        earlier = earlier_ratings(computer, human)
        seen.append((earlier, score(rating, earlier)[:3]))
        human.append(rating)
    assert seen == [
        ([5, 5], (-2, 5.0, 3)),  # d = 3 / (4/3) = 2.25
        ([2, 5], (-1, 4.0, 3)),  # sigma^2 = 2.25, v = 1 + (1/3)(1 + 1.125) = 1.708, d = 1.17
        ([2, 2], (0, 2.0, 3)),  # d = 3/4
    ]
    assert earlier_ratings(computer, human) == [2, 2, 3]


def test_scores_of_a_metric_become_ratings_in_equal_shares():
    scores = [0.0, 0.01, 0.5, 0.51, 0.9, 0.91, 1.2, 1.3, 7.0, 9.0]
    assert ratings_from_scores(scores) == [1, 1, 2, 2, 3, 3, 4, 4, 5, 5]
    # Equal scores have equal ratings: ranks 0..2 of 4 are shared, their middle is 3/8 of the way.
    assert ratings_from_scores([1, 1, 1, 2]) == [2, 2, 2, 5]


def test_scores_on_a_line():
    # (0.5 - 0) / 1 * 4 + 1 = 3; 0.1 -> 1.4 -> 1; 0.125 -> 1.5 -> 2.
    assert ratings_from_scores([0, 0.1, 0.125, 0.5, 1], by="line") == [1, 1, 2, 3, 5]


def test_equal_scores_are_the_middle_of_the_scale():
    assert ratings_from_scores([0.3, 0.3]) == [3, 3]
    assert ratings_from_scores([]) == []


def test_a_missing_score_is_refused():
    with pytest.raises(InputError, match="Score every pair"):
        ratings_from_scores([0.1, float("nan")])


def test_levels_and_limits_of_a_scale():
    assert Scale(1, 3, 0.5).levels == (1, 1.5, 2, 2.5, 3)
    assert Scale(1, 5).largest_variance == Fraction(4)
    assert Scale().nearest(9) == 5
    with pytest.raises(InputError, match="scale from 5 to 1"):
        Scale(5, 1)


def test_a_point_table_needs_one_more_number_than_bounds():
    with pytest.raises(InputError, match="point table"):
        PointTable((1.0,), (1,))
    with pytest.raises(InputError, match="point table"):
        PointTable((1.0, 0.5), (1, 0, -1))
