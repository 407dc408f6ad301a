"""Systems told apart while answers come in: who is separated, who not, and how often that is wrong."""

from __future__ import annotations

import numpy as np
import pytest

from captious.errors import StatisticsError
from captious.stats.separation import separations
from captious.stats.sequential import confidence_sequence, left_out_after


def studies(means: list[float], images: int, seed: int) -> np.ndarray:
    """Ratings of 1 to 5 around the means: an image's own difficulty, and a slip for each system."""
    rng = np.random.default_rng(seed)
    level = rng.normal(0, 0.7, (images, 1))
    found = np.round(np.array(means) + level + rng.normal(0, 0.8, (images, len(means))))
    return np.clip(found, 1, 5)


def test_the_capital_leaves_out_what_the_confidence_sequence_leaves_out() -> None:
    values = np.random.default_rng(3).random(300) * 0.4 + 0.5
    low, _ = confidence_sequence(values, level=0.99)
    # The sequence is rounded outward by one step of its grid of 1000.
    (first,) = left_out_after(values, 0.6, level=0.99)
    after = int(np.argmax(low > 0.6)) + 1
    assert 0 < first <= after
    assert low[first - 2] <= 0.6


def test_a_clear_difference_is_found_and_an_open_one_is_reckoned() -> None:
    found = separations(studies([4.2, 3.0, 2.8], 80, 1), ["A", "B", "C"], bounds=(1, 5))
    assert found.order == ("A", "B", "C")
    ab, bc = found.neighbours
    assert ab.separated
    assert ab.more is None
    assert not bc.separated
    assert bc.more is not None
    assert bc.more > 0
    # Twice as many images as were reckoned do separate them.
    enough = studies([4.2, 3.0, 2.8], 80 + 2 * bc.more, 1)
    assert separations(enough, ["A", "B", "C"], bounds=(1, 5)).between("B", "C").separated


def test_images_that_only_one_system_has_do_not_compare() -> None:
    values = [[5.0, np.nan], [np.nan, 1.0]] * 40
    (pair,) = separations(values, ["A", "B"], bounds=(1, 5)).pairs
    assert (pair.n, pair.separated, pair.more) == (0, False, None)
    assert separations(np.empty((0, 2)), ["A", "B"], bounds=(1, 5)).pairs[0].n == 0
    with pytest.raises(StatisticsError, match="twice"):
        separations([[1.0, 2.0]], ["A", "A"], bounds=(1, 5))


def wrong_share(trials: int, images: int) -> float:
    """Of studies of three equal systems, the share that ever separates two, with a look at each image."""
    each = 1 - 0.05 / 3
    wrong = 0
    for seed in range(trials):
        values = studies([3.0, 3.0, 3.0], images, seed)
        pairs = np.array(
            [values[:, 0] - values[:, 1], values[:, 0] - values[:, 2], values[:, 1] - values[:, 2]]
        )
        wrong += bool(left_out_after(pairs, 0.0, bounds=(-4, 4), level=each).any())
    return wrong / trials


def test_equal_systems_are_separated_in_no_more_studies_than_was_said() -> None:
    # At an error rate of 5%, 400 studies have 20 at most in the mean; 33 is three standard deviations more.
    assert wrong_share(400, 150) <= 33 / 400


@pytest.mark.long
def test_the_error_rate_holds_over_many_long_studies() -> None:
    assert wrong_share(4000, 1000) <= 0.05 + 3 * (0.05 * 0.95 / 4000) ** 0.5
