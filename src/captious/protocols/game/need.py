"""How many ratings a pair should have: 4 to 7, more where the consensus is not settled.

Scott et al. (2023, 3.3) collected 4 to 7 ratings a pair and do not say when a pair got more than
four. Here it does while one more rating, equal to one of those it has, would change its consensus.
"""

from __future__ import annotations

from collections.abc import Sequence

from captious.protocols.game.points import PAPER_SCALE, Scale, consensus

LEAST_RATINGS = 4  # Scott et al. 2023, 3.3
MOST_RATINGS = 7


def settled(ratings: Sequence[float], scale: Scale = PAPER_SCALE) -> bool:
    """Whether one more rating, equal to one of these, would leave the consensus as it is.

    >>> settled([4, 4, 4, 5]), settled([4, 4, 5, 5])  # 4.25 -> 4.4; 4.5 -> 4.4 changes 5 to 4
    (True, False)
    """
    now = consensus(ratings, scale)
    return all(consensus([*ratings, more], scale) == now for more in set(ratings))


def wanted_ratings(
    ratings: Sequence[float],
    scale: Scale = PAPER_SCALE,
    *,
    least: int = LEAST_RATINGS,
    most: int = MOST_RATINGS,
) -> int:
    """How many ratings the pair should have, given those it has.

    >>> wanted_ratings([]), wanted_ratings([4, 4, 4, 5]), wanted_ratings([4, 4, 5, 5])
    (4, 4, 5)
    """
    if len(ratings) < least:
        return least
    return len(ratings) if len(ratings) >= most or settled(ratings, scale) else len(ratings) + 1
