"""What a finished study found: which systems differ, by how much, and how sure that is.

Each pair of systems is compared on the images that both have, by the mean answer of an image. The
fixed-sample interval and p-value are for a study whose number of images was set beforehand, and is
reached. The always-valid interval is that of `separation`: it holds however often somebody looked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Final, NamedTuple

import numpy as np

from captious.campaigns.records import Campaign
from captious.campaigns.results.analysis import counting
from captious.campaigns.results.separation import LEVEL, by_image
from captious.campaigns.store import snapshots
from captious.campaigns.store.database import Database
from captious.campaigns.store.snapshots import Content, Snapshot
from captious.protocols import HumanProtocol, Item, Response
from captious.stats import approximate_randomisation, bootstrap_interval, confidence_sequence, holm
from captious.tables import Chart, Table, p_value
from captious.tables.values import to_dict

FOUND: Final = "found"
# With fewer images a randomisation test cannot say anything: 2 / 2^5 is more than 0.05.
FEWEST = 6
# With more systems each is compared with the best one only.
MOST_SYSTEMS = 8
MOST_SAID = 6
COLUMNS = (
    "aspect",
    "systems",
    "difference",
    "low",
    "high",
    "p",
    "p (Holm)",
    "images",
    "always-valid low",
    "always-valid high",
)
FIXED = (
    "Fixed sample: difference is the first system's mean less the second's, on the images that both have; "
    "low to high is the 95% interval by bootstrap over images, p is of a randomisation test over images, and "
    "p (Holm) is adjusted for all rows. They hold for a study that ends at the planned number of images."
)
ALWAYS = (
    "Always valid: a 95% confidence sequence, for all rows together, that holds however often somebody "
    "looked before the end; where someone could have stopped early, it is the one to report."
)
HOW = "Differences with 95% intervals over images; an interval that leaves out 0 tells the two systems apart."


class Difference(NamedTuple):
    """The better of two systems less the other, over `images` that both have."""

    aspect: str
    better: str
    worse: str
    value: float
    low: float
    high: float
    p: float
    p_holm: float
    images: int
    always_low: float
    always_high: float


def differences(
    rules: HumanProtocol, items: Sequence[Item], responses: Sequence[Response]
) -> list[Difference]:
    """Every pair of systems in every aspect of the protocol, with p-values adjusted for all of them."""
    found: list[Difference] = []
    for aspect, (low, high) in rules.ranges.items():
        systems, matrix = by_image(rules, items, responses, aspect)
        pairs = _pairs(matrix)
        level = 1 - (1 - LEVEL) / max(1, len(pairs) * len(rules.ranges))
        for a, b in pairs:
            own = matrix[~np.isnan(matrix[:, [a, b]]).any(axis=1)][:, [a, b]]
            if len(own) >= FEWEST:
                named = (aspect, systems[a], systems[b])
                found.append(_difference(named, own, (low - high, high - low), level))
    if not found:
        return []
    adjusted = holm([one.p for one in found])
    return [one._replace(p_holm=float(p)) for one, p in zip(found, adjusted, strict=True)]


def _pairs(matrix: np.ndarray) -> list[tuple[int, int]]:
    """Pairs of columns, the one with the higher mean first."""
    with np.errstate(invalid="ignore"):
        present = ~np.isnan(matrix)
        means = np.where(present, matrix, 0.0).sum(axis=0) / present.sum(axis=0)
    order = sorted(range(matrix.shape[1]), key=lambda at: (np.isnan(means[at]), -means[at]))
    if len(order) > MOST_SYSTEMS:
        return [(order[0], other) for other in order[1:]]
    return list(combinations(order, 2))


def _difference(
    named: tuple[str, str, str], own: np.ndarray, bounds: tuple[float, float], level: float
) -> Difference:
    gain = own[:, 0] - own[:, 1]
    n = len(gain)
    if gain.mean() < 0:  # on the images that both have, the other one is ahead
        return _difference((named[0], named[2], named[1]), own[:, ::-1], bounds, level)
    test = approximate_randomisation(own[:, 0], own[:, 1], lambda sums: sums[..., 0] / n)
    interval = bootstrap_interval(np.stack([gain, np.ones(n)], axis=1), lambda s: s[..., 0] / s[..., 1])
    below, above = confidence_sequence(gain, bounds=bounds, level=level)
    always = float(below[-1]), float(above[-1])
    return Difference(
        *named, float(gain.mean()), interval.low, interval.high, test.p_value, test.p_value, n, *always
    )


def table_of(found: Sequence[Difference]) -> Table:
    """The differences as a table to hand in."""
    rows = tuple(
        (
            one.aspect,
            f"{one.better} − {one.worse}",
            one.value,
            one.low,
            one.high,
            p_value(one.p).text,
            p_value(one.p_holm).text,
            one.images,
            one.always_low,
            one.always_high,
        )
        for one in found
    )
    chart = Chart("intervals", "difference", "systems", panel="aspect", how=HOW)
    return Table("Differences between systems", COLUMNS, rows, f"{FIXED}\n{ALWAYS}", chart=chart)


def told(found: Sequence[Difference]) -> list[str]:
    """A sentence for each difference that is told apart, largest first; then the others in one.

    >>> told([Difference("precision", "a", "b", 1.45, 0.8, 2.15, 0.0006, 0.0012, 20, -0.1, 2.9)])
    ['a is ahead of b in precision by 1.45 [0.80, 2.15], p <0.001 (Holm 0.001), 20 images.']
    """
    clear = [one for one in found if one.p_holm <= 1 - LEVEL]
    lines = [_sentence(one) for one in sorted(clear, key=lambda one: one.p_holm)[:MOST_SAID]]
    if len(clear) > MOST_SAID:
        lines.append(f"{len(clear) - MOST_SAID} more differences are in the table.")
    open_ = [one for one in found if one.p_holm > 1 - LEVEL]
    if open_:
        pairs = [
            f"{one.better} and {one.worse} in {_plain(one.aspect)} ({_estimate(one)}, "
            f"Holm {p_value(one.p_holm).text})"
            for one in open_
        ]
        rest = f" and {len(pairs) - MOST_SAID} more" if len(pairs) > MOST_SAID else ""
        lines.append(f"Not told apart: {', '.join(pairs[:MOST_SAID])}{rest}. More images may.")
    return lines


def _sentence(one: Difference) -> str:
    return (
        f"{one.better} is ahead of {one.worse} in {_plain(one.aspect)} by {_estimate(one)} "
        f"(Holm {p_value(one.p_holm).text}), {one.images:,} images."
    )


def _estimate(one: Difference) -> str:
    p = p_value(one.p).text
    return f"{one.value:.2f} [{one.low:.2f}, {one.high:.2f}], p {'' if p.startswith('<') else '= '}{p}"


def _plain(aspect: str) -> str:
    return aspect.replace("_", " ")


def found(db: Database, campaign: Campaign, *, fresh_within: float = 10.0, wait: bool = True) -> Snapshot:
    """The differences of a campaign, kept with their time; `content["told"]` says them."""

    def compute() -> Content:
        items, responses = counting(db, campaign)
        compared = differences(campaign.rules(), items, responses)
        tables = [to_dict(table_of(compared))] if compared else []
        return {"tables": tables, "told": told(compared), "responses": len(responses)}

    return snapshots.current(db, campaign, FOUND, compute, fresh_within=fresh_within, wait=wait)


def lines_of(content: Mapping[str, object]) -> list[str]:
    """The sentences of kept differences."""
    kept = content.get("told")
    return [str(one) for one in kept] if isinstance(kept, list) else []
