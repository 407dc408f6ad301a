"""How much work a campaign asks for, and what it comes to in hours and pay."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import ceil
from typing import NamedTuple

from captious.protocols.base import HumanProtocol, Item
from captious.protocols.humanr import Humanr
from captious.protocols.humanr_analysis import SECONDS_PER_COMPARISON
from captious.protocols.tagging import Tagging
from captious.protocols.thumb import Thumb


class Work(NamedTuple):
    """Responses that raters will be asked for: in the first stage, in later ones, and checks."""

    first: int
    later: int
    checks: int

    @property
    def responses(self) -> int:
        """All of them: each is somebody's time."""
        return self.first + self.later + self.checks


class Cost(NamedTuple):
    """What work comes to at a pace and a wage."""

    seconds_each: float
    hours: float
    wage: float
    pay: float


def work(rules: HumanProtocol, items: Sequence[Item]) -> Work:
    """Count the responses that items call for, later stages and planted checks too."""
    first = sum(item.target for item in items if not item.check)
    later = checks = 0
    if (isinstance(rules, Thumb) and rules.two_stages) or (isinstance(rules, Tagging) and rules.two_rounds):
        later = first
    elif isinstance(rules, Humanr):
        checks = ceil(first / (rules.group_size - 1))
    return Work(first, later, checks)


def cost(asked: Work, seconds_each: float, wage: float) -> Cost:
    """Hours and pay of some work.

    >>> cost(Work(90, 0, 10), 6.0, 15.0)
    Cost(seconds_each=6.0, hours=0.16666666666666666, wage=15.0, pay=2.5)
    """
    hours = asked.responses * seconds_each / 3600
    return Cost(seconds_each, hours, wage, hours * wage)


def usual_seconds(protocol: str) -> float | None:
    """The pace that a protocol's paper states, None where it states none."""
    return SECONDS_PER_COMPARISON if protocol == Humanr.name else None


def by_stage_and_kind(items: Sequence[Item]) -> list[tuple[str, int]]:
    """How many items there are of each stage and balance label, the commonest first."""
    counts = Counter(item.balance or item.stage for item in items)
    return counts.most_common()
