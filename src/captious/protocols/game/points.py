"""Points for a rating: Algorithm 1 of Scott et al. (2023, section 3.2).

With x the rating, r the consensus of the earlier ratings, sigma^2 their variance and n their
number plus one:

    v = 1 + (1 / n) (1 + (n - 1) sigma^2 / V_max),   d = |x - r| / v

and the points are 2 for d < 0.25, 1 for d < 0.5, 0 for d < 1, -1 for d < 1.75, else -2.

What the paper leaves open, and what follows from it:
- sigma^2 divides by the number of ratings: only then is V_max = 4 the largest variance on 1 to 5.
- A mean of 2.5 is rounded up to 3, as in `stats.rounded_mean`.
- The first rating of all (n = 1) has no consensus to meet. It is worth 0 points.
- v is never above 2. On the paper's scale |x - r| is a whole number, so d is 0 or at least 0.5,
  and one point is never given. It is on scales with half steps.

The arithmetic is exact: at n = 7 without variance, a rating that is 2 off has d = 1.75 and not
a little less.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from captious.errors import InputError


@dataclass(frozen=True)
class Scale:
    """The ratings that may be given: from `low` to `high` in steps of `step`.

    >>> Scale().nearest(2.5), Scale(step=0.5).nearest(2.3), Scale().largest_variance
    (3.0, 2.5, Fraction(4, 1))
    """

    low: float = 1  # Scott et al. 2023, Table 2
    high: float = 5
    step: float = 1

    def __post_init__(self) -> None:
        if not (self.low < self.high and 0 < self.step <= self.high - self.low):
            raise InputError(
                f"scale from {self.low:g} to {self.high:g} by {self.step:g}: "
                "give a lowest rating below the highest, and a step between them."
            )

    @property
    def levels(self) -> tuple[float, ...]:
        """Every rating of the scale, lowest first."""
        steps = int((_exact(self.high) - _exact(self.low)) / _exact(self.step))
        return tuple(float(_exact(self.low) + place * _exact(self.step)) for place in range(steps + 1))

    @property
    def largest_variance(self) -> Fraction:
        """V_max: the variance of ratings of which half are the lowest and half the highest."""
        return ((_exact(self.high) - _exact(self.low)) / 2) ** 2

    def nearest(self, value: float | Fraction) -> float:
        """The rating of the scale that is nearest; half-way, the higher one."""
        low, step = _exact(self.low), _exact(self.step)
        steps = (_exact(value) - low) / step + Fraction(1, 2)
        return float(min(_exact(self.high), max(low, low + step * (steps.numerator // steps.denominator))))


@dataclass(frozen=True)
class PointTable:
    """Points by distance: `points[i]` below `bounds[i]`, the last of `points` from there on."""

    bounds: tuple[float, ...] = (0.25, 0.5, 1.0, 1.75)  # Scott et al. 2023, Algorithm 1
    points: tuple[int, ...] = (2, 1, 0, -1, -2)

    def __post_init__(self) -> None:
        if len(self.points) != len(self.bounds) + 1 or sorted(set(self.bounds)) != list(self.bounds):
            raise InputError("point table: give rising bounds, and one more number of points than bounds.")

    def of(self, distance: Fraction) -> int:
        """Points for a distance."""
        below = zip(self.bounds, self.points, strict=False)
        return next((points for bound, points in below if distance < _exact(bound)), self.points[-1])

    @property
    def most(self) -> int:
        """The most that one rating is worth."""
        return max(self.points)


class Scored(NamedTuple):
    """What a rating was worth and why; `consensus` and `distance` are None for a first rating."""

    points: int
    consensus: float | None
    n: int
    variance: float
    distance: float | None


PAPER_SCALE = Scale()
PAPER_POINTS = PointTable()


def consensus(previous: Sequence[float], scale: Scale = PAPER_SCALE) -> float | None:
    """The rounded mean of the earlier ratings; None where there is none.

    >>> consensus([2, 3]), consensus([1, 2, 2]), consensus([])
    (3.0, 2.0, None)
    """
    if not previous:
        return None
    return scale.nearest(sum(map(_exact, previous), Fraction()) / len(previous))


def score(
    rating: float, previous: Sequence[float], *, scale: Scale = PAPER_SCALE, table: PointTable = PAPER_POINTS
) -> Scored:
    """Points for a rating, given the earlier ratings of the pair (Algorithm 1).

    >>> score(4, [4, 4])
    Scored(points=2, consensus=4.0, n=3, variance=0.0, distance=0.0)
    >>> score(2, [4, 4])  # v = 4/3, d = 3/2
    Scored(points=-1, consensus=4.0, n=3, variance=0.0, distance=1.5)
    """
    n = len(previous) + 1
    met = consensus(previous, scale)
    if met is None:
        return Scored(0, None, n, 0.0, None)
    variance = _variance(previous)
    v = 1 + Fraction(1, n) * (1 + (n - 1) * variance / scale.largest_variance)
    distance = abs(_exact(rating) - _exact(met)) / v
    return Scored(table.of(distance), met, n, float(variance), float(distance))


def _variance(ratings: Sequence[float]) -> Fraction:
    values = [_exact(rating) for rating in ratings]
    mean = sum(values, Fraction()) / len(values)
    return sum(((value - mean) ** 2 for value in values), Fraction()) / len(values)


def _exact(value: float | Fraction) -> Fraction:
    """The number as it is written: 0.1 is a tenth."""
    return value if isinstance(value, Fraction) else Fraction(repr(value))
