"""Points in a plane, each with its name beside it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from captious.charts.theme import INK, LIGHT, ROWS, Row, Spec, colour, finished, shape

WIDE, NARROW = (560, 340), (258, 250)
MOST_NAMED = 24
# Where a name may stand: to which side of its point it is set, and how far from it.
SIDES = {
    "right": {"align": "left", "baseline": "middle", "dx": 9},
    "left": {"align": "right", "baseline": "middle", "dx": -9},
    "above": {"align": "center", "baseline": "bottom", "dy": -8},
    "below": {"align": "center", "baseline": "top", "dy": 9},
}
_LETTER, _LINE = 6.8, 14.0  # the room that a letter and a line take at 12 px


Box = tuple[float, float, float, float]


class Marks(NamedTuple):
    """What the points may be, with the colour and the shape of each; `plain` ones need no name."""

    names: Sequence[str]
    colours: Sequence[str]
    shapes: Sequence[str]
    plain: str = ""


# What a rater, or anything else that is looked at, may be: the order is that of the legend.
STATES = Marks(
    ("no flag", "flagged", "removed"),
    (LIGHT["s0"], LIGHT["s1"], LIGHT["s6"]),
    ("circle", "triangle-up", "cross"),
    plain="no flag",
)


class Plane(NamedTuple):
    """The two axes: titles and the ends of their scales."""

    x_title: str
    y_title: str
    x_ends: tuple[float, float]
    y_ends: tuple[float, float]


def points_chart(rows: list[Row], plane: Plane, *, narrow: bool, marks: Marks | None = None) -> Spec:
    """Points at `x` and `y` with their `name`; with `marks` colour and shape say what `mark` is.

    Without marks every name has a colour and a shape of its own. Where many points stand, only
    those that are marked are named; the table has every name.
    """
    import altair as alt

    width, height = NARROW if narrow else WIDE
    placed = _placed(rows, plane, (width, height), marks)
    axes = {
        "x": alt.X(
            "x:Q",
            title=plane.x_title,
            scale=alt.Scale(domain=list(plane.x_ends), nice=False),
            axis=alt.Axis(tickCount=4 if narrow else 6, format="~r"),
        ),
        "y": alt.Y(
            "y:Q",
            title=plane.y_title,
            scale=alt.Scale(domain=list(plane.y_ends), nice=False),
            axis=alt.Axis(tickCount=4 if narrow else 6, format="~r"),
        ),
    }
    base = alt.Chart(alt.NamedData(ROWS)).encode(**axes)
    if marks is None:
        names = [row["name"] for row in rows]
        looks = {"color": colour(alt, names, "name"), "shape": shape(alt, names, "name")}
    else:
        looks = _legend(alt, marks, {row["mark"] for row in rows})
    dots = base.mark_point(filled=True, size=110, opacity=0.9).encode(**looks)
    words = [
        base.transform_filter(alt.datum.side == side)
        .mark_text(fontSize=12, color=INK, **look)
        .encode(text="name:N")
        for side, look in SIDES.items()
        if any(row["side"] == side for row in placed)
    ]
    return finished(alt.layer(dots, *words).properties(width=width, height=height), placed)


def _legend(alt: Any, marks: Marks, seen: set[str]) -> dict[str, Any]:
    shown = [at for at, name in enumerate(marks.names) if name in seen]
    names = [marks.names[at] for at in shown]
    legend = alt.Legend(title=None, orient="top", symbolOpacity=1, labelFontSize=12, labelColor=INK)
    return {
        "color": alt.Color(
            "mark:N", legend=legend, scale=alt.Scale(domain=names, range=[marks.colours[at] for at in shown])
        ),
        "shape": alt.Shape(
            "mark:N", legend=legend, scale=alt.Scale(domain=names, range=[marks.shapes[at] for at in shown])
        ),
    }


def _placed(rows: list[Row], plane: Plane, size: tuple[int, int], marks: Marks | None) -> list[Row]:
    """The rows with the side that each name stands on: the first where it covers nothing."""
    spots = [
        (_along(row["x"], plane.x_ends) * size[0], (1 - _along(row["y"], plane.y_ends)) * size[1])
        for row in rows
    ]
    taken = [(x - 6, y - 6, x + 6, y + 6) for x, y in spots]
    many = len(rows) > MOST_NAMED
    found = []
    for row, spot in zip(rows, spots, strict=True):
        silent = many and marks is not None and row["mark"] == marks.plain
        side = "" if silent else _free_side(spot, len(str(row["name"])), taken, size)
        found.append({**row, "side": side})
    return found


def _free_side(spot: tuple[float, float], letters: int, taken: list[Box], size: tuple[int, int]) -> str:
    x, y = spot
    wide = letters * _LETTER
    boxes = {
        "right": (x + 8, y - _LINE / 2, x + 8 + wide, y + _LINE / 2),
        "left": (x - 8 - wide, y - _LINE / 2, x - 8, y + _LINE / 2),
        "above": (x - wide / 2, y - 8 - _LINE, x + wide / 2, y - 8),
        "below": (x - wide / 2, y + 8, x + wide / 2, y + 8 + _LINE),
    }
    for side, box in boxes.items():
        inside = box[0] >= 0 and box[2] <= size[0] + 20 and box[1] >= -_LINE and box[3] <= size[1]
        if inside and not any(_meet(box, other) for other in taken):
            taken.append(box)
            return side
    return ""


def _meet(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def _along(value: float, ends: tuple[float, float]) -> float:
    return (value - ends[0]) / (ends[1] - ends[0])
