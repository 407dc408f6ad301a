"""When the work is done: how many raters it needs, and how long they take. Pure counting.

Work comes in units: items, or images where nobody meets an image twice. A rater answers a unit once
at most, so a unit that lacks k answers needs k raters who may still be given it; and all raters
together must have room for all that is missing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil
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


@dataclass(frozen=True)
class Unit:
    """What an item or image lacks, and how many raters who can work may still be given it.

    `closed_list`: only named raters may, so that a new one is of no help.
    """

    missing: int
    free: int
    closed_list: bool = False


@dataclass(frozen=True)
class Reach:
    """What can be reached.

    `more_raters` finish the work together with those who are there; `orphaned` answers only raters
    who are gone could give. `reachable` of the `missing` answers are within reach today.
    """

    missing: int
    reachable: int
    more_raters: int
    orphaned: int

    @property
    def can_finish(self) -> bool:
        """Whether the raters there are can give every answer that is missing."""
        return self.more_raters == 0 and self.orphaned == 0


def reach(
    units: Sequence[Unit], capacities: Sequence[int], *, of_new: int, at_least: int = 0, able: int = 0
) -> Reach:
    """How far raters come who have room for `capacities` answers, and how many more are needed.

    A new rater has room for `of_new` answers. A protocol whose later stages need `at_least`
    raters cannot be finished by fewer than that, of whom `able` are there.

    >>> reach([Unit(2, 1)] * 10, [9], of_new=9)  # 20 answers; 9 + 9 are too few, 9 + 9 + 9 enough
    Reach(missing=20, reachable=9, more_raters=2, orphaned=0)
    """
    missing = sum(unit.missing for unit in units)
    orphaned = sum(max(0, unit.missing - unit.free) for unit in units if unit.closed_list)
    open_units = [unit for unit in units if not unit.closed_list]
    alone = sum(min(unit.missing, unit.free) for unit in units)
    room = sum(capacities)
    short = missing - orphaned - room
    for_room = ceil(short / of_new) if short > 0 and of_new > 0 else 0
    for_units = max((unit.missing - unit.free for unit in open_units), default=0)
    more = max(0, for_room, for_units, at_least - able)
    return Reach(missing, min(alone, room), more, orphaned)
