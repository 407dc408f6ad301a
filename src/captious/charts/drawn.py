"""A table that says how it is drawn, as a figure: for phones and for wider screens, with its words."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Sequence
from datetime import datetime
from itertools import pairwise

import orjson

from captious.charts.columns import bars_chart, column, intervals, numbers, texts
from captious.charts.heat import heat_map
from captious.charts.histograms import histogram_panels
from captious.charts.intervals import interval_panels
from captious.charts.lines import Frame, lines_chart
from captious.charts.points import STATES, Plane, points_chart
from captious.charts.render import Figure, page_svg, svg
from captious.charts.theme import Row, Spec
from captious.charts.words import finding_of
from captious.tables import Chart, Table
from captious.tables.values import to_dict

# Charts with a column for each system stay readable up to here; tables hold all.
MOST_SERIES = 10
# Changes with what is drawn for the same table, so that a picture that was kept is drawn again.
EDITION = 2


def digest_of(table: Table) -> str:
    """A name for what a table's chart shows: the same content, the same name."""
    content = orjson.dumps([EDITION, to_dict(table)])
    return hashlib.sha256(content).hexdigest()[:20]


def file_name(title: str) -> str:
    """A title as the name of a file or of a mark-up element.

    >>> file_name("HUMANr, after adjudication")
    'humanr-after-adjudication'
    """
    return "-".join("".join(c if c.isalnum() else " " for c in title.lower()).split())


def figure_of(table: Table) -> Figure:
    """The figure of a table that has a chart."""
    chart = table.chart
    if chart is None:
        raise ValueError(f"{table.title}: the table does not say how it is drawn")
    build = _BUILDERS[chart.kind]
    return Figure(
        key=file_name(table.title),
        title=table.title,
        how=chart.how,
        finding=finding_of(table, chart),
        table=table,
        wide=build(table, chart, False),
        narrow=build(table, chart, True),
    )


def page_figure(figure: Figure) -> tuple[str, str]:
    """The figure as inline SVG, for wider screens and for phones."""
    wide, narrow = (
        page_svg(spec, figure.alternative, kind, figure.key)
        for kind, spec in (("wide", figure.wide), ("narrow", figure.narrow))
    )
    return wide, narrow


def chart_files(tables: Sequence[Table]) -> list[str]:
    """The charts of tables as SVG files, on white."""
    figures = map(figure_of, tables)
    return [svg({**one.wide, "background": "#ffffff", "description": one.alternative}) for one in figures]


def _bars(table: Table, chart: Chart, narrow: bool) -> Spec:
    return bars_chart(table, chart, narrow=narrow)


def _intervals(table: Table, chart: Chart, narrow: bool) -> Spec:
    rows: list[Row] = [one._asdict() for one in intervals(table, chart)]
    order = list(dict.fromkeys(row["row"] for row in rows))
    return interval_panels(
        rows, order, "", narrow=narrow, step=28, scale=chart.x_scale, baseline=chart.baseline
    )


def _points(table: Table, chart: Chart, narrow: bool) -> Spec:
    rows: list[Row] = [
        {"x": x, "y": y, "name": name, "mark": _state(mark)}
        for x, y, name, mark in zip(
            numbers(table, chart.x),
            numbers(table, chart.y),
            texts(table, chart.series),
            texts(table, chart.mark),
            strict=True,
        )
        if not (math.isnan(x) or math.isnan(y))
    ]
    ends = (
        chart.x_scale or _from_zero([row["x"] for row in rows]),
        chart.y_scale or _from_zero([row["y"] for row in rows]),
    )
    plane = Plane(chart.x, chart.y, *ends)
    return points_chart(rows, plane, narrow=narrow, marks=STATES if chart.mark else None)


def _state(mark: str) -> str:
    """What a mark stands for: a cell may tell more, such as which rule has flagged a rater.

    >>> _state("flagged: time"), _state("")
    ('flagged', 'no flag')
    """
    return next((name for name in STATES.names if mark.startswith(name)), STATES.plain)


def _heat(table: Table, chart: Chart, narrow: bool) -> Spec:
    across = list(dict.fromkeys(texts(table, chart.x)))
    down = list(dict.fromkeys(texts(table, chart.y)))
    rows: list[Row] = [
        {"a": a, "b": b.replace("_", " "), "value": value, "text": f"{100 * value:.0f}"}
        for a, b, value in zip(
            texts(table, chart.y), texts(table, chart.x), numbers(table, chart.value), strict=True
        )
        if not math.isnan(value)
    ]
    named = [name.replace("_", " ") for name in across]
    return heat_map(rows, named, down, narrow=narrow, shares=True)


def _shares(table: Table, chart: Chart, narrow: bool) -> Spec:
    panels, series = texts(table, chart.panel), texts(table, chart.series)
    shown = list(dict.fromkeys(series))[:MOST_SERIES]
    levels = numbers(table, chart.x)
    halves: dict[str, float] = {}
    steps: dict[str, list[float]] = {}
    ends: dict[str, tuple[float, float]] = {}
    for panel in dict.fromkeys(panels):
        own = sorted({level for level, of in zip(levels, panels, strict=True) if of == panel})
        steps[panel.replace("_", " ")] = own
        halves[panel] = min((after - before for before, after in pairwise(own)), default=1.0) / 2
        ends[panel] = (own[0] - halves[panel], own[-1] + halves[panel])
    rows: list[Row] = [
        {
            "aspect": panel.replace("_", " "),
            "system": name,
            "x": x - halves[panel],
            "x2": x + halves[panel],
            "share": share,
        }
        for panel, name, x, share in zip(panels, series, levels, numbers(table, chart.y), strict=True)
        if name in shown
    ]
    named = {panel.replace("_", " "): own for panel, own in ends.items()}
    return histogram_panels(rows, shown, named, narrow=narrow, levels=steps)


def _lasted(moments: Sequence[str]) -> float | None:
    """The seconds from the first moment to the last; None where there are none.

    >>> _lasted(["2026-11-18 06:34:00", "2026-11-18 06:35:30"])
    90.0
    """
    if not moments:
        return None
    times = sorted(datetime.fromisoformat(one) for one in moments)
    return (times[-1] - times[0]).total_seconds()


def _lines(table: Table, chart: Chart, narrow: bool) -> Spec:
    moments = [cell for cell in column(table, chart.x) if isinstance(cell, str)]
    xs: list[str] | list[float]
    xs = [f"{cell}Z".replace(" ", "T", 1) for cell in moments] if moments else numbers(table, chart.x)
    series = texts(table, chart.series)
    ys = numbers(table, chart.y)
    rows: list[Row] = []
    for at, (panel, name) in enumerate(zip(texts(table, chart.panel), series, strict=True)):
        if math.isnan(ys[at]):
            continue
        low, high = (numbers(table, end)[at] for end in (chart.low, chart.high))
        known = not (math.isnan(low) or math.isnan(high))
        dashed = bool(chart.dashed) and name == chart.dashed
        last = at == len(series) - 1 or series[at + 1] != name
        rows.append(
            {
                "x": xs[at],
                "y": ys[at],
                "low": low if known else ys[at],
                "high": high if known else ys[at],
                "panel": panel.replace("_", " "),
                "dashed": dashed,
                "dot": bool(chart.panel) or last,
                "name": name if last and not chart.panel else "",
            }
        )
    ends = chart.y_scale or _from_zero([row["high"] for row in rows])
    days = {moment[:10] for moment in moments}
    frame = Frame(chart.x, chart.y, ends, chart.x_scale, _lasted(moments), len(days) == 1, chart.goal)
    return lines_chart(rows, frame, narrow=narrow)


def _from_zero(values: list[float]) -> tuple[float, float]:
    """Ends for what has no highest value: from 0 to the next 1, 2 or 5 of a power of ten.

    >>> _from_zero([3.0, 14.2]), _from_zero([])
    ((0.0, 20.0), (0.0, 1.0))
    """
    most = max(values, default=0.0)
    if most <= 0:
        return 0.0, 1.0
    power = 10.0 ** math.floor(math.log10(most))
    return 0.0, next(step * power for step in (1, 2, 5, 10) if step * power >= most)


_BUILDERS: dict[str, Callable[[Table, Chart, bool], Spec]] = {
    "bars": _bars,
    "intervals": _intervals,
    "points": _points,
    "heat": _heat,
    "shares": _shares,
    "lines": _lines,
}
