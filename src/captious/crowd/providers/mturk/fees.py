"""What Mechanical Turk charges on top of a reward, in cents.

20% of every reward and bonus; 20% more for HITs with ten or more assignments; 5% more where only
Masters may work; at least one cent an assignment; half a cent is rounded up (the price list of
Mechanical Turk). Several HITs of nine assignments stay below the step at ten.
"""

from __future__ import annotations

FEE = 20
STEP_FEE = 20
STEP = 10
MASTERS_FEE = 5
LEAST_FEE = 1


def fee(reward: int, assignments: int, *, masters: bool = False) -> int:
    """The fee in cents of one assignment of a HIT that has so many of them.

    >>> fee(25, 9), fee(25, 10), fee(25, 9, masters=True), fee(2, 9)  # 5.00, 10.00, 6.25, 0.40 cents
    (5, 10, 6, 1)
    """
    percent = FEE + (STEP_FEE if assignments >= STEP else 0) + (MASTERS_FEE if masters else 0)
    return _share(reward, percent)


def bonus_fee(amount: int) -> int:
    """The fee in cents of a bonus: 20%, without steps.

    >>> bonus_fee(100), bonus_fee(13)  # 2.6 cents become 3
    (20, 3)
    """
    return _share(amount, FEE)


def in_hits(places: int) -> list[int]:
    """The assignments of each HIT, so that none reaches the step.

    >>> in_hits(20), in_hits(9), in_hits(0)
    ([9, 9, 2], [9], [])
    """
    most = STEP - 1
    return [min(most, places - at) for at in range(0, places, most)]


def _share(amount: int, percent: int) -> int:
    return max(LEAST_FEE, (2 * amount * percent + 100) // 200)
