"""Values of the literature beside one's own: `published.csv`, which anyone can add a row to."""

from __future__ import annotations

import csv
import math
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from captious.benchmarks.meta_evaluation.result import MetaResult, Value
from captious.errors import InputError
from captious.tables import Cell, Chart, Number, Table, scaled

FILE = Path(__file__).parents[1] / "published.csv"
HEADER = ("coefficient", "metric", "value", "low", "high", "references", "size", "source", "note")
SOURCE = HEADER.index("source")


class Published(NamedTuple):
    """A value that a paper prints; what the paper leaves open is empty.

    `conditions` are choices of the protocol that it holds for, as `human=without;subset=coco`; `references`
    says whether the metric needs any, `size` how many parameters it has.
    """

    benchmark: str
    coefficient: str
    aspect: str
    conditions: str
    metric: str
    value: float
    references: str
    size: str
    year: str
    source: str
    note: str


@cache
def published() -> tuple[Published, ...]:
    """All values of the file.

    >>> [(one.metric, one.value) for one in published() if one.benchmark == "nebula"]
    [('BEiTScore', 0.567)]
    """
    with FILE.open(encoding="utf-8", newline="") as file:
        rows = [dict[str, Any](row) for row in csv.DictReader(file)]
    return tuple(Published(**row | {"value": float(row["value"])}) for row in rows)


def beside(results: Sequence[MetaResult]) -> Table:
    """Own and published values of the same coefficient, the highest first, drawn as dots with intervals."""
    panels: dict[str, list[list[Cell]]] = {}
    for result in results:
        aspect = str(result.protocol.get("aspect", ""))
        for coefficient in next(iter(result.results.values())):
            if known := _known(result, coefficient, aspect):
                panel = f"{aspect}, {coefficient}" if len(results) > 1 else coefficient
                own = [
                    _own_row(panel, name, values[coefficient], result.signatures[name])
                    for name, values in result.results.items()
                ]
                panels[panel] = sorted([*_published_rows(panel, known), *own], key=_value, reverse=True)
    name = results[0].benchmark
    if not panels:
        for_others = dict.fromkeys(one.coefficient for one in published() if one.benchmark == _stem(name))
        known_for = f"; only for {', '.join(for_others)} and its usual protocol" if for_others else ""
        raise InputError(f"--published: captious knows no such value for {name}{known_for}. Leave it out.")
    rows = [row for own in panels.values() for row in own]
    values = [value for row in rows if (value := _value(row)) > -math.inf]
    best = next(row for row in rows if row[SOURCE])
    return Table(
        f"{name}, beside published values",
        HEADER,
        rows,
        "Values without a source are computed here.",
        chart=Chart(
            "intervals",
            x="value",
            y="metric",
            panel="coefficient" if len(panels) > 1 else "",
            mark="source",
            baseline=str(best[1]) if len(panels) == 1 else "",  # Altair draws none over panels
            x_scale=(min(0.0, *values), min(1.0, math.ceil(10 * max(values)) / 10)),
            how="Grey: published; blue: computed here. The dashed line is the best published value.",
        ),
    )


def _known(result: MetaResult, coefficient: str, aspect: str) -> list[Published]:
    options = result.protocol.get("options", {})
    return [
        one
        for one in published()
        if (one.benchmark, one.coefficient) == (_stem(result.benchmark), coefficient)
        and one.aspect in ("", aspect)
        and all(
            options.get(key) == value
            for key, _, value in (part.partition("=") for part in one.conditions.split(";") if part)
        )
    ]


def _stem(name: str) -> str:
    """A benchmark's name; of a file of one's own, that without the suffix: `polaris.jsonl`."""
    return Path(name).stem.casefold()


def _value(row: list[Cell]) -> float:
    value = row[2].value if isinstance(row[2], Number) else math.nan
    return -math.inf if math.isnan(value) else value


def _published_rows(panel: str, known: Sequence[Published]) -> list[list[Cell]]:
    names = [f"{one.metric} ({one.year})" if one.year else one.metric for one in known]
    labels = [
        f"{name}, {one.note}" if names.count(name) > 1 else name
        for name, one in zip(names, known, strict=True)
    ]
    return [
        [panel, label, _number(one.value), "", "", one.references, one.size, one.source, one.note]
        for label, one in zip(labels, known, strict=True)
    ]


def _own_row(panel: str, name: str, value: Value, signature: str) -> list[Cell]:
    needs = "" if "|from:" in signature else "yes" if "|refs:" in signature else "no"
    ends = ["" if math.isnan(end) else _number(end) for end in (value.low, value.high)]
    return [panel, name, _number(value.value)._replace(best=True), *ends, needs, "", "", ""]


def _number(value: float) -> Number:
    return Number(value, scaled(value, percent=True))
