"""The charts as Vega-Lite specifications, built with Altair from plain rows."""

from __future__ import annotations

from math import isnan

from captious.charts.heat import heat_map
from captious.charts.histograms import histogram_panels
from captious.charts.intervals import interval_panels
from captious.charts.theme import LIGHT, ROWS, SERIES, Row, Spec, colour, finished, shape
from captious.report.correlations import Matrix, WithJudgments
from captious.report.distributions import Histogram, Spread
from captious.report.rankings import Rankings
from captious.report.raters import Agreement
from captious.report.study import Study, number_text
from captious.report.tables import JudgedMeans, aspect_text


def scores_chart(study: Study, judged: JudgedMeans, *, narrow: bool = False) -> Spec:
    """A panel for the main aspect and each metric: systems with their intervals."""
    import altair as alt

    systems = study.charted_systems
    rows, panels = _score_rows(study, judged, systems), 2 if narrow else 4
    order = list(dict.fromkeys(row["panel"] for row in rows))
    y = alt.Y("system:N", sort=systems, title=None)
    x = alt.X("value:Q", title=None, scale=alt.Scale(zero=False), axis=alt.Axis(tickCount=2 if narrow else 4))
    base = alt.Chart(alt.NamedData(ROWS))
    rule = base.mark_rule(strokeWidth=2).encode(
        y=y, x=alt.X("low:Q", title=None), x2="high:Q", color=colour(alt, systems)
    )
    point = base.mark_point(size=70, filled=True, opacity=1).encode(
        y=y, x=x, color=colour(alt, systems), shape=shape(alt, systems)
    )
    size = {"width": 92 if narrow else 176, "height": max(60, 22 * len(systems))}
    chart = (
        alt.layer(rule, point)
        .properties(**size)
        .facet(facet=alt.Facet("panel:N", sort=order, title=None), columns=panels, spacing=18)
        .resolve_scale(x="independent")
    )
    return finished(chart, rows)


def matrix_chart(matrix: Matrix, *, narrow: bool = False) -> Spec:
    """A heat map with the coefficient in every cell; the diagonal is left empty."""
    rows_shown = columns = [column.label for column in matrix.columns]
    if narrow:
        # A phone has room for short names, and for the judged columns, which one looks for first.
        metrics = {column.name for column in matrix.columns if column.is_metric}
        rows_shown = [
            c.label if c.is_metric or c.name in metrics else aspect_text(c.name) for c in matrix.columns
        ]
        columns = rows_shown[: len(rows_shown) - len(metrics) or None]
    rows: list[Row] = [
        {"a": a, "b": b, "value": value, "text": number_text(value, 2).replace("0.", ".", 1)}
        for i, (a, row) in enumerate(zip(rows_shown, matrix.values.tolist(), strict=True))
        for j, (b, value) in enumerate(zip(columns, row, strict=False))
        if i != j and not isnan(value)
    ]
    return heat_map(rows, columns, rows_shown, narrow=narrow)


def judgments_chart(study: Study, found: list[WithJudgments], *, narrow: bool = False) -> Spec:
    """Each metric's correlation with the judgments, with its interval, aspect by aspect."""
    metrics = list(dict.fromkeys(study.printed(one.metric) for one in found))
    rows: list[Row] = [
        {
            "row": study.printed(one.metric),
            "panel": f"judged {aspect_text(one.aspect)}",
            "value": one.value,
            "low": one.low,
            "high": one.high,
        }
        for one in found
        if not isnan(one.value)
    ]
    return interval_panels(rows, metrics, study.method_name, narrow=narrow, step=22)


def agreements_chart(found: list[Agreement], *, narrow: bool = False) -> Spec:
    """Each coefficient with its interval, aspect by aspect."""
    rows: list[Row] = [
        {
            "row": one.coefficient,
            "panel": aspect_text(one.aspect),
            "value": one.estimate.value,
            "low": one.estimate.low,
            "high": one.estimate.high,
        }
        for one in found
        if not isnan(one.estimate.value)
    ]
    names = list(dict.fromkeys(one.coefficient for one in found))
    return interval_panels(rows, names, "", narrow=narrow, step=24)


def spreads_chart(study: Study, found: list[Spread], *, narrow: bool = False) -> Spec:
    """Judged shares as bars, metric shares as a stepped line; metrics down, systems across."""
    import altair as alt

    systems = [s for s in study.charted_systems if any(one.system == s for one in found)]
    metrics = list(dict.fromkeys(one.name for one in found))
    bins = len(found[0].shares)
    rows: list[Row] = []
    for one in found:
        for k in range(bins + 1):
            last = min(k, bins - 1)
            rows.append(
                {
                    "system": one.system,
                    "metric": one.name,
                    "x": k / bins,
                    "x2": (k + 1) / bins,
                    "line": float(one.shares[last]),
                    "bar": float(one.judged[k]) if k < bins else None,
                }
            )
    base = alt.Chart(alt.NamedData(ROWS))
    x_axis = alt.Axis(values=[0, 0.5, 1], format=".1~f", grid=False)
    # 0% would touch the 100% of the row below.
    y_axis = alt.Axis(format="%", tickCount=2, labelExpr="datum.value === 0 ? '' : datum.label")
    bars = (
        base.transform_filter("datum.bar !== null")
        .mark_bar(color=LIGHT["chart-fill"])
        .encode(
            x=alt.X("x:Q", title=None, axis=x_axis, scale=alt.Scale(domain=[0, 1])),
            x2="x2:Q",
            y=alt.Y("bar:Q", title=None, axis=y_axis),
            y2=alt.datum(0),
        )
    )
    line = base.mark_line(interpolate="step-after", color=SERIES[0], strokeWidth=2, clip=True).encode(
        x="x:Q", y=alt.Y("line:Q", title=None)
    )
    # Room for readers whose font is wider than the one that measures the names here.
    header = alt.Header(
        labelAngle=0, labelAlign="left", labelOrient="left", labelPadding=10 if narrow else 26
    )
    wide = max(90, min(200, 800 // max(1, len(systems))))
    size = {"width": max(46, 236 // len(systems)) if narrow else wide, "height": 58}
    chart = (
        alt.layer(bars, line)
        .properties(**size)
        .facet(
            row=alt.Row("metric:N", sort=metrics, title=None, header=header),
            column=alt.Column("system:N", sort=systems, title=None),
            spacing=10,
        )
    )
    return finished(chart, rows)


def histograms_chart(study: Study, found: list[Histogram], *, narrow: bool = False) -> Spec:
    """Bars of every aspect; aspects down, systems across."""
    systems = [s for s in study.charted_systems if any(one.system == s for one in found)]
    rows: list[Row] = [
        {"aspect": aspect_text(one.aspect), "system": one.system, "x": low, "x2": high, "share": share}
        for one in found
        for low, high, share in zip(
            one.edges.tolist(), one.edges[1:].tolist(), one.shares.tolist(), strict=False
        )
    ]
    ends = {aspect_text(one.aspect): (float(one.edges[0]), float(one.edges[-1])) for one in found}
    return histogram_panels(rows, systems, ends, narrow=narrow)


def rankings_chart(study: Study, found: Rankings, *, narrow: bool = False) -> Spec:
    """A bump chart: judges across, rank down, a line for each system with its name at both ends."""
    import altair as alt

    shown = [s for s in study.charted_systems if s in found.systems]
    rows: list[Row] = []
    for judge, ranks in zip(found.judges, found.ranks.tolist(), strict=True):
        own = {system: float(ranks[found.systems.index(system)]) for system in shown}
        for system, rank in own.items():
            # Systems that share a rank share one name at the line's end, with the first of them.
            alike = [other for other in shown if own[other] == rank]
            name = ", ".join(alike) if system == alike[0] else ""
            rows.append({"judge": judge, "system": system, "rank": rank, "name": name})
    lowest = max(row["rank"] for row in rows)
    x = alt.X(
        "judge:N",
        sort=found.judges,
        title=None,
        axis=alt.Axis(labelAngle=-45, domain=False, ticks=False, grid=True),
    )
    y = alt.Y(
        "rank:Q",
        title="rank",
        scale=alt.Scale(domain=[0.6, lowest + 0.4], reverse=True),
        axis=alt.Axis(
            values=list(range(1, int(lowest) + 1)), format="d", domain=False, ticks=False, grid=False
        ),
    )
    base = alt.Chart(alt.NamedData(ROWS)).encode(x=x, y=y, color=colour(alt, shown))
    line = base.mark_line(strokeWidth=3, opacity=0.85)
    point = base.mark_point(filled=True, size=130, opacity=1).encode(shape=shape(alt, shown))
    ends = [
        base.transform_filter(alt.datum.judge == judge)
        .mark_text(align=align, dx=dx, fontSize=12, fontWeight="bold", limit=90 if narrow else 160)
        .encode(text="name:N")
        for judge, align, dx in ((found.judges[0], "right", -12), (found.judges[-1], "left", 12))[
            : 1 if narrow or len(found.judges) < 2 else 2
        ]
    ]
    step = max(26, 200 // len(found.judges)) if narrow else max(44, min(130, 700 // len(found.judges)))
    y_axis_room = 70 if any(len(s) > 3 for s in shown) else 30
    chart = alt.layer(line, point, *ends).properties(width=alt.Step(step), height=max(120, 44 * len(shown)))
    spec = finished(chart, rows)
    spec["config"]["axisY"] = {"offset": y_axis_room}
    return spec


def _score_rows(study: Study, judged: JudgedMeans, systems: list[str]) -> list[Row]:
    rows: list[Row] = []
    if study.judged is not None:
        panel = f"judged {aspect_text(study.judged.main)}"
        for system, found in judged[study.judged.main].items():
            if system in systems:
                rows.append(_row(panel, system, found.value, found.low, found.high, 1))
    for metric in study.scores.metrics.values():
        factor = 100 if metric.percent else 1
        for system in systems:
            score = metric.systems[system]
            low = score.score if score.low is None else score.low
            high = score.score if score.high is None else score.high
            rows.append(_row(metric.printed, system, score.score, low, high, factor))
    return rows


def _row(panel: str, system: str, value: float, low: float, high: float, factor: int) -> Row:
    ends = (value, value) if isnan(low) or isnan(high) else (low, high)
    return {
        "panel": panel,
        "system": system,
        "value": value * factor,
        "low": ends[0] * factor,
        "high": ends[1] * factor,
    }
