"""Histograms side by side: aspects down, systems across, one scale in each row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from captious.charts.theme import LIGHT, ROWS, Row, Spec, colour, finished

# So many aspects, and the bars may be tall.
MOST_TALL = 3
# So many steps of a scale, and each has its number.
MOST_LEVELS = 5


def histogram_panels(
    rows: list[Row],
    systems: Sequence[str],
    ends: Mapping[str, tuple[float, float]],
    *,
    narrow: bool,
    levels: Mapping[str, Sequence[float]] | None = None,
) -> Spec:
    """Bars of `share` from `x` to `x2`; `ends` has each aspect's scale, by its title.

    `levels` has the steps that the bars stand for, where there are such: the axis then names them.
    """
    import altair as alt

    wide = max(90, min(200, 800 // max(1, len(systems))))
    width = max(46, 250 // len(systems)) if narrow else wide
    height = 56 if narrow or len(ends) > MOST_TALL else 84
    charts: list[Any] = []
    for aspect, domain in ends.items():
        axis = alt.Axis(
            **_ticks((levels or {}).get(aspect, ()), narrow=narrow), grid=False, title=None, format=".4~g"
        )
        scale = alt.Scale(domain=list(domain), nice=False)
        base = alt.Chart(alt.NamedData(ROWS)).transform_filter(alt.datum.aspect == aspect)
        chart = (
            base.mark_bar(stroke=LIGHT["d3"], strokeWidth=1)
            .encode(
                x=alt.X("x:Q", axis=axis, scale=scale),
                x2="x2:Q",
                y=alt.Y("share:Q", title=None, axis=alt.Axis(format="%", tickCount=2)),
                y2=alt.datum(0),
                color=colour(alt, systems),
            )
            .properties(width=width, height=height)
            .facet(
                column=alt.Column(
                    "system:N",
                    sort=list(systems),
                    title=None,
                    header=_heads(alt, first=not charts, limit=width + 8),
                ),
                spacing=12,
            )
            .properties(title=aspect)
        )
        charts.append(chart)
    return finished(alt.vconcat(*charts, spacing=10), rows)


def _ticks(levels: Sequence[float], *, narrow: bool) -> dict[str, Any]:
    """Where an axis has its numbers: under every bar, or at both ends; elsewhere the chart decides.

    >>> _ticks([0.0, 0.25, 0.5, 0.75, 1.0], narrow=False), _ticks([1.0, 2.0, 3.0], narrow=True)
    ({'values': [0.0, 0.25, 0.5, 0.75, 1.0]}, {'values': [1.0, 3.0]})
    """
    if not levels or (len(levels) > MOST_LEVELS and not narrow):
        return {"tickCount": 2 if narrow else 4}
    return {"values": [levels[0], levels[-1]] if narrow else list(levels)}


def _heads(alt: Any, *, first: bool, limit: int) -> Any:
    """The systems' names, over the first row only, cut where the next one begins."""
    return alt.Header(labels=first, labelLimit=limit)
