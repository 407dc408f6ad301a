"""Which systems a campaign has told apart, and about how many more responses the others need."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import ceil
from typing import Any

import numpy as np

from captious.campaigns.records import Campaign
from captious.campaigns.results.analysis import counting
from captious.campaigns.results.image_means import image_means
from captious.campaigns.store import snapshots
from captious.campaigns.store.database import Database
from captious.campaigns.store.snapshots import Content, Snapshot
from captious.protocols import HumanProtocol, Item, Response
from captious.stats.ratings import Floats
from captious.stats.separation import FEWEST, Pair, Separations, separations

SEPARATION = "separation"
LEVEL = 0.95


def told_apart(
    rules: HumanProtocol, items: Sequence[Item], responses: Sequence[Response], *, level: float = LEVEL
) -> dict[str, Separations]:
    """The systems by aspect; the error rate 1 - `level` is that of all aspects, pairs and looks."""
    found = {}
    for aspect, bounds in rules.ranges.items():
        systems, matrix = by_image(rules, items, responses, aspect)
        if len(systems) > 1:
            found[aspect] = separations(
                matrix, systems, bounds=bounds, level=level, looks_shared_with=len(rules.ranges)
            )
    return found


def by_image(
    rules: HumanProtocol, items: Sequence[Item], responses: Sequence[Response], aspect: str
) -> tuple[list[str], Floats]:
    """The systems, and their values in an aspect: a row an image, finished first; NaN where one has none."""
    means = image_means(rules, items, responses, aspect)
    ends: dict[str, float] = {}
    for own in means.values():
        for one in own:
            ends[one.image] = max(one.time, ends.get(one.image, one.time))
    images = sorted(ends, key=lambda image: ends[image])
    row_of = {image: at for at, image in enumerate(images)}
    matrix = np.full((len(images), len(means)), np.nan)
    for column, own in enumerate(means.values()):
        for one in own:
            matrix[row_of[one.image], column] = one.value
    return list(means), matrix


def separation(
    db: Database, campaign: Campaign, *, fresh_within: float = 10.0, wait: bool = True
) -> Snapshot:
    """What is told apart by aspect, kept with its time; `content["aspects"]`, `content["words"]`."""

    def compute() -> Content:
        rules = campaign.rules()
        items, responses = counting(db, campaign)
        found = told_apart(rules, items, responses)
        each = _responses_an_image(items)
        return {
            "level": LEVEL,
            "aspects": {aspect: _values(one, each) for aspect, one in found.items()},
            "words": all_in_words(found, each),
        }

    return snapshots.current(db, campaign, SEPARATION, compute, fresh_within=fresh_within, wait=wait)


def _responses_an_image(items: Sequence[Item]) -> float:
    """The responses that an image takes until it is finished, all systems and stages together."""
    asked: Counter[str] = Counter()
    for item in items:
        if item.counts and item.target:
            asked[item.image] += item.target
    return asked.total() / len(asked) if asked else 1.0


def _values(found: Separations, each: float) -> dict[str, Any]:
    means = dict(zip(found.order, (None if np.isnan(m) else m for m in found.means), strict=True))
    pairs = [
        pair._asdict()
        | {
            "difference": None if np.isnan(pair.difference) else pair.difference,
            "more_responses": None if pair.more is None else ceil(pair.more * each),
        }
        for pair in found.pairs
    ]
    return {"means": means, "pairs": pairs}


def needs_more(content: Mapping[str, Any]) -> bool:
    """Whether more images may separate a pair of systems that is not separated yet."""
    pairs = [pair for one in (content.get("aspects") or {}).values() for pair in one["pairs"]]
    return any(not pair["separated"] and (pair["more"] is not None or pair["n"] < FEWEST) for pair in pairs)


def all_in_words(found: Mapping[str, Separations], each: float) -> list[str]:
    """A sentence for each aspect that tells something; one for all where none does."""
    said = [line for aspect, one in found.items() for line in in_words(one, aspect, each)]
    if said or not found:
        return said
    most = max(pair.n for one in found.values() for pair in one.pairs)
    return [
        f"No two systems are separated yet: {_count(most)} finished for both, "
        f"and at least {FEWEST} are needed to estimate how many more it takes."
    ]


def _count(images: int) -> str:
    return f"{images:,} image is" if images == 1 else f"{images:,} images are"


def in_words(found: Separations, aspect: str, each: float = 1.0) -> list[str]:
    """The neighbours in the order of systems: who is separated, and what would separate the others.

    Nothing where no two are separated and nothing can be said of how far it is.

    >>> ab, bc = Pair("A", "B", 1.0, 60, True, None), Pair("B", "C", 0.2, 60, False, 20)
    >>> pairs = (ab, bc, Pair("A", "C", 1.2, 60, True, None))
    >>> found = Separations(("A", "B", "C"), (4.0, 3.0, 2.8), pairs, 0.95)
    >>> in_words(found, "precision", 2.0)
    ['precision: A and B are separated; B and C need about 40 more responses to separate.']
    """
    known = [pair for pair in found.neighbours if pair.n]
    apart = [_both(pair) for pair in known if pair.separated]
    said = [f"{_listed(apart)} are separated"] if apart else []
    said += [_ahead(pair, each) for pair in known if not pair.separated and pair.n >= FEWEST]
    few = [pair for pair in known if not pair.separated and pair.n < FEWEST]
    if said and few:
        said.append(f"too few images are finished to judge {_listed([_both(pair) for pair in few])}")
    return [f"{aspect}: {'; '.join(said)}."] if said else []


def _ahead(pair: Pair, each: float) -> str:
    if pair.more is not None:
        return f"{_both(pair)} need about {_round(pair.more * each):,} more responses to separate"
    return f"no separation in sight for {_both(pair)}"


def _both(pair: Pair) -> str:
    return f"{pair.better} and {pair.worse}"


def _round(count: float) -> int:
    """Two figures are all that such a number is worth."""
    size = int(10 ** max(0, len(str(ceil(count))) - 2))
    return ceil(count / size) * size


def _listed(names: Sequence[str]) -> str:
    return "; ".join(names) if len(names) < 2 else ", ".join(names[:-1]) + " as well as " + names[-1]
