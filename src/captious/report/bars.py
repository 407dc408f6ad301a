"""Bars beside a table that asks for them: `Table.bars` over its first column."""

from __future__ import annotations

from importlib.util import find_spec

from captious.report.figure import Spec
from captious.report.render import page_svg, svg
from captious.report.theme import LIGHT, config
from captious.tables import Table
from captious.tables.html import spelled


def can_draw() -> bool:
    """Whether the libraries of charts are installed (captious[report])."""
    return all(find_spec(module) is not None for module in ("altair", "vl_convert"))


def bars_chart(table: Table, *, narrow: bool = False) -> Spec:
    """The column `table.bars` as bars from zero; the axis has every row, empty ones too."""
    import altair as alt

    at = list(table.columns).index(table.bars)
    rows = [{"row": str(row[0]), "value": row[at]} for row in table.rows]
    order = [row["row"] for row in rows]
    x = alt.X(
        "row:N", sort=order, title=table.columns[0], axis=alt.Axis(labelAngle=0), scale={"domain": order}
    )
    y = alt.Y("value:Q", title=table.bars, scale=alt.Scale(zero=True))
    chart = (
        alt.Chart(alt.NamedData("rows"))
        .mark_bar(color=LIGHT["s0"])
        .encode(x=x, y=y)
        .properties(width=240 if narrow else 420, height=180)
    )
    return {**chart.to_dict(validate=False), "datasets": {"rows": rows}, "config": config()}


def bars_svg(table: Table) -> str:
    """The chart as an SVG file, on white."""
    return svg({**bars_chart(table), "background": "#ffffff", "description": _alternative(table)})


def page_bars(table: Table) -> str:
    """The chart as markup for a page, wide and for phones."""
    name = "bars-" + "-".join(table.title.lower().split())
    return "\n".join(
        page_svg(bars_chart(table, narrow=of == "narrow"), _alternative(table), of, name)
        for of in ("wide", "narrow")
    )


def _alternative(table: Table) -> str:
    at = list(table.columns).index(table.bars)
    told = ", ".join(f"{row[0]}: {spelled(row[at])}" for row in table.rows)
    return f"{table.title}: {table.bars} by {table.columns[0]}. {told}."
