"""What all charts are made with: colours, shapes, the steps of a scale, the finished specification."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from captious.charts.render import Spec
from captious.charts.theme import LIGHT, SERIES, SHAPES, STEPS, config

INK, SOFT, LINE = LIGHT["chart-ink"], LIGHT["chart-soft"], LIGHT["chart-line"]
Row = dict[str, Any]
# The rows go into the finished specification: Altair would copy and check each one many times.
ROWS = "rows"


def colour(alt: Any, names: Sequence[str], field: str = "system") -> Any:
    """A colour for each name, without a legend: names stand at the marks."""
    colours = [SERIES[i % len(SERIES)] for i in range(len(names))]
    return alt.Color(f"{field}:N", legend=None, scale=alt.Scale(domain=list(names), range=colours))


def shape(alt: Any, names: Sequence[str], field: str = "system") -> Any:
    """A shape for each name, so that colour is not the only sign."""
    shapes = [SHAPES[i % len(SHAPES)] for i in range(len(names))]
    return alt.Shape(f"{field}:N", legend=None, scale=alt.Scale(domain=list(names), range=shapes))


def steps(alt: Any, suffix: str) -> Any:
    """The nine steps of the scale from -1 to 1; with `-ink` what is written on them."""
    colours = [LIGHT[f"d{i}{suffix}"] for i in range(len(STEPS) + 1)]
    return alt.Scale(type="threshold", domain=STEPS, range=colours)


def finished(chart: Any, rows: list[Row]) -> Spec:
    """The specification with its rows and the look of every chart."""
    spec: Spec = chart.to_dict(validate=False)
    return {**spec, "datasets": {**spec.get("datasets", {}), ROWS: rows}, "config": config()}
