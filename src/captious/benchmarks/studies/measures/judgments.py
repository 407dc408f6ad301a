"""What judgments alone say: means by system and their intervals, best and worst, single captions, counts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from captious.benchmarks.protocol import RatedExamples
from captious.benchmarks.rater_agreement.aggregated import group_means
from captious.benchmarks.selection.parts import systems_of
from captious.benchmarks.studies.asked import Asked, Cells, Measured, measure
from captious.corpus.readers import read_rows
from captious.errors import InputError
from captious.stats.ranking import best_and_worst
from captious.stats.resample import bootstrap_interval

# More draws than is usual, so that the second decimal of an interval's end does not waver.
DRAWS = 10_000


def aspects_of(asked: Asked, data: RatedExamples, named: Sequence[str]) -> list[str]:
    """The table's aspects that the judgments have; where they have none, all of your own ones."""
    own = data.judgments.aspects
    found = [aspect for aspect in named if aspect in own]
    if found:
        asked.lacking |= {name: f"the data have no aspect {name}" for name in named if name not in own}
        return found
    return list(own if asked.is_own else named)


def _need(data: RatedExamples, aspects: str) -> None:
    lacking = [aspect for aspect in aspects.split() if aspect not in data.judgments.aspects]
    if lacking:
        raise InputError(f"there is no aspect {' or '.join(lacking)}.")


@measure("mean")
def mean(asked: Asked, taken_off: str = "", needs: str = "") -> Cells:
    """The mean judgment of each system's captions; penalties, `taken_off`, are printed without sign."""
    data = asked.examples()
    _need(data, needs)
    found: Cells = {}
    for aspect in aspects_of(asked, data, asked.table.columns):
        values = data.judgments.means(aspect)
        for system in data.corpus.systems:
            value = float(np.nanmean(values[data.corpus.rows_of(system)]))
            found[system, aspect] = Measured(abs(value) if aspect in taken_off.split() else value)
    return found


@measure("interval")
def interval(asked: Asked, aspect: str = "total", level: float = 0.90) -> Cells:
    """How far below and above a system's mean the ends of its bootstrap interval are."""
    data = asked.examples()
    _need(data, aspect)
    values = data.judgments.means(aspect)
    found: Cells = {}
    for system in data.corpus.systems:
        own = values[data.corpus.rows_of(system)]
        own = own[~np.isnan(own)]
        ends = bootstrap_interval(
            np.stack([own, np.ones_like(own)], axis=1),
            lambda sums: sums[..., 0] / sums[..., 1],
            resamples=DRAWS,
            level=level,
        )
        found[system, "below"] = Measured(ends.value - ends.low)
        found[system, "above"] = Measured(ends.high - ends.value)
    return found


@measure("best and worst")
def best_worst(asked: Asked, aspects: str = "precision recall") -> Cells:
    """On how many images a system is best, and worst, in all aspects at once."""
    data = asked.examples()
    _need(data, aspects)
    systems, images = data.corpus.systems, data.corpus.image_of
    rows = {system: data.corpus.rows_of(system) for system in systems}
    shared = set.intersection(*(set(images[own].tolist()) for own in rows.values()))
    means = {aspect: data.judgments.means(aspect) for aspect in aspects.split()}
    by_system = []
    for system in systems:
        place = dict(zip(images[rows[system]].tolist(), rows[system].tolist(), strict=True))
        chosen = [place[image] for image in sorted(shared)]
        by_system.append(np.stack([values[chosen] for values in means.values()], axis=1))
    counts = best_and_worst(np.stack(by_system, axis=1))
    return {
        (row, system): Measured(float(values[place]))
        for row, values in (("best", counts.best), ("worst", counts.worst))
        for place, system in enumerate(systems)
    }


@measure("examples")
def examples(asked: Asked) -> Cells:
    """The judgments of single captions, each named as `SYSTEM on IMAGE`."""
    if asked.is_own:
        raise InputError("it shows captions of the paper.")
    data = asked.examples()
    names = [f"{system} on {image}" for system, image in zip(systems_of(data), data.ids, strict=True)]
    places = {name: place for place, name in enumerate(names)}
    return {
        (row, aspect): Measured(abs(float(data.judgments.means(aspect)[places[row]])))
        for row in asked.table.rows
        if row in places
        for aspect in asked.table.columns
    }


@measure("one value")
def one_value(asked: Asked, aspect: str = "", summed: str = "no") -> Cells:
    """The mean over a system's captions of the value that vote, mean, … make of their ratings, or its sum."""
    data = asked.examples()
    name = aspect or data.protocol.aspect
    return {
        (one.names[0], rule): Measured(one.mean * (one.n if summed == "yes" else 1))
        for rule in asked.table.columns
        for one in group_means(data.judgments, ["system"], rule, aspect=name)
    }


@measure("rows")
def rows(asked: Asked) -> Cells:
    """How many rows a file has, and of how many images."""
    if asked.is_own:
        own = asked.examples()
        counts = {"rows": len(own.corpus), "images": len(own.corpus.image_ids)}
        name = asked.room.own.name if asked.room.own else ""
        return {(name, column): Measured(float(n)) for column, n in counts.items()}
    found = read_rows(asked.path(next(iter(asked.data.files), asked.data.judgments)))
    images = len(set(map(str, found.columns["image"]))) if "image" in found.columns else 0
    (row,) = asked.table.rows
    return {(row, "rows"): Measured(float(len(found))), (row, "images"): Measured(float(images))}
