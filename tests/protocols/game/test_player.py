"""Tutorial, trial, probation, game: thresholds of Scott et al. (2023, 3.2)."""

from captious.protocols.game.player import Ladder, after, replay

PAPER = Ladder()
TUTORIAL = [2] * 10


def test_the_papers_values():
    assert (PAPER.tutorial_pairs, PAPER.trial_pairs, PAPER.probation_pairs, PAPER.passing_points) == (
        10,
        20,
        20,
        25,
    )


def test_ten_pairs_of_tutorial_and_their_points_are_gone():
    assert replay(TUTORIAL[:9], PAPER).phase == "tutorial"
    begun = replay(TUTORIAL, PAPER)
    assert (begun.phase, begun.points, begun.rated, begun.streak) == ("trial", 0, 0, 0)


def test_twenty_five_points_in_twenty_pairs_are_enough():
    # 12 x 2 + 1 = 25, which the paper asks for "at least".
    passed = replay([*TUTORIAL, *[2] * 12, 1, *[0] * 7], PAPER)
    assert (passed.phase, passed.points, passed.rated) == ("game", 25, 20)


def test_twenty_four_points_are_not():
    # 13 x 2 - 2 = 24; the score is reset.
    failed = replay([*TUTORIAL, *[2] * 13, -2, *[0] * 6], PAPER)
    assert (failed.phase, failed.points, failed.score, failed.rounds) == ("probation", 0, 0, 1)
    assert failed.rated == 20


def test_enough_points_early_do_not_shorten_the_trial():
    assert replay([*TUTORIAL, *[2] * 19], PAPER).phase == "trial"


def test_probation_is_repeated_until_passed_and_nothing_carries_over():
    failed = [*TUTORIAL, *[0] * 20]
    again = replay([*failed, *[2] * 12, *[0] * 8], PAPER)  # 24 points
    assert (again.phase, again.rounds, again.points) == ("probation", 2, 0)
    # The 24 points of the first round do not help in the second.
    assert replay([*failed, *[2] * 12, *[0] * 8, *[0] * 19, 2], PAPER).rounds == 3
    free = replay([*failed, *[2] * 12, *[0] * 8, *[2] * 13, *[0] * 7], PAPER)
    assert (free.phase, free.points, free.score) == ("game", 0, 0)
    assert after(free, 2, PAPER).score == 2


def test_the_trial_comes_once():
    free = replay([*TUTORIAL, *[0] * 20, *[2] * 20], PAPER)
    for _ in range(40):
        free = after(free, -2, PAPER)
    assert (free.phase, free.score) == ("game", -80)


def test_streaks_count_ratings_in_a_row_that_bring_points():
    standing = replay([*TUTORIAL, 2, 2, 2, 0, 2], PAPER)
    assert (standing.streak, standing.best_streak) == (1, 3)


def test_a_game_without_tutorial_or_trial():
    assert Ladder(tutorial_pairs=0).start().phase == "trial"
    assert Ladder(tutorial_pairs=0, trial_pairs=0).start().phase == "game"
