"""What a plan can tell, before the first answer."""

from __future__ import annotations

import math

import pytest

from captious.campaigns.setup import create
from captious.campaigns.setup.precision import SD_IMAGES, SD_RATINGS, expected
from captious.corpus import Corpus


def plan(protocol: str, images: int, systems: int = 2, **options: object) -> list:
    rows = [(image, f"m{at}") for image in range(images) for at in range(systems)]
    corpus = Corpus.from_lists(
        [f"A dog of {system} at {image}." for image, system in rows],
        [[f"Dog {image} runs.", f"The dog at {image}."] for image, _ in rows],
        image_ids=[f"i{image}" for image, _ in rows],
        systems=[system for _, system in rows],
    )
    draft = create.draft(protocol, corpus, title="Plan", options=options)
    return expected(draft.rules(), draft.items)


@pytest.mark.parametrize(("images", "raters"), [(50, 1), (200, 2)])
def test_the_width_is_that_of_the_normal_distribution(images: int, raters: int) -> None:
    (found,) = plan("tagging", images, raters=raters, two_rounds=False)
    error = math.sqrt((SD_IMAGES**2 + SD_RATINGS**2 / raters) / images)
    assert (found.images, found.answers, found.low, found.high) == (images, raters, 0.0, 1.0)
    assert found.half_width == pytest.approx(1.96 * error, rel=0.06)
    # Power 0.8 at 0.05: 1.96 + 0.84 = 2.80 standard errors.
    assert found.detectable == pytest.approx(2.80 * error, rel=0.1)


def test_it_stands_on_the_scale_of_each_aspect() -> None:
    precision, recall = plan("thumb", 60)
    (value,) = plan("tagging", 60, raters=1, two_rounds=False)
    assert (precision.aspect, recall.aspect, precision.low, precision.high) == ("precision", "recall", 1, 5)
    assert precision.half_width == pytest.approx(4 * value.half_width)


def test_one_system_has_nothing_to_be_told_from() -> None:
    assert plan("tagging", 20, systems=1) == []
    assert plan("spoken", 20) == []
