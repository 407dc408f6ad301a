"""Points with intervals on one scale, a line for each thing that was measured."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan

from captious.charts.theme import LIGHT, ROWS, SERIES, SOFT, Row, Spec, finished

WIDTHS, NARROW = (480, 340, 236), (230, 106)


def interval_panels(
    rows: list[Row],
    order: Sequence[str],
    title: str,
    *,
    narrow: bool,
    step: int,
    scale: tuple[float, float] | None = None,
    baseline: str = "",
) -> Spec:
    """Points with intervals, a panel for each `panel`, a line for each `row`.

    Without `scale` the axis is that of a coefficient: from 0, or the lowest end, to 1. What
    `baseline` reaches runs through the chart as a line with its interval. Rows with a `mark` are quieter.
    """
    import altair as alt

    for row in rows:
        if isnan(row["low"]):
            row |= {"low": row["value"], "high": row["value"]}
    panels = list(dict.fromkeys(row["panel"] for row in rows))
    ends = scale or (min([0.0, *(row["low"] for row in rows)]), 1.0)
    domain = alt.Scale(domain=list(ends), nice=False)
    axis = alt.Axis(tickCount=3 if scale is None or narrow else 5, format="~r", titlePadding=8)
    y = alt.Y("row:N", sort=list(order), title=None, axis=alt.Axis(grid=True))
    base = alt.Chart(alt.NamedData(ROWS)).encode(y=y)
    colour = alt.condition("datum.mark", alt.value(SOFT), alt.value(SERIES[0]))
    rule = base.mark_rule(strokeWidth=2).encode(
        x=alt.X("low:Q", title=None, scale=domain, axis=axis), x2="high:Q", color=colour
    )
    point = base.mark_point(filled=True, size=60, opacity=1).encode(
        x=alt.X("value:Q", title=None, scale=domain), color=colour
    )
    layers = [rule, point]
    if any(row["row"] == baseline for row in rows):
        held = alt.Chart(alt.NamedData(ROWS)).transform_filter(alt.datum.row == baseline)
        band = held.mark_rect(color=LIGHT["chart-fill"], opacity=0.35).encode(
            x=alt.X("low:Q", scale=domain), x2="high:Q"
        )
        line = held.mark_rule(color=LIGHT["chart-soft"], strokeDash=[5, 4], strokeWidth=1.5).encode(
            x=alt.X("value:Q", scale=domain)
        )
        layers = [band, line, *layers]
    columns = min(2 if narrow else 3, len(panels))
    width = NARROW[columns - 1] if narrow else WIDTHS[columns - 1]
    chart = alt.layer(*layers).properties(width=width, height=alt.Step(step))
    words = alt.TitleParams(title, color=SOFT, fontWeight="normal", fontSize=12) if title else None
    if panels != [""]:
        chart = chart.facet(facet=alt.Facet("panel:N", sort=panels, title=None), columns=columns, spacing=16)
    return finished(chart.properties(title=words) if words else chart, rows)
