"""A heat map with the number in every cell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from captious.charts.theme import LIGHT, ROWS, Row, Spec, finished, steps

# Where the steps of a share from 0 to 1 meet, and the colours of the scale that they take.
SHARE_STEPS = [0.05, 0.15, 0.3, 0.5, 0.75]
SHARE_COLOURS = (3, 4, 5, 6, 7, 8)


def share_steps(alt: Any, suffix: str) -> Any:
    """Six steps from nothing to everything; with `-ink` what is written on them."""
    colours = [LIGHT[f"d{i}{suffix}"] for i in SHARE_COLOURS]
    return alt.Scale(type="threshold", domain=SHARE_STEPS, range=colours)


def heat_map(
    rows: list[Row],
    across: Sequence[str],
    down: Sequence[str],
    *,
    narrow: bool,
    shares: bool = False,
    size: int = 0,
) -> Spec:
    """Cells of `value` at column `b` and row `a`, with their `text`.

    The steps of colour are those of a share from 0 to 1, or else of a coefficient from -1 to 1.
    """
    import altair as alt

    scale = share_steps if shares else steps
    limit = 84 if narrow else 220
    axes = {
        "x": alt.X(
            "b:N",
            sort=list(across),
            title=None,
            axis=alt.Axis(labelAngle=-45, domain=False, ticks=False, labelLimit=limit),
        ),
        "y": alt.Y(
            "a:N", sort=list(down), title=None, axis=alt.Axis(domain=False, ticks=False, labelLimit=limit)
        ),
    }
    base = alt.Chart(alt.NamedData(ROWS)).encode(**axes)
    cells = base.mark_rect(cornerRadius=2).encode(
        color=alt.Color("value:Q", legend=None, scale=scale(alt, ""))
    )
    words = base.mark_text(fontSize=10 if narrow else 12).encode(
        text="text:N", color=alt.Color("value:Q", legend=None, scale=scale(alt, "-ink"))
    )
    wide = size or (min(44, max(26, 230 // len(across))) if narrow else max(34, min(64, 700 // len(across))))
    chart = alt.layer(cells, words).resolve_scale(color="independent")
    chart = chart.properties(width=alt.Step(wide), height=alt.Step(28 if narrow else 34))
    return finished(chart, rows)
