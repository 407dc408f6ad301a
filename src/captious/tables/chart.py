"""`Chart`: how a table is drawn. The table says what each mark is; the chart has no number of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

Kind = Literal["bars", "intervals", "points", "heat", "shares", "lines"]
Ends = tuple[float, float]


@dataclass(frozen=True)
class Chart:
    """Which columns of a table become which marks. Axes are those of the scale, not of the data.

    | kind | what is drawn |
    |---|---|
    | `bars` | `y` as bars over `x` |
    | `intervals` | `x` from `low` to `high`, for each `y`, and `baseline` as a line; quiet with a `mark` |
    | `points` | `x` against `y`, a point for each `series`; its shape and colour say what stands in `mark` |
    | `heat` | `value` at column `x` and row `y` |
    | `shares` | the share `y` of each `x`, a histogram for each `series` |
    | `lines` | `y` over `x` with a band from `low` to `high`; `dashed` names a series that is not measured |

    `panel` parts a chart, a panel for each of its values. `x_scale` and `y_scale` are the ends of
    the scales; without them an axis begins at 0 and ends above the highest value. `goal` is a line
    across the chart. `how` is a sentence that says how to read it.
    """

    kind: Kind
    x: str
    y: str
    value: str = ""
    low: str = "low"
    high: str = "high"
    series: str = ""
    panel: str = ""
    mark: str = ""
    dashed: str = ""
    baseline: str = ""
    x_scale: Ends | None = None
    y_scale: Ends | None = None
    goal: float | None = None
    how: str = ""

    def kept(self) -> dict[str, Any]:
        """What differs from the defaults, as JSON holds it.

        >>> Chart("bars", "rating", "share").kept()
        {'kind': 'bars', 'x': 'rating', 'y': 'share'}
        """
        plain = asdict(Chart(self.kind, self.x, self.y))
        required = ("kind", "x", "y")
        return {
            name: value for name, value in asdict(self).items() if name in required or value != plain[name]
        }

    @classmethod
    def found(cls, kept: Mapping[str, Any]) -> Chart:
        """The chart that was kept.

        >>> Chart.found({"kind": "points", "x": "p", "y": "r", "x_scale": [1, 5]}).x_scale
        (1, 5)
        """
        ends = {name: tuple(kept[name]) for name in ("x_scale", "y_scale") if kept.get(name)}
        return cls(**{**kept, **ends})
