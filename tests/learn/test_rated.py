"""Which ratings a metric learns from."""

from __future__ import annotations

import numpy as np
import pytest

from captious import Corpus
from captious.corpus import Judgments
from captious.errors import InputError
from captious.learn import RatedSet, TrainingData
from captious.learn.rated import rated_set

CORPUS = Corpus.from_lists(["a dog", "a cat", "a bus"], [["dog"], ["cat"], ["bus"]], systems=["m"] * 3)


def judgments(rows: list[tuple[str, str, str, float]]) -> Judgments:
    images, raters, aspects, values = zip(*rows, strict=True)
    return Judgments.from_columns(
        images=images, raters=raters, aspects=aspects, values=values, systems=["m"] * len(rows)
    )


def rate(rows: list[tuple[str, str, str, float]], **more: object) -> RatedSet:
    judged = judgments(rows)
    return rated_set("mine", CORPUS, judged, judged.places_in(CORPUS), **more)  # type: ignore[arg-type]


def test_thumb_totals_are_made_of_their_parts_rater_by_rater() -> None:
    found = rate(
        [
            ("0", "a", "precision", 5),
            ("0", "a", "recall", 4),
            ("0", "a", "fluency", -0.1),
            ("0", "b", "precision", 3),
            ("0", "b", "recall", 3),
            ("2", "a", "precision", 1),
            ("2", "a", "recall", 2),
        ]
    )
    assert found.aspect == "total"
    assert found.corpus.captions == ["a dog", "a bus"]
    # (5 + 4) / 2 - 0.1 = 4.4 and 3; (1 + 2) / 2 = 1.5
    np.testing.assert_allclose(found.means, [3.7, 1.5])


def test_an_aspect_must_be_named_where_several_could_be_meant() -> None:
    rows = [("0", "a", "helpful", 5.0), ("1", "a", "natural", 1.0), ("1", "a", "helpful", 2.0)]
    with pytest.raises(InputError, match=r"helpful, natural\. Choose one with aspect="):
        rate(rows)
    assert rate(rows, aspect="helpful").means.tolist() == [5.0, 2.0]


def test_ratings_outside_the_scale_are_refused() -> None:
    rows = [("0", "a", "overall", 7.0), ("1", "a", "overall", 1.0)]
    with pytest.raises(
        InputError, match=r"a rating of \w+ is 7, outside the scale 1 to 5; ratings range from 1 to 7\. Give"
    ):
        rate(rows, scale=(1.0, 5.0))


def test_ratings_that_are_all_alike_teach_nothing() -> None:
    with pytest.raises(InputError, match="nothing to learn"):
        rate([("0", "a", "overall", 3.0), ("1", "a", "overall", 3.0)])


def test_normalised_ratings_run_from_0_to_1_and_zeros_can_be_dropped() -> None:
    found = rate([("0", "a", "overall", 1.0), ("1", "a", "overall", 3.0), ("2", "a", "overall", 5.0)])
    normal = found.normalised()
    assert normal.means.tolist() == [0.0, 0.5, 1.0]
    assert normal.without_lowest().corpus.captions == ["a cat", "a bus"]


def test_different_scales_are_not_pooled() -> None:
    one = rate([("0", "a", "overall", 1.0), ("1", "a", "overall", 5.0)])
    other = rate([("0", "a", "overall", 0.0), ("1", "a", "overall", 1.0)])
    with pytest.raises(InputError, match="different scales"):
        TrainingData((one, other))
