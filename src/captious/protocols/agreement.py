"""How far raters agree on questions that several of them answered, whatever the protocol."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from captious.protocols.item import Field, Item, Response, Row, matched
from captious.stats import Estimate
from captious.stats.agreement import coefficient_named, coefficients_of
from captious.stats.alpha import Scale
from captious.tables import Chart, Table

TITLE = "Scores by system"
HOW = "The share of each system's judgments at each point of the scale, including points that nobody used."


def distribution_table(rows: Iterable[Row], levels: Mapping[str, Sequence[float]]) -> list[Table]:
    """A row for each aspect, system and level, the best system by the first aspect first.

    Nothing where no aspect has levels.

    >>> rows = [Row("1", "m2", "A dog.", "r", "rating", 5.0, "first", 0.0)]
    >>> [row[2:] for row in distribution_table(rows, {"rating": (1.0, 5.0)})[0].rows]
    [(1.0, 0, 0.0), (5.0, 1, 1.0)]
    """
    counted: Counter[tuple[str, str, float]] = Counter()
    totals: Counter[tuple[str, str]] = Counter()
    for row in rows:
        known = levels.get(row.aspect)
        if known:
            nearest = min(known, key=lambda level, value=row.value: abs(level - value))  # type: ignore[misc]
            counted[row.aspect, row.system, nearest] += 1
            totals[row.aspect, row.system] += 1
    if not totals:
        return []
    first = next(aspect for aspect in levels if any(of == aspect for of, _ in totals))
    systems = sorted(
        dict.fromkeys(system for _, system in totals),
        key=lambda system: (
            -sum(
                level * counted[first, system, level] / max(1, totals[first, system])
                for level in levels[first]
            )
        ),
    )
    found = [
        (aspect, system, level, counted[aspect, system, level], counted[aspect, system, level] / total)
        for aspect in levels
        for system in systems
        if (total := totals[aspect, system])
        for level in levels[aspect]
    ]
    columns = ("aspect", "system", "score", "judgments", "share")
    chart = Chart("shares", "score", "share", series="system", panel="aspect", how=HOW)
    return [Table(TITLE, columns, tuple(found), "shares of the final judgments", chart=chart)]


INTERVALS = "95% intervals by bootstrap over images"


class Shared(NamedTuple):
    """Answers to one kind of question: a row a question, what each of its raters said."""

    aspect: str
    scale: Scale
    ratings: NDArray[np.float64]
    images: list[str]


class AspectAgreement(NamedTuple):
    """The one coefficient that stands for the agreement on an aspect."""

    aspect: str
    coefficient: str
    found: Estimate


def shared_answers(
    items: Sequence[Item], responses: Sequence[Response], scale: Callable[[Field], Scale]
) -> list[Shared]:
    """The answers that two raters or more gave to the same question of the same item.

    Whoever is shown an earlier answer gives no independent one: such items stay out.
    """
    known: dict[str, dict[tuple[str, str], list[float]]] = {}
    fields: dict[str, Field] = {}
    images: dict[str, str] = {}
    for item, response in matched(items, responses):
        if not item.counts or item.prior:
            continue
        images[item.key] = item.image
        for field in item.form.fields:
            answer = response.answers.get(field.name)
            for said in () if answer is None else field.rules.numbers(field, answer):
                name = said.aspect(field)
                fields.setdefault(name, field)
                unit = (item.key, f"{field.name} {said.caption}")
                known.setdefault(name, {}).setdefault(unit, []).append(said.value)
    found = []
    for name, units in known.items():
        several = {unit: sorted(own) for unit, own in units.items() if len(own) > 1}
        if several:
            width = max(map(len, several.values()))
            ratings = np.array([own + [np.nan] * (width - len(own)) for own in several.values()])
            found.append(Shared(name, scale(fields[name]), ratings, [images[key] for key, _ in several]))
    return found


def shared_table(
    items: Sequence[Item], responses: Sequence[Response], scale: Callable[[Field], Scale], resamples: int
) -> list[Table]:
    """Agreement by question, each coefficient a row; nothing where nobody shares a question."""
    rows: list[tuple[str | float | int, ...]] = []
    for own in shared_answers(items, responses, scale):
        for one in coefficients_of(own.scale):
            found = one.compute(own.ratings, resamples=resamples, clusters=own.images)
            rows.append((own.aspect, one.title, *ends(found), found.n_items))
    columns = ("aspect", "coefficient", "value", "low", "high", "questions")
    title = "Agreement on questions that several raters answered"
    return [Table(title, columns, tuple(rows), INTERVALS)] if rows else []


def by_aspect(
    items: Sequence[Item], responses: Sequence[Response], scale: Callable[[Field], Scale], resamples: int
) -> list[AspectAgreement]:
    """Krippendorff's alpha on each question that several raters answered."""
    found = []
    for own in shared_answers(items, responses, scale):
        alpha = coefficient_named(f"alpha_{own.scale}")
        value = alpha.compute(own.ratings, resamples=resamples, clusters=own.images)
        found.append(AspectAgreement(own.aspect, alpha.title, value))
    return found


def ends(found: Estimate) -> tuple[float, float, float]:
    """Value, low and high of an estimate."""
    return found.value, found.low, found.high
