"""Where a rater stands in the game: tutorial, trial, probation, game (Scott et al. 2023, 3.2).

Every rater begins with the tutorial. The first pairs of the game are a trial: whoever has too few
points after them is put on probation, with no points, and plays curated pairs until one round of
them brings enough. Then they play on, from 0 points. Nothing carries over from the tutorial or
from probation, and neither enters the data set.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from captious.errors import InputError

Phase = Literal["tutorial", "trial", "probation", "game"]
PLAYED: tuple[Phase, ...] = ("trial", "game")  # the phases whose ratings enter the data set


@dataclass(frozen=True)
class Ladder:
    """How long each phase is and what it takes to leave it; the paper's values by default."""

    tutorial_pairs: int = 10  # Scott et al. 2023, 3.2
    trial_pairs: int = 20
    probation_pairs: int = 20
    passing_points: int = 25

    def __post_init__(self) -> None:
        if self.tutorial_pairs < 0 or self.trial_pairs < 0 or self.probation_pairs < 1:
            raise InputError("game: the pairs of a phase are 0 or more, those of probation at least 1.")

    def start(self) -> Standing:
        """Where a new rater stands."""
        return _enter(Standing("tutorial"), self)


@dataclass(frozen=True)
class Standing:
    """Where a rater is: the phase, the pairs and points in it, and what is worth showing.

    `points` are those of the phase; in the trial and the game they are the rater's score. `rated`
    counts pairs of trial and game, `rounds` the rounds of probation begun, `streak` the ratings in
    a row that brought points, `best_streak` the longest.
    """

    phase: Phase
    played: int = 0
    points: int = 0
    rated: int = 0
    rounds: int = 0
    streak: int = 0
    best_streak: int = 0

    @property
    def score(self) -> int:
        """Points that count for the rater: none in tutorial and probation."""
        return self.points if self.phase in PLAYED else 0


def after(standing: Standing, points: int, ladder: Ladder) -> Standing:
    """Where the rater stands after one more rating that was worth `points`.

    >>> ladder = Ladder(tutorial_pairs=1, trial_pairs=1, probation_pairs=1, passing_points=2)
    >>> standing = after(ladder.start(), -2, ladder); standing.phase, standing.points
    ('trial', 0)
    >>> standing = after(standing, 1, ladder); standing.phase, standing.points
    ('probation', 0)
    >>> after(standing, 2, ladder).phase
    'game'
    """
    streak = standing.streak + 1 if points > 0 else 0
    rated = standing.rated + (standing.phase in PLAYED)
    played = replace(
        standing,
        played=standing.played + 1,
        points=standing.points + points,
        rated=rated,
        streak=streak,
        best_streak=max(standing.best_streak, streak if standing.phase in PLAYED else 0),
    )
    return _enter(played, ladder)


def replay(points: Sequence[int], ladder: Ladder) -> Standing:
    """Where a rater stands after all their ratings, in the order in which they were given."""
    standing = ladder.start()
    for one in points:
        standing = after(standing, one, ladder)
    return standing


def _enter(standing: Standing, ladder: Ladder) -> Standing:
    """The standing itself while its phase lasts, else the beginning of the next phase."""
    passed = standing.points >= ladder.passing_points
    if standing.phase == "tutorial" and standing.played >= ladder.tutorial_pairs:
        first: Phase = "trial" if ladder.trial_pairs else "game"
        return replace(standing, phase=first, played=0, points=0, streak=0)
    if standing.phase == "trial" and standing.played >= ladder.trial_pairs:
        if passed:
            return replace(standing, phase="game")
        return replace(standing, phase="probation", played=0, points=0, rounds=1, streak=0)
    if standing.phase == "probation" and standing.played >= ladder.probation_pairs:
        if passed:
            return replace(standing, phase="game", played=0, points=0, streak=0)
        return replace(standing, played=0, points=0, rounds=standing.rounds + 1, streak=0)
    return standing
