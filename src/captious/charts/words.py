"""What a chart shows, in words: for those who read rather than look, and for those who cannot see it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from captious.charts.columns import column, intervals, numbers
from captious.tables import Chart, Table
from captious.tables.html import spelled

MOST_TOLD = 10


def finding_of(table: Table, chart: Chart) -> str:
    """A sentence or two on what the chart of a table shows."""
    told = _TOLD[chart.kind](table, chart)
    return told[:1].upper() + told[1:]


def _bars(table: Table, chart: Chart) -> str:
    pairs = zip(column(table, chart.x), column(table, chart.y), strict=True)
    return f"{chart.y} by {chart.x}. " + ", ".join(f"{x}: {spelled(y)}" for x, y in pairs) + "."


def _intervals(table: Table, chart: Chart) -> str:
    told = []
    for one in intervals(table, chart):
        panel = f"{one.panel}, " if one.panel else ""
        known = not (math.isnan(one.low) or math.isnan(one.high))
        between = f" ({one.low:.2f} to {one.high:.2f})" if known else ""
        told.append(f"{panel}{one.row} {one.value:.2f}{between}")
    return _listed(told)


def _points(table: Table, chart: Chart) -> str:
    names, marks = column(table, chart.series), column(table, chart.mark)
    spots = list(zip(numbers(table, chart.x), numbers(table, chart.y), strict=True))
    if not chart.mark:
        return _listed(
            [f"{n}: {chart.x} {x:.2f}, {chart.y} {y:.2f}" for n, (x, y) in zip(names, spots, strict=True)]
        )
    plain = sum(not mark.startswith(("flagged", "removed")) for mark in map(str, marks))
    told = [f"{plain} without a flag"]
    for state in ("flagged", "removed"):
        own = [str(n) for n, mark in zip(names, marks, strict=True) if str(mark).startswith(state)]
        told += [f"{state}: {', '.join(own)}"] if own else []
    return "; ".join(told) + "."


def _heat(table: Table, chart: Chart) -> str:
    values = numbers(table, chart.value)
    told = []
    for row in dict.fromkeys(map(str, column(table, chart.y))):
        own = [
            (value, str(x))
            for value, x, y in zip(values, column(table, chart.x), column(table, chart.y), strict=True)
            if str(y) == row and not math.isnan(value)
        ]
        if own:
            most = max(own, key=lambda pair: pair[0])
            said = f"most of all {_plain(most[1])} ({most[0]:.0%})" if most[0] else "none"
            told.append(f"{row}: {said}")
    return _listed(told)


def _shares(table: Table, chart: Chart) -> str:
    best: dict[tuple[str, str], tuple[float, str]] = {}
    for panel, name, level, share in zip(
        column(table, chart.panel),
        column(table, chart.series),
        column(table, chart.x),
        numbers(table, chart.y),
        strict=True,
    ):
        key = (str(panel), str(name))
        if share > best.get(key, (-1.0, ""))[0]:
            best[key] = (share, f"{level:g}" if isinstance(level, float) else str(level))
    told: dict[str, list[str]] = {}
    for (panel, name), (share, level) in best.items():
        told.setdefault(panel, []).append(f"{name} {level} ({share:.0%})")
    return _listed([f"{_plain(panel)}, most often: {', '.join(own)}" for panel, own in told.items()])


def _lines(table: Table, chart: Chart) -> str:
    last: dict[str, str] = {}
    reached = ""
    for panel, series, x, y, low, high in zip(
        column(table, chart.panel),
        column(table, chart.series),
        column(table, chart.x),
        numbers(table, chart.y),
        numbers(table, chart.low),
        numbers(table, chart.high),
        strict=True,
    ):
        if math.isnan(y):
            continue
        at = f"{x:,}" if isinstance(x, int) else str(x)
        between = "" if math.isnan(low) or low == high else f" ({_number(low)} to {_number(high)})"
        value = _number(y)
        reached = at
        where = "" if panel else f" by {at}"
        last[f"{panel}{series}"] = f"{_plain(panel or series)}: {value}{between}{where}"
    after = f"After {reached} {chart.x}: " if chart.panel else ""
    return after + _listed(list(last.values()))


def _number(value: float) -> str:
    """A count whole, anything else with two decimals.

    >>> _number(132.0), _number(0.5), _number(1.0)
    ('132', '0.50', '1.00')
    """
    return f"{value:,.0f}" if value == round(value) and abs(value) > 1 else f"{value:.2f}"


def _plain(name: object) -> str:
    return str(name).replace("_", " ")


def _listed(told: Sequence[str]) -> str:
    more = len(told) - MOST_TOLD
    text = "; ".join(told[:MOST_TOLD]).replace(" -", " −").replace("(-", "(−")
    return f"{text}; {more} more in the table." if more > 0 else f"{text}." if text else ""


_TOLD: dict[str, Callable[[Table, Chart], str]] = {
    "bars": _bars,
    "intervals": _intervals,
    "points": _points,
    "heat": _heat,
    "shares": _shares,
    "lines": _lines,
}
