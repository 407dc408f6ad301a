"""Each system's value for each image that has all its answers, in the order in which it got them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from captious.protocols import HumanProtocol, Item, Response
from captious.protocols.base import ADJUDICATION, Row


class ImageMean(NamedTuple):
    """The mean of an image's answers about a system, and when the last of them came."""

    image: str
    value: float
    time: float


def image_means(
    rules: HumanProtocol, items: Sequence[Item], responses: Sequence[Response], aspect: str
) -> dict[str, list[ImageMean]]:
    """The images of each system that is judged, finished first; a system without one has none.

    An image whose answers are not all there would be known by its fastest raters only.
    """
    finished = _finished(items, responses)
    rows: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in rules.final_rows(items, responses):
        if row.aspect == aspect:
            rows[row.system, row.image].append(row)
    found: dict[str, list[ImageMean]] = {system: [] for system in judged_systems(items)}
    for (system, image), own in rows.items():
        if finished.get((system, image)):
            mean = sum(row.value for row in own) / len(own)
            found.setdefault(system, []).append(ImageMean(image, mean, max(row.time for row in own)))
    return {system: sorted(means, key=lambda one: one.time) for system, means in found.items()}


def judged_systems(items: Sequence[Item]) -> list[str]:
    """What is judged: the candidates of items that count."""
    named = (name for item in items if _counts(item) for name in _judged(item))
    return list(dict.fromkeys(named))


def asked_of_systems(items: Sequence[Item]) -> dict[tuple[str, str], int]:
    """The answers that items ask about each system and image."""
    found: Counter[tuple[str, str]] = Counter()
    for item in items:
        if _counts(item):
            found.update({(system, item.image): item.target for system in _judged(item)})
    return dict(found)


def _counts(item: Item) -> bool:
    return item.counts and item.stage != ADJUDICATION


def _judged(item: Item) -> list[str]:
    if item.balance:
        return [item.balance]
    return [name for names in item.sources.values() for name in names]


def _finished(items: Sequence[Item], responses: Sequence[Response]) -> dict[tuple[str, str], bool]:
    """Whether every item that asks about a system and an image has its answers, or a decision."""
    given = Counter(one.item for one in responses)
    settled = {(item.image, item.captions) for item in items if item.stage == ADJUDICATION}
    found: dict[tuple[str, str], bool] = {}
    for item in items:
        if _counts(item):
            done = given[item.key] >= item.target or (item.image, item.captions) in settled
            for system in _judged(item):
                found[system, item.image] = found.get((system, item.image), True) and done
    return found
