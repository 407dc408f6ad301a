"""Is the result known well enough? Means by system, with intervals that hold at every look."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from captious.campaigns.records import Campaign
from captious.campaigns.results.analysis import counting
from captious.campaigns.results.image_means import image_means
from captious.campaigns.store.database import Database
from captious.errors import InputError
from captious.stats import Sequential, sequential_mean


@dataclass(frozen=True)
class Rule:
    """Stop once every system's mean of `aspect` is known to within `half_width`; 0: only score.

    The error rate 1 - `level` is that of all systems together and of all looks: with k systems each
    interval has the level 1 - (1 - level) / k (Bonferroni).
    """

    aspect: str
    bounds: tuple[float, float]
    half_width: float
    level: float = 0.95

    def __post_init__(self) -> None:
        low, high = self.bounds
        if not 0 <= self.half_width < (high - low) / 2:
            raise InputError(
                f"half width: {self.half_width:g} is too large: {self.aspect} ranges from {low:g} to "
                f"{high:g}. Give less than {(high - low) / 2:g}."
            )


class Score(NamedTuple):
    """What is known of a system so far."""

    system: str
    found: Sequential


def rule_for(campaign: Campaign, half_width: float, *, level: float = 0.95, aspect: str = "") -> Rule:
    """The rule for a campaign: its protocol says which means it reports, and their range."""
    ranges = campaign.rules().ranges
    if not ranges:
        raise InputError(
            f"{campaign.protocol}: this protocol reports no mean of known range, so the half width "
            "does not apply. Leave it out: the study ends when all places are filled."
        )
    name = aspect or next(iter(ranges))
    if name not in ranges:
        raise InputError(f'aspect "{name}": {campaign.protocol} has {", ".join(ranges)}.')
    return Rule(name, ranges[name], half_width, level)


def scores(db: Database, campaign: Campaign, rule: Rule) -> list[Score]:
    """Every system's mean over the images that have all their answers, in the order of their completion."""
    items, responses = counting(db, campaign)
    found = image_means(campaign.rules(), items, responses, rule.aspect)
    level = 1 - (1 - rule.level) / max(1, len(found))
    return [
        Score(system, sequential_mean([one.value for one in means], bounds=rule.bounds, level=level))
        for system, means in found.items()
    ]


def enough(found: Iterable[Score], rule: Rule) -> bool:
    """Whether every system's interval is narrow enough."""
    known = list(found)
    return bool(known) and all(one.found.n and one.found.half_width <= rule.half_width for one in known)
