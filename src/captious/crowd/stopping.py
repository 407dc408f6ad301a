"""Is the result known well enough? Means by system, with intervals that hold at every look."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from captious.campaigns.records import Campaign
from captious.campaigns.results.analysis import counting
from captious.campaigns.store.database import Database
from captious.errors import InputError
from captious.protocols import Item
from captious.protocols.base import Row
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
                f"half width: {self.half_width:g} is of no use where {self.aspect} goes from {low:g} to "
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
            f"{campaign.protocol}: it reports no mean of known range, so there is nothing to stop at. "
            "Leave out the half width: the study ends when all places are filled."
        )
    name = aspect or next(iter(ranges))
    if name not in ranges:
        raise InputError(f'aspect "{name}": {campaign.protocol} has {", ".join(ranges)}.')
    return Rule(name, ranges[name], half_width, level)


def scores(db: Database, campaign: Campaign, rule: Rule) -> list[Score]:
    """Every system's mean over the images that have all their answers, in the order of their completion."""
    rules = campaign.rules()
    items, responses = counting(db, campaign)
    wanted = _wanted(items)
    by_system: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for (system, image), rows in _grouped(rules.rows(items, responses), rule.aspect).items():
        if len(rows) >= wanted.get((system, image), 1):
            mean = sum(row.value for row in rows) / len(rows)
            by_system[system].append((max(row.time for row in rows), mean))
    level = 1 - (1 - rule.level) / max(1, len(_systems(items)))
    return [
        Score(system, sequential_mean(_ordered(by_system[system]), bounds=rule.bounds, level=level))
        for system in _systems(items)
    ]


def enough(found: Iterable[Score], rule: Rule) -> bool:
    """Whether every system's interval is narrow enough."""
    known = list(found)
    return bool(known) and all(one.found.n and one.found.half_width <= rule.half_width for one in known)


def _systems(items: Sequence[Item]) -> list[str]:
    """What is judged: the candidates of items that count."""
    found = dict.fromkeys(name for item in items if item.counts for name in _judged(item))
    return list(found)


def _judged(item: Item) -> list[str]:
    if item.balance:
        return [item.balance]
    return [name for names in item.sources.values() for name in names]


def _wanted(items: Sequence[Item]) -> dict[tuple[str, str], int]:
    found: dict[tuple[str, str], int] = {}
    for item in items:
        if item.counts:
            for system in _judged(item):
                found[system, item.image] = found.get((system, item.image), 0) + item.target
    return found


def _grouped(rows: Iterable[Row], aspect: str) -> dict[tuple[str, str], list[Row]]:
    found: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in rows:
        if row.aspect == aspect:
            found[row.system, row.image].append(row)
    return found


def _ordered(values: list[tuple[float, float]]) -> list[float]:
    return [value for _, value in sorted(values, key=lambda pair: pair[0])]
