from __future__ import annotations

import numpy as np
import pytest

from captious.errors import StatisticsError
from captious.stats.preference import mean_preference, preference_score


def test_every_rating_of_the_scale() -> None:
    # ObjectNet Captions, 4.2: 1 = only the left caption fits, 9 = only the right, 5 = both alike
    right = preference_score(range(1, 10), [True] * 9)
    assert right.tolist() == [-1, -0.75, -0.5, -0.25, 0, 0.25, 0.5, 0.75, 1]
    left = preference_score(range(1, 10), [False] * 9)
    np.testing.assert_array_equal(left, right[::-1])


def test_other_scales_and_missing_ratings() -> None:
    np.testing.assert_array_equal(
        preference_score([0, 100, np.nan], [True, False, True], scale=(0, 100)), [-1, -1, np.nan]
    )


def test_ratings_off_the_scale_and_lost_sides_are_refused() -> None:
    with pytest.raises(StatisticsError, match="outside the scale 1 to 9"):
        preference_score([10], [True])
    with pytest.raises(StatisticsError, match="1 sides for 2 ratings"):
        preference_score([1, 2], [True])
    with pytest.raises(StatisticsError, match="empty"):
        preference_score([1], [True], scale=(5, 5))


def test_mean_preference_resamples_images() -> None:
    rng = np.random.default_rng(11)
    image_effect = rng.choice([-1.0, 1.0], 100)
    scores, images = np.repeat(image_effect, 4), np.repeat(np.arange(100), 4)
    by_image = mean_preference(scores, clusters=list(images))
    by_rating = mean_preference(scores)
    assert by_image.value == by_rating.value == image_effect.mean()
    # Four equal copies: the honest interval is twice as wide (square root of 4).
    ratio = (by_image.high - by_image.low) / (by_rating.high - by_rating.low)
    assert ratio == pytest.approx(2, abs=0.3)


def test_mean_preference_without_scores_is_undefined() -> None:
    found = mean_preference([np.nan])
    assert np.isnan(found.value)
    assert found.reason == "no scores"
    with pytest.raises(StatisticsError, match="1 for 2 scores"):
        mean_preference([0, 1], clusters=["a"])
