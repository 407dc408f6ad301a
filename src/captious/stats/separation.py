"""Which systems differ so far, and roughly how much more data the other pairs need.

Two systems are compared on the images that have both, by the confidence sequence of the difference:
they are separated once it excludes 0. All pairs and all looks share one error rate (Bonferroni
over pairs, Ville's inequality over looks), so you may look after every answer and stop.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from captious.errors import StatisticsError
from captious.stats.ratings import Floats
from captious.stats.resample import DEFAULT_SEED, Seed, generator, require_level
from captious.stats.sequential import left_out_after

# Fewer differences than these say too little about how the next ones will fall.
FEWEST = 10
STUDIES = 50
FARTHEST = 20_000


class Pair(NamedTuple):
    """Two systems, the better first: the mean difference over `n` images, and whether it is real.

    `more` images would separate half of the studies that continue like this one; None if that cannot
    be estimated.
    """

    better: str
    worse: str
    difference: float
    n: int
    separated: bool
    more: int | None


class Separations(NamedTuple):
    """Systems by their mean, best first, and each pair; `level` holds for all pairs and looks."""

    order: tuple[str, ...]
    means: tuple[float, ...]
    pairs: tuple[Pair, ...]
    level: float

    def between(self, better: str, worse: str) -> Pair:
        """The pair of two systems, in either order."""
        return next(pair for pair in self.pairs if {pair.better, pair.worse} == {better, worse})

    @property
    def neighbours(self) -> tuple[Pair, ...]:
        """Each system with the next in the order."""
        return tuple(self.between(a, b) for a, b in zip(self.order, self.order[1:], strict=False))


def separations(
    values: ArrayLike,
    systems: Sequence[str],
    *,
    bounds: tuple[float, float],
    level: float = 0.95,
    looks_shared_with: int = 1,
    seed: Seed = DEFAULT_SEED,
) -> Separations:
    """Compare every pair of systems: rows are images in the order in which they were finished, NaN missing.

    `looks_shared_with` results of one study (its aspects) share the error rate too.

    >>> good, bad = [5.0, 4.0] * 30, [2.0, 3.0] * 30
    >>> found = separations(np.transpose([bad, good]), ["bad", "good"], bounds=(1, 5))
    >>> found.order, found.pairs[0].separated
    (('good', 'bad'), True)
    """
    matrix = np.asarray(values, dtype=np.float64).reshape(-1, len(systems))
    require_level(level)
    if len(set(systems)) != len(systems):
        raise StatisticsError("systems: a name occurs twice. Give each system once.")
    low, high = bounds
    width = high - low
    count = max(1, len(systems) * (len(systems) - 1) // 2) * looks_shared_with
    each = 1 - (1 - level) / count
    present = ~np.isnan(matrix)
    counts = present.sum(axis=0)
    sums = np.where(present, matrix, 0.0).sum(axis=0)
    means = np.divide(sums, counts, out=np.full(len(systems), -np.inf), where=counts > 0)
    order = sorted(range(len(systems)), key=lambda at: (-means[at], systems[at]))
    place = {at: rank for rank, at in enumerate(order)}
    rng = generator(seed)
    pairs = []
    for a, b in combinations(order, 2):
        both = matrix[~np.isnan(matrix[:, [a, b]]).any(axis=1)]
        differences = both[:, a] - both[:, b]
        out = bool(left_out_after(differences, 0.0, bounds=(-width, width), level=each)[0])
        near = place[b] == place[a] + 1
        more = None if out or not near else _more(differences, width, each, rng)
        mean = float(differences.mean()) if len(differences) else float("nan")
        pairs.append(Pair(systems[a], systems[b], mean, len(differences), out, more))
    named = tuple(systems[at] for at in order)
    shown = tuple(float(means[at]) if counts[at] else float("nan") for at in order)
    return Separations(named, shown, tuple(pairs), level)


def _more(differences: Floats, width: float, level: float, rng: np.random.Generator) -> int | None:
    """How many more differences like these separate half of the studies."""
    n = len(differences)
    if n < FEWEST or not differences.any():
        return None
    ahead = min(500, FARTHEST)
    while ahead <= FARTHEST:
        drawn = rng.choice(differences, (STUDIES, ahead))
        rows = np.concatenate([np.broadcast_to(differences, (STUDIES, n)), drawn], axis=1)
        found = left_out_after(rows, 0.0, bounds=(-width, width), level=level)
        if (found > 0).mean() > 0.5:
            ends = np.where(found > 0, found, np.iinfo(np.int64).max)
            return int(np.sort(ends)[STUDIES // 2]) - n
        ahead *= 3
    return None
