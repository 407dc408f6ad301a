from __future__ import annotations

import numpy as np
import pytest

from captious.errors import StatisticsError
from captious.stats.prediction_powered import (
    cross_fitted,
    powered_correlation,
    powered_difference,
    powered_mean,
)

NAN = float("nan")


def some(
    seed: int, rated: int, unrated: int, noise: float = 1.0
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What people would say of all items, what they said of some, and a metric."""
    generator = np.random.default_rng(seed)
    human = generator.normal(3, 1, rated + unrated)
    metric = human + generator.normal(0, noise, len(human))
    said = human.copy()
    said[rated:] = NAN
    return human, said, metric


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("weight", [None, 0.0, 0.4, 1.0])
def test_means_are_those_of_ppi_python(seed: int, weight: float | None) -> None:
    oracle = pytest.importorskip("ppi_py")
    rated, unrated = 10 + 7 * seed, 200 - 9 * seed
    human, said, metric = some(seed, rated, unrated, noise=0.2 + seed / 4)
    found = powered_mean(said, metric, weight=weight)
    low, high = oracle.ppi_mean_ci(human[:rated], metric[:rated], metric[rated:], alpha=0.05, lam=weight)
    assert found.powered.low == pytest.approx(low.item(), abs=1e-9)
    assert found.powered.high == pytest.approx(high.item(), abs=1e-9)


def test_weight_0_is_the_plain_mean_by_hand() -> None:
    found = powered_mean([1, 3, NAN], [9, 9, 2], weight=0)
    # mean 2, variance 1 (by n), standard error sqrt(1 / 2), z = 1.959964
    assert found.powered == found.human
    assert found.human.value == 2
    assert found.human.high == pytest.approx(2 + 1.959964 * 0.5**0.5, abs=1e-6)


def test_captions_of_an_image_are_summed_before_they_are_squared() -> None:
    once = powered_mean([1, 3, 5, NAN, NAN], [1, 2, 4, 2, 3])
    twice = powered_mean([1, 3, 5, NAN, NAN] * 2, [1, 2, 4, 2, 3] * 2, clusters=list("abcde") * 2)
    assert twice.human.error == pytest.approx(once.human.error)
    assert twice.n_rated == 6


def test_strata_are_weighted_by_size_not_by_ratings() -> None:
    # stratum a: 4 items, mean of the rated 2; stratum b: 2 items, mean 5; (4 * 2 + 2 * 5) / 6 = 3
    found = powered_mean([1, 3, NAN, NAN, 4, 6], [0] * 6, strata=list("aaaabb"))
    assert found.human.value == pytest.approx(3)


def test_unequal_probabilities_leave_the_mean_unbiased() -> None:
    generator = np.random.default_rng(0)
    human, _, metric = some(1, 400, 0, noise=0.5)
    probabilities = np.where(human > 3, 0.4, 0.1)  # good captions are rated four times as often
    errors = []
    for _ in range(400):
        rated = generator.random(len(human)) < probabilities
        found = powered_mean(np.where(rated, human, NAN), metric, probabilities=probabilities)
        errors.append((found.powered.value - human.mean()) / found.powered.error)
    assert abs(np.mean(errors)) < 0.15  # four standard errors of a mean of 400 would be .2
    assert np.mean(np.abs(errors) < 1.96) > 0.92


def test_intervals_hold_and_a_useless_metric_costs_next_to_nothing() -> None:
    generator = np.random.default_rng(5)
    squares: dict[str, list[float]] = {"plain": [], "useless": [], "useful": []}
    held = []
    for _ in range(400):
        human = generator.normal(size=500)
        said = np.where(generator.permutation(500) < 100, human, NAN)
        useless = powered_mean(said, generator.normal(size=500))
        useful = powered_mean(said, human + 0.5 * generator.normal(size=500))
        squares["plain"].append(useless.human.value**2)
        squares["useless"].append(useless.powered.value**2)
        squares["useful"].append(useful.powered.value**2)
        held.append(useful.powered.low <= 0 <= useful.powered.high)
    plain, poor, good = (float(np.mean(one)) for one in squares.values())
    assert poor / plain < 1.03
    assert good / plain < 0.5  # r = .89: 1 - .8 * .8 = .36 of the variance is left
    assert np.mean(held) > 0.92


def test_a_difference_is_paired_by_image() -> None:
    human, said, metric = some(3, 60, 240)
    other = human + np.random.default_rng(1).normal(0.5, 0.1, len(human))
    images = list(range(len(human)))
    found = powered_difference(
        (said, metric), (np.where(np.isnan(said), NAN, other), metric), images=(images, images)
    )
    apart = powered_mean(said, metric).human.error
    assert found.human.value == pytest.approx(np.mean(human[:60] - other[:60]))
    assert found.human.error < apart / 5  # what makes an image hard for both is no difference


def test_systems_rated_on_other_images_are_compared_too() -> None:
    a = powered_difference(([1, 2, 3], [1, 2, 3]), ([2, 2, 4], [1, 1, 1]), images=("abc", "def"))
    # variances by n, 2/3 and 8/9, over 3 images each
    assert a.human.error == pytest.approx(((2 / 3 + 8 / 9) / 3) ** 0.5)


@pytest.mark.parametrize(("rated", "unrated"), [(23, 1), (20, 4), (95, 5), (100, 400)])
def test_intervals_of_differences_hold_however_few_are_unrated(rated: int, unrated: int) -> None:
    generator = np.random.default_rng(rated)
    held = {"human": 0, "powered": 0}
    size = rated + unrated
    for _ in range(300):
        image = generator.normal(size=size)
        sides = []
        for _ in range(2):
            human = image + generator.normal(size=size)
            metric = human + generator.normal(size=size)
            sides.append((np.where(np.arange(size) < rated, human, NAN), metric))
        found = powered_difference(*sides, images=(range(size), range(size)))
        for name in held:
            one = getattr(found, name)
            held[name] += one.low <= 0 <= one.high
    assert held["powered"] >= held["human"] - 6  # of 300, about 285 each


def test_a_system_that_is_rated_whole_takes_nothing_from_the_metric() -> None:
    found = powered_difference(
        ([1, 2, 3, 5], [4, 1, 2, 9]), ([2, 2, 4, 1], [1, 3, 1, 7]), images=("abcd", "abcd")
    )
    assert found.powered == found.human


def test_correlations_are_those_of_the_rated_items_moved_by_the_others() -> None:
    human, said, metric = some(4, 100, 900)
    found = powered_correlation(said, metric)
    assert found.human.value == pytest.approx(np.corrcoef(human[:100], metric[:100])[0, 1])
    whole = np.corrcoef(human, metric)[0, 1]
    assert found.powered.low < whole < found.powered.high
    assert found.ratio < 1.05


def test_a_second_metric_makes_the_correlation_of_the_first_surer() -> None:
    human, said, metric = some(6, 100, 900)
    better = human + np.random.default_rng(2).normal(0, 0.3, len(human))
    alone = powered_correlation(said, metric).ratio
    assert powered_correlation(said, metric, others=[better]).ratio < alone - 0.1


def test_no_image_is_predicted_by_a_fit_to_itself() -> None:
    # one rated image of two captions and one other: each is predicted by the other's mean
    found = cross_fitted([1, 1, 5, NAN], np.zeros((4, 0)), clusters=list("aabc"))
    assert found.tolist() == pytest.approx([5, 5, 1, 3])


def test_what_cannot_be_estimated_is_said() -> None:
    with pytest.raises(StatisticsError, match="1 of 2 items are rated"):
        powered_mean([1, NAN], [1, 2])
    with pytest.raises(StatisticsError, match="some items have none"):
        powered_mean([1, 2, NAN], [1, 2, NAN])
    with pytest.raises(StatisticsError, match="above 0 and at most 1"):
        powered_mean([1, 2, NAN], [1, 2, 3], probabilities=[0, 1, 1])
    with pytest.raises(StatisticsError, match="fewer than 2 ratings"):
        powered_mean([1, 2, 3, NAN], [1, 2, 3, 4], strata=list("aaab"))
    with pytest.raises(StatisticsError, match="all the same"):
        powered_correlation([1, 1, 1, NAN], [1, 2, 3, 4])


def test_everything_rated_needs_no_metric() -> None:
    found = powered_mean([1, 2, 3], [3, 2, 1])
    assert found.powered == found.human
    assert found.ratings_saved == 0
