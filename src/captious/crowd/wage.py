"""What participants earn in an hour, measured, and what would bring them to the minimum."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import NamedTuple

from captious.campaigns.store.database import Database
from captious.crowd import journal, visits
from captious.crowd.money import nearest
from captious.crowd.studies import Stored
from captious.crowd.values import Study

HOUR = 3600.0


class Wage(NamedTuple):
    """Pay in minor units. `bonus` for each completed place would bring the median to the minimum."""

    completed: int
    median_seconds: float | None
    hourly: int | None
    minimum: int
    bonus: int

    @property
    def below(self) -> bool:
        """Whether the median participant earns less than the minimum."""
        return self.hourly is not None and self.hourly < self.minimum


def measure(study: Study, seconds: Sequence[float], bonuses: int = 0) -> Wage:
    """The hourly pay of the median participant.

    pay of a place = reward + bonuses so far / completed places; hourly = pay / median time; the
    bonus suggested is minimum * median time - pay, rounded up to a whole unit.

    >>> plan = Study("k", "dogs", "Dogs", "", "", 3, 10, 150, "USD", 6.0)
    >>> measure(plan, [300, 480, 900])  # 150 in 8 minutes: 1125 an hour; 8 minutes at 1500: 200
    Wage(completed=3, median_seconds=480, hourly=1125, minimum=1500, bonus=50)
    """
    if not seconds:
        return Wage(0, None, None, study.minimum_wage, 0)
    middle = median(seconds)
    pay = study.reward + bonuses / len(seconds)
    due = study.minimum_wage * middle / HOUR
    hourly = nearest(pay * HOUR / middle) if middle else None
    return Wage(len(seconds), middle, hourly, study.minimum_wage, max(0, _up(due - pay)))


def _up(units: float) -> int:
    """The next whole unit, where a float's last digits are no reason to add one."""
    return -int(-round(units, 6) // 1)


def of_study(db: Database, stored: Stored) -> Wage:
    """The wage measured in a study so far: of the places that are paid, before that of all completed."""
    everyone = visits.of_study(db, stored.id)
    paid_for = [one for one in everyone if one.state == "approved"]
    seconds = [one.seconds for one in paid_for or everyone]
    paid = sum(
        int(call.request.get("bonus", 0))
        for call in journal.calls(db, stored.id, action="bonus", state="done")
    )
    return measure(stored.study, [one for one in seconds if one is not None], paid)
