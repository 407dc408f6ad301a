"""Files that describe games: the paper's values by default, errors with their line."""

import pytest

from captious.data import demo_files
from captious.errors import InputError
from captious.protocols.game import RatingGame
from captious.protocols.game.points import consensus


def test_the_demos_game_has_the_papers_rules() -> None:
    game = RatingGame.from_text(demo_files().game.read_text(encoding="utf-8"))
    assert len(game.tutorial) == 10 and all(pair.why for pair in game.tutorial)
    assert (game.ladder.trial_pairs, game.ladder.probation_pairs, game.ladder.passing_points) == (20, 20, 25)
    assert (game.least_ratings, game.most_ratings, game.wait_seconds) == (4, 7, 3)
    assert (game.points.bounds, game.points.points) == ((0.25, 0.5, 1, 1.75), (2, 1, 0, -1, -2))
    # A newcomer meets every level of the scale in the tutorial.
    assert {consensus(pair.ratings) for pair in game.tutorial} == {1, 2, 3, 4, 5}


def test_scale_points_and_rules_can_be_set() -> None:
    game = RatingGame.from_text(
        """
scale:
  - {rating: 0, name: "No", means: Not at all.}
  - {rating: 0.5, name: Half, means: In part.}
  - {rating: 1, name: "Yes", means: Fully.}
points: {bounds: [0.3], points: [1, 0]}
rules: {trial_pairs: 0, wait_seconds: 0, least_ratings: 2, most_ratings: 3}
"""
    )
    assert game.scale.levels == (0, 0.5, 1)
    assert game.form.fields[0].step == 0.5
    assert game.points.points == (1, 0)
    assert [guide.title for guide in game.guide()][1:] == ["1: Yes", "0.5: Half", "0: No"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("tutorials: []", 'line 1: unknown key "tutorials"'),
        (
            "tutorial:\n  - {image: a, caption: B., ratings: [6], why: c}",
            "line 2: ratings: 6 is not a rating",
        ),
        ("tutorial:\n  - {image: a, caption: B., ratings: [5]}", '"why" is missing'),
        ("rules: {passing_points: many}", "must be a whole number"),
        ("scale:\n  - {rating: 1, name: a, means: b}", "at least two ratings"),
        ("points: {bounds: [1, 2], points: [1]}", "point table"),
    ],
)
def test_what_is_wrong_is_one_line(text: str, message: str) -> None:
    with pytest.raises(InputError) as found:
        RatingGame.from_text(text, "mine.game")
    assert message in str(found.value) and "\n" not in str(found.value)


def test_too_few_curated_pairs_are_refused_when_items_are_made() -> None:
    from captious.corpus import Corpus

    game = RatingGame.from_text("rules: {trial_pairs: 20}")
    with pytest.raises(InputError, match="0 curated pairs for rounds of 20"):
        game.items(Corpus.from_lists(["A dog."], image_ids=["1"]), seed=1)
