"""The first ratings of a pair: made by a metric, replaced one by one by human ratings.

Points need earlier ratings. The paper puts two computer-made ratings where there are none, from
VSE++ at first and from its own model later, and replaces them as human ratings come in (Scott et
al. 2023, 3.2). It does not say how a score becomes a rating: here by equal shares, or by a line.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from captious.errors import InputError
from captious.protocols.game.points import PAPER_SCALE, Scale

Mapping = Literal["shares", "line"]
COMPUTER_RATINGS = 2  # Scott et al. 2023, 3.2


def earlier_ratings(computer: Sequence[float], human: Sequence[float]) -> list[float]:
    """The ratings that a new one is compared with: each human rating replaces a computer's.

    >>> earlier_ratings([3, 4], []), earlier_ratings([3, 4], [1]), earlier_ratings([3, 4], [1, 2, 5])
    ([3, 4], [1, 4], [1, 2, 5])
    """
    return [*human, *computer[len(human) :]]


def ratings_from_scores(scores: ArrayLike, scale: Scale = PAPER_SCALE, by: Mapping = "shares") -> list[float]:
    """A metric's scores of all pairs as ratings of the scale.

    `shares` ranks the pairs and gives each level an equal share of them, whatever the metric's
    range; tied scores get one rating. `line` puts the lowest score at the lowest level and the
    highest score at the highest. Where all scores are equal, all ratings are the middle one.

    >>> ratings_from_scores([0.1, 0.2, 0.3, 0.4, 0.9])
    [1.0, 2.0, 3.0, 4.0, 5.0]
    >>> ratings_from_scores([0.1, 0.2, 0.3, 0.4, 0.9], by="line")
    [1.0, 2.0, 2.0, 3.0, 5.0]
    """
    values = np.asarray(scores, dtype=np.float64)
    if values.ndim != 1 or not np.isfinite(values).all():
        raise InputError("cold start: a score is missing or not a number. Score every pair with the metric.")
    if not len(values):
        return []
    lowest, highest = float(values.min()), float(values.max())
    levels = scale.levels
    if lowest == highest:
        return [scale.nearest((scale.low + scale.high) / 2)] * len(values)
    if by == "line":
        places = scale.low + (values - lowest) / (highest - lowest) * (scale.high - scale.low)
        return [scale.nearest(float(place)) for place in places]
    ordered = np.sort(values)
    # The middle of the ranks that equal scores share, from 0 to 1.
    first, last = np.searchsorted(ordered, values, "left"), np.searchsorted(ordered, values, "right")
    middle = (first + last) / (2 * len(values))
    return [levels[int(place)] for place in np.minimum(middle * len(levels), len(levels) - 1)]
