"""The columns that a chart shows, out of its table: for the picture and for its words alike."""

from __future__ import annotations

import math
from typing import NamedTuple

from captious.charts.theme import LIGHT, ROWS, Spec, finished
from captious.tables import Cell, Chart, Number, Table


class Interval(NamedTuple):
    """A row of a chart of intervals; `low` and `high` are NaN where the value has none."""

    panel: str
    row: str
    value: float
    low: float
    high: float
    mark: str = ""  # of what is drawn in a quieter colour


def column(table: Table, name: str) -> list[Cell]:
    """The cells of a column; empty texts where the table has no such column."""
    if not name or name not in table.columns:
        return [""] * len(table.rows)
    at = list(table.columns).index(name)
    return [row[at] for row in table.rows]


def texts(table: Table, name: str) -> list[str]:
    """The cells of a column as texts."""
    return [str(cell) for cell in column(table, name)]


def numbers(table: Table, name: str) -> list[float]:
    """The cells of a column as numbers, NaN where there is none.

    >>> numbers(Table("", ["a"], [[1], [""], [Number(2.5, "2.5")]]), "a")
    [1.0, nan, 2.5]
    """
    cells = [cell.value if isinstance(cell, Number) else cell for cell in column(table, name)]
    return [math.nan if isinstance(cell, str) else float(cell) for cell in cells]


def intervals(table: Table, chart: Chart) -> list[Interval]:
    """The rows of a chart of intervals that have a value."""
    found = map(
        Interval,
        texts(table, chart.panel),
        texts(table, chart.y),
        numbers(table, chart.x),
        numbers(table, chart.low),
        numbers(table, chart.high),
        texts(table, chart.mark),
    )
    return [one for one in found if not math.isnan(one.value)]


def bars_chart(table: Table, chart: Chart, *, narrow: bool) -> Spec:
    """The column `y` as bars over the column `x`."""
    import altair as alt

    columns = list(table.columns)
    across, up = columns.index(chart.x), columns.index(chart.y)
    rows = [{"row": str(row[across]), "value": row[up]} for row in table.rows]
    order = [row["row"] for row in rows]
    x = alt.X("row:N", sort=order, title=chart.x, axis=alt.Axis(labelAngle=0), scale={"domain": order})
    y = alt.Y("value:Q", title=chart.y, scale=alt.Scale(zero=True))
    drawn = (
        alt.Chart(alt.NamedData(ROWS))
        .mark_bar(color=LIGHT["s0"])
        .encode(x=x, y=y)
        .properties(width=240 if narrow else 420, height=180)
    )
    return finished(drawn, rows)
