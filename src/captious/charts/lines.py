"""Lines over time or over a count, with bands for what is not known exactly."""

from __future__ import annotations

from typing import Any, NamedTuple

from captious.charts.theme import INK, LIGHT, ROWS, SOFT, Row, Spec, finished

WIDE, NARROW = (780, 240), (252, 170)
PANEL_WIDE, PANEL_NARROW = 250, 232
MOST_ACROSS = 3
MINUTE, DAY = 60.0, 86400.0
MEASURED, DASHED = LIGHT["s0"], LIGHT["s1"]


class Frame(NamedTuple):
    """Axes of a chart of lines. Where x is a moment, `seconds` is how long they last in all, and they

    are `within_a_day` where hours tell them.
    """

    x_title: str
    y_title: str
    y_ends: tuple[float, float]
    x_ends: tuple[float, float] | None = None
    seconds: float | None = None
    within_a_day: bool = False
    goal: float | None = None


def lines_chart(rows: list[Row], frame: Frame, *, narrow: bool) -> Spec:
    """`y` over `x` with a band from `low` to `high`, a panel for each `panel`.

    Rows that are `dashed` were not measured: they follow from what was.
    """
    import altair as alt

    panels = list(dict.fromkeys(row["panel"] for row in rows))
    parted = panels != [""]
    width, height = NARROW if narrow else WIDE
    if len(panels) > 1:
        width, height = (PANEL_NARROW, 130) if narrow else (PANEL_WIDE, 150)
    x, y = _axes(alt, frame, narrow or parted)
    base = alt.Chart(alt.NamedData(ROWS))
    layers = []
    for dashed, ink in ((False, MEASURED), (True, DASHED)):
        own = [row for row in rows if row["dashed"] is dashed]
        if own:
            layers += _line(alt, base.transform_filter(alt.datum.dashed == dashed), x, y, ink, dashed)
    if frame.goal is not None:
        layers += _goal(alt, frame.goal)
    if not parted:
        layers.append(_ends(alt, base, x, y))
    chart = alt.layer(*layers).properties(width=width, height=height)
    if parted:
        across = 1 if narrow else min(MOST_ACROSS, len(panels))
        chart = chart.facet(facet=alt.Facet("panel:N", sort=panels, title=None), columns=across, spacing=18)
    return finished(chart, rows)


def time_format(step: float, *, within_a_day: bool) -> str:
    """How moments that are about `step` seconds apart are written, so that no two read alike.

    >>> [time_format(step, within_a_day=True) for step in (20, 900)]
    ['%H:%M:%S', '%H:%M']
    >>> [time_format(step, within_a_day=False) for step in (20, 6 * 3600, 3 * 86400)]
    ['%H:%M:%S', '%-d %b %H:%M', '%-d %b']
    """
    if step < MINUTE:
        return "%H:%M:%S"
    if within_a_day:
        return "%H:%M"
    return "%-d %b %H:%M" if step < DAY else "%-d %b"


def _axes(alt: Any, frame: Frame, small: bool) -> tuple[Any, Any]:
    count = 3 if small else 6
    ticks: dict[str, Any] = {"tickCount": count, "grid": False, "labelOverlap": True}
    if frame.seconds is not None:
        # No two ticks in one second: they would read alike.
        ticks["tickCount"] = max(1, min(count, int(frame.seconds)))
        ticks["format"] = time_format(frame.seconds / ticks["tickCount"], within_a_day=frame.within_a_day)
        x = alt.X("x:T", title=frame.x_title, scale=alt.Scale(type="utc"), axis=alt.Axis(**ticks))
    else:
        ends = list(frame.x_ends or (0, 1))
        x = alt.X(
            "x:Q", title=frame.x_title, scale=alt.Scale(domain=ends, nice=False), axis=alt.Axis(**ticks)
        )
    y = alt.Y(
        "y:Q",
        title=frame.y_title,
        scale=alt.Scale(domain=list(frame.y_ends), nice=False),
        axis=alt.Axis(tickCount=4),
    )
    return x, y


def _line(alt: Any, base: Any, x: Any, y: Any, ink: str, dashed: bool) -> list[Any]:
    band = base.mark_area(color=ink, opacity=0.18).encode(x=x, y="low:Q", y2="high:Q")
    look: dict[str, Any] = {"strokeDash": [6, 4]} if dashed else {}
    line = base.mark_line(color=ink, strokeWidth=2.5, **look).encode(x=x, y=y)
    dots = base.transform_filter(alt.datum.dot).mark_point(filled=True, size=42, color=ink, opacity=1)
    return [band, line, dots.encode(x=x, y=y)]


def _goal(alt: Any, goal: float) -> list[Any]:
    base = alt.Chart(alt.InlineData([{"goal": goal, "words": f"wanted: {goal:,.0f}"}])).encode(y="goal:Q")
    line = base.mark_rule(color=LIGHT["chart-soft"], strokeDash=[2, 3])
    words = base.mark_text(align="left", baseline="bottom", dx=4, dy=-3, fontSize=12, color=SOFT)
    return [line, words.encode(x=alt.value(0), text="words:N")]


def _ends(alt: Any, base: Any, x: Any, y: Any) -> Any:
    """What a line is, said at its end."""
    return (
        base.transform_filter("datum.name !== ''")
        .mark_text(align="right", baseline="bottom", dx=-6, dy=-6, fontSize=12, fontWeight="bold", color=INK)
        .encode(x=x, y=y, text="name:N")
    )
