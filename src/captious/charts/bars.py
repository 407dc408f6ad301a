"""Bars from zero, over every row of a table, empty ones too."""

from __future__ import annotations

from captious.charts.figure import Spec
from captious.charts.marks import ROWS, finished
from captious.charts.theme import LIGHT
from captious.tables import Chart, Table


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
