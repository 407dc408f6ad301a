"""What a rater reads after an answer, and beside the next pair: points, level, streak, goal."""

from __future__ import annotations

from captious.protocols.game.player import Ladder, Standing
from captious.protocols.game.points import Scored

LEVEL_POINTS = 25  # the second level; each further one takes 25 more than the one before


def level_of(points: int) -> int:
    """The level that so many points reach: 1 below 25, 2 below 75, 3 below 150, …

    >>> [level_of(points) for points in (-4, 0, 24, 25, 74, 75, 150)]
    [1, 1, 1, 2, 2, 3, 4]
    """
    level, needed = 1, LEVEL_POINTS
    while points >= needed:
        level += 1
        needed += LEVEL_POINTS * level
    return level


def points_line(scored: Scored, rating: float) -> str:
    """The consensus and what the rating was worth.

    >>> points_line(Scored(2, 4.0, 3, 0.0, 0.0), 4)
    '+2 points. You rated 4, and so did the others.'
    >>> points_line(Scored(-1, 4.0, 3, 0.0, 1.5), 2)
    '-1 point. You rated 2, the consensus is 4.'
    """
    if scored.consensus is None:
        return "0 points. You are the first to rate this pair."
    unit = "point" if abs(scored.points) == 1 else "points"
    signed = f"{scored.points:+d}" if scored.points else "0"
    if rating == scored.consensus:
        return f"{signed} {unit}. You rated {rating:g}, and so did the others."
    return f"{signed} {unit}. You rated {rating:g}, the consensus is {scored.consensus:g}."


def why_line(scored: Scored) -> str:
    """Why the points are what they are: how far off, and how much the others agree."""
    if scored.consensus is None or not scored.distance:
        return ""
    if scored.variance == 0:
        return "The others all agree, so a wrong prediction costs more."
    return "The others do not all agree, so a wrong prediction costs less."


def change_line(before: Standing, now: Standing, ladder: Ladder) -> str:
    """What has changed with this answer: a new phase, a level, a streak; "" where nothing has."""
    if now.phase != before.phase or now.rounds != before.rounds:
        return _phase_line(before, now, ladder)
    if level_of(now.score) > level_of(before.score):
        return f"You have reached level {level_of(now.score)}!"
    if now.streak and now.streak % 5 == 0:
        return f"{now.streak} in a row!"
    return ""


def _phase_line(before: Standing, now: Standing, ladder: Ladder) -> str:
    if now.phase == "probation":
        again = "again " if before.phase == "probation" else ""
        return (
            f"You got fewer than {ladder.passing_points} points. You are {again}on probation: get "
            f"{ladder.passing_points} points in {ladder.probation_pairs} pairs to return to the game."
        )
    if before.phase == "tutorial":
        return "You have finished the tutorial. The game starts now, with 0 points."
    if before.phase == "probation":
        return "You have passed probation. You are back in the game, with 0 points."
    return f"You have {now.points} points. Well done, the game continues."


def standing_line(standing: Standing, ladder: Ladder) -> str:
    """Where the rater stands, in one line.

    >>> standing_line(Ladder().start(), Ladder())
    'Tutorial: pair 1 of 10'
    """
    pair = standing.played + 1
    if standing.phase == "tutorial":
        return f"Tutorial: pair {pair} of {ladder.tutorial_pairs}"
    if standing.phase == "probation":
        return (
            f"Probation: pair {pair} of {ladder.probation_pairs}, "
            f"{standing.points} of {ladder.passing_points} points"
        )
    return f"{standing.score} points, level {level_of(standing.score)}"
