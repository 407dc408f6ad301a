"""The rating game played by players of known accuracy, at the size of CocoG.

72 players, 10,000 pairs, 4 to 7 ratings a pair (Scott et al. 2023, 3.3). A careful player gives a
pair's true level with a known probability and is one level off otherwise; a guessing player draws
any level. The game's own rules give the points and send players to probation. The same players
then rate the same pairs without these rules, and the agreement of both data sets is printed as in
the paper's Table 3.

    python benchmarks/judgments/rating_game.py [--pairs 10000] [--players 72] [--guessing 18] [--seed 7]
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass, field

import numpy as np

from captious.protocols.game.cold_start import COMPUTER_RATINGS, earlier_ratings
from captious.protocols.game.need import wanted_ratings
from captious.protocols.game.player import PLAYED, Ladder, Standing, after
from captious.protocols.game.points import PAPER_SCALE, score
from captious.stats import rounded_mean, virtual_rater_agreement

LEVELS = np.array(PAPER_SCALE.levels)
SHARES = (0.2, 0.1, 0.15, 0.3, 0.25)  # of true levels 1 to 5
ACCURACY = (0.8, 0.95)  # of careful players, from the least to the most careful


@dataclass
class Player:
    """A simulated player; `accuracy` None guesses."""

    accuracy: float | None
    standing: Standing
    seen: set[int] = field(default_factory=set)
    rated: int = 0

    def rate(self, level: int, rng: np.random.Generator) -> int:
        """The rating of a pair whose true level is `level`."""
        if self.accuracy is None:
            return int(rng.integers(1, 6))
        if rng.random() < self.accuracy:
            return level
        near = [one for one in (level - 1, level + 1) if 1 <= one <= 5]
        return int(rng.choice(near))


@dataclass
class Pair:
    """A pair: its true level, the metric's two ratings of it, and the players' ratings."""

    level: int
    computer: list[float]
    human: list[float] = field(default_factory=list)


def make_players(players: int, guessing: int, ladder: Ladder) -> list[Player]:
    careful = iter(np.linspace(*ACCURACY, players - guessing).tolist())
    # Guessing players come at even distances among the careful ones.
    places = {int(place) for place in np.linspace(1, players - 1, guessing)}
    accuracies = [None if place in places else next(careful) for place in range(players)]
    return [Player(accuracy, ladder.start()) for accuracy in accuracies]


def make_pairs(count: int, error: float, rng: np.random.Generator) -> list[Pair]:
    levels = rng.choice(LEVELS, size=count, p=SHARES)
    made = np.clip(np.rint(levels[:, None] + rng.normal(0, error, (count, COMPUTER_RATINGS))), 1, 5)
    return [Pair(int(level), computer.tolist()) for level, computer in zip(levels, made, strict=True)]


def play(pairs: list[Pair], players: list[Player], rng: np.random.Generator, *, filtered: bool) -> None:
    """All play until every pair has the ratings it needs; without `filtered` all ratings count."""
    ladder = Ladder()
    waiting = list(range(len(pairs)))
    rated = 0
    while waiting:
        # Players come one after the other during the first half of the ratings.
        here = 1 + int(2 * len(players) * rated / (4 * len(pairs)))
        player = players[int(rng.integers(min(here, len(players))))]
        if filtered and player.standing.phase not in PLAYED:
            # Tutorial and curated pairs: the experts' ratings are the true level.
            level = int(rng.choice(LEVELS, p=SHARES))
            points = score(player.rate(level, rng), [level] * 3).points
            player.standing = after(player.standing, points, ladder)
            continue
        place = draw(waiting, pairs, player, rng)
        if place is None:
            if all(set(waiting) <= one.seen for one in players if one.standing.phase in PLAYED):
                return  # what is left has been seen by all who may rate it
            continue
        rated += 1
        pair = pairs[waiting[place]]
        player.seen.add(waiting[place])
        player.rated += 1
        rating = player.rate(pair.level, rng)
        points = score(rating, earlier_ratings(pair.computer, pair.human)).points
        pair.human.append(rating)
        if filtered:
            player.standing = after(player.standing, points, ladder)
        if len(pair.human) >= wanted_ratings(pair.human):
            waiting[place] = waiting[-1]
            waiting.pop()


def draw(waiting: list[int], pairs: list[Pair], player: Player, rng: np.random.Generator) -> int | None:
    """A place in the list of waiting pairs whose pair the player has not seen.

    Of twenty pairs, a player on trial gets the one that most others have rated.
    """
    places = [int(place) for place in rng.integers(len(waiting), size=20)]
    new = [place for place in places if waiting[place] not in player.seen]
    if not new:
        return next((place for place, pair in enumerate(waiting) if pair not in player.seen), None)
    if player.standing.phase == "trial":
        return max(new, key=lambda place: len(pairs[waiting[place]].human))
    return new[0]


def matrix(pairs: list[Pair]) -> np.ndarray:
    widest = max(len(pair.human) for pair in pairs)
    return np.array([pair.human + [np.nan] * (widest - len(pair.human)) for pair in pairs])


def report(name: str, pairs: list[Pair]) -> dict[str, float]:
    ratings = matrix(pairs)
    found = virtual_rater_agreement(ratings)
    right = float(np.mean(rounded_mean(ratings) == [pair.level for pair in pairs]))
    names = ("tau X-YZ", "tau Y-XZ", "tau Z-XY")
    figures = {label: tau.mean for label, tau in zip(names, found.tau, strict=True)}
    figures |= {"W": found.w.mean, "kappa": found.kappa.mean, "kappa 4=5": found.kappa_merged.mean}
    figures["consensus right"] = right
    count = int((~np.isnan(ratings)).sum())
    shown = "  ".join(f"{label} {100 * value:.1f}" for label, value in figures.items())
    print(f"{name:16} {count:,} ratings of {len(pairs):,} pairs: {shown}")
    return figures


def simulate(
    pairs: int, players: int, guessing: int, *, error: float, seed: int
) -> tuple[list[Pair], list[Player]]:
    """One game; returns the pairs with their ratings, and the players."""
    rng = np.random.default_rng(seed)
    made = make_pairs(pairs, error, rng)
    people = make_players(players, guessing, Ladder())
    play(made, people, rng, filtered=True)
    return made, people


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--pairs", type=int, default=10_000)
    parser.add_argument("--players", type=int, default=72)
    parser.add_argument("--guessing", type=int, default=18)
    parser.add_argument(
        "--error", type=float, default=0.5, help="standard deviation of the metric behind the cold start"
    )
    parser.add_argument("--seed", type=int, default=7)
    given = parser.parse_args()
    begun = time.perf_counter()
    pairs, people = simulate(given.pairs, given.players, given.guessing, error=given.error, seed=given.seed)
    took = time.perf_counter() - begun
    for name, chosen in (
        ("careful", [one for one in people if one.accuracy is not None]),
        ("guessing", [one for one in people if one.accuracy is None]),
    ):
        held = sum(one.standing.phase == "probation" for one in chosen)
        was = sum(one.standing.rounds > 0 for one in chosen)
        rated = sum(one.rated for one in chosen)
        print(
            f"{name:9} {len(chosen)} players, {was} ever on probation, {held} at the end, {rated:,} ratings"
        )
    print(f"played in {took:.1f} s")
    report("with the game", pairs)
    rng = np.random.default_rng(given.seed)
    plain = make_pairs(given.pairs, given.error, rng)
    play(plain, make_players(given.players, given.guessing, Ladder()), rng, filtered=False)
    report("without filters", plain)


if __name__ == "__main__":
    main()
