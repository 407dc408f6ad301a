"""A small game: two pairs of tutorial, a trial of two, rounds of two on probation."""

from __future__ import annotations

import pytest

from captious.corpus import Corpus
from captious.protocols.game import RatingGame

GAME = """
tutorial:
  - {image: t1, caption: A dog runs., ratings: [4, 4, 5], why: It says what and where.}
  - {image: t2, caption: A cat., ratings: [1, 1], why: There is no cat.}
probation:
  - {image: p1, caption: One., ratings: [3, 3]}
  - {image: p2, caption: Two., ratings: [5, 5]}
  - {image: p3, caption: Three., ratings: [1, 1]}
rules: {trial_pairs: 2, probation_pairs: 2, passing_points: 4}
"""


@pytest.fixture
def game() -> RatingGame:
    return RatingGame.from_text(GAME)


@pytest.fixture
def corpus() -> Corpus:
    images = ["a", "b", "c", "d", "t1"]
    return Corpus.from_lists(
        [f"A caption of {image}." for image in images[:-1]] + ["A dog runs."],
        image_ids=images,
        systems=["m"] * 4 + ["n"],
    )
