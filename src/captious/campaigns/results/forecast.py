"""How long the rest takes, at the pace of those who can still give it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

# A gap of this many seconds between responses is a night or a break, not work.
BREAK = 3600.0


class Worker(NamedTuple):
    """A rater who can still work: answers an hour (None: not known) and room for so many."""

    per_hour: float | None
    room: int


def per_hour(times: Sequence[float]) -> float | None:
    """Responses an hour of work, breaks left out; None where too few tell.

    >>> per_hour([0.0, 60.0, 120.0, 90000.0, 90060.0])
    60.0
    """
    gaps = [after - before for before, after in pairwise(times)]
    worked = [gap for gap in gaps if gap <= BREAK]
    if len(worked) < 2 or not sum(worked):
        return None
    return 3600 * len(worked) / sum(worked)


def hours_left(missing: int, workers: Sequence[Worker]) -> float | None:
    """Hours until `missing` answers are there, all workers at work at once; None where unknown.

    Whoever has no room any more stops: the t at which sum(min(room, pace * t)) = missing. One whose
    pace is not known yet is taken to work at the median of the others.

    >>> hours_left(30, [Worker(10.0, 10), Worker(10.0, 100)])  # both for an hour, then one alone
    2.0
    >>> hours_left(30, [Worker(None, 100)]) is None
    True
    """
    if missing <= 0:
        return 0.0
    known = [one.per_hour for one in workers if one.per_hour and one.room > 0]
    if not known or sum(one.room for one in workers) < missing:
        return None
    usual = float(np.median(known))
    paces = sorted(((one.per_hour or usual, one.room) for one in workers), key=lambda one: one[1] / one[0])
    passed, given = 0.0, 0.0
    for at, (pace, room) in enumerate(paces):
        together = sum(one for one, _ in paces[at:])
        ends = room / pace
        if given + together * (ends - passed) >= missing:
            return passed + (missing - given) / together
        given += together * (ends - passed)
        passed = ends
    return passed
