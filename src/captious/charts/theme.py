"""Colours and shapes of charts, once: light for papers, and by name so that pages can follow dark mode.

Every colour that a chart uses has its own name in `LIGHT`. Charts are drawn with the
light colours; on a page each is replaced by the CSS variable of that name, and the style sheet
says what it is in light and in dark. Hues after Okabe and Ito (2008), darkened to a contrast of
3:1 with the page; shapes and direct labels say the same without colour.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Spec = dict[str, Any]
LIGHT = {
    "chart-ink": "#1b2229",
    "chart-soft": "#56616c",
    "chart-line": "#c9d0d7",
    "chart-grid": "#e6eaee",
    "chart-fill": "#b9c3cd",
    "s0": "#0067a5",
    "s1": "#bf4d06",
    "s2": "#007a5c",
    "s3": "#95478f",
    "s4": "#8f6200",
    "s5": "#2f83b8",
    "s6": "#5d6770",
    "s7": "#8b1e3f",
    "d0": "#b35806",
    "d1": "#f0a868",
    "d2": "#fbdcbc",
    "d3": "#f3f4f5",
    "d4": "#dceaf6",
    "d5": "#b5d4ec",
    "d6": "#7db4dd",
    "d7": "#2a74b0",
    "d8": "#08427a",
    # The ink on each step of the scale; hardly different here, so that each has its own name.
    "d0-ink": "#fffffe",
    "d1-ink": "#111111",
    "d2-ink": "#111112",
    "d3-ink": "#111113",
    "d4-ink": "#111114",
    "d5-ink": "#111115",
    "d6-ink": "#111116",
    "d7-ink": "#fffffd",
    "d8-ink": "#fffffc",
}
DARK = {
    "chart-ink": "#e8ecf0",
    "chart-soft": "#a9b4bf",
    "chart-line": "#4a545e",
    "chart-grid": "#2e363e",
    "chart-fill": "#55606b",
    "s0": "#5db5ec",
    "s1": "#f5935a",
    "s2": "#41cfa6",
    "s3": "#dd9fd8",
    "s4": "#e2b548",
    "s5": "#a6d8ff",
    "s6": "#b3bdc7",
    "s7": "#f391ab",
    "d0": "#e0954f",
    "d1": "#8f5a25",
    "d2": "#4b3622",
    "d3": "#262d34",
    "d4": "#1f3447",
    "d5": "#1f4a6d",
    "d6": "#2a6593",
    "d7": "#5aa5dd",
    "d8": "#a9d5f7",
    "d0-ink": "#111111",
    "d1-ink": "#ffffff",
    "d2-ink": "#ffffff",
    "d3-ink": "#ffffff",
    "d4-ink": "#ffffff",
    "d5-ink": "#ffffff",
    "d6-ink": "#ffffff",
    "d7-ink": "#111111",
    "d8-ink": "#111111",
}
# Where the nine steps of the scale of correlations meet.
STEPS = [-0.6, -0.3, -0.1, 0.1, 0.3, 0.5, 0.7, 0.9]
SERIES = [LIGHT[f"s{i}"] for i in range(8)]
SHAPES = [
    "circle",
    "square",
    "triangle-up",
    "diamond",
    "cross",
    "triangle-down",
    "triangle-right",
    "triangle-left",
    "circle",
    "square",
]
# The same shapes as text, for lists and tables of the page.
MARKS = ["●", "■", "▲", "◆", "✚", "▼", "▶", "◀", "●", "■"]


# Room for a reader's font that is wider than the one that the chart was measured with.
PADDING = {"left": 22, "right": 22, "top": 4, "bottom": 16}


def css_variables(colours: dict[str, str]) -> str:
    """Declarations of every colour as a CSS variable."""
    return " ".join(f"--{name}: {value};" for name, value in colours.items())


def config() -> dict[str, Any]:
    """Vega-Lite's configuration: the look of every chart."""
    ink, soft, line = LIGHT["chart-ink"], LIGHT["chart-soft"], LIGHT["chart-line"]
    return {
        "background": "transparent",
        "font": "sans-serif",
        "aria": False,
        "padding": PADDING,
        "view": {"stroke": None},
        "title": {"color": ink, "fontSize": 13, "anchor": "start"},
        "header": {
            "labelColor": ink,
            "titleColor": soft,
            "labelFontSize": 12,
            "titleFontSize": 12,
            "labelLimit": 200,
            "labelFontWeight": "bold",
        },
        "axis": {
            "labelColor": ink,
            "titleColor": soft,
            "labelFontSize": 12,
            "titleFontSize": 12,
            "titleFontWeight": "normal",
            "domainColor": line,
            "tickColor": line,
            "gridColor": LIGHT["chart-grid"],
            "labelLimit": 220,
        },
    }


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
