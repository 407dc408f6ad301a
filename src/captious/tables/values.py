"""Tables as plain values that JSON holds: as they are kept, by column, and for a page."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from captious.tables.chart import Chart
from captious.tables.table import Cell, Number, Table

Value = str | int | float | None
LOW, HIGH = "low", "high"


def to_json(payload: Any) -> str:
    """JSON with two spaces of indentation; NaN and infinity become null."""
    import orjson

    options = orjson.OPT_INDENT_2 | orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_NON_STR_KEYS
    return orjson.dumps(payload, option=options).decode()


def to_dict(table: Table) -> dict[str, Any]:
    """A table as it is kept; `from_dict` finds it again."""
    rows = [[_value(cell) for cell in row] for row in table.rows]
    kept = {"title": table.title, "columns": list(table.columns), "note": table.note, "rows": rows}
    return kept | ({"chart": table.chart.kept()} if table.chart else {})


def from_dict(kept: Mapping[str, Any]) -> Table:
    """The table that was kept; JSON has no NaN, and an empty cell is one.

    >>> from_dict({"title": "T", "columns": ["a"], "note": "", "rows": [[None]]}).rows
    ((nan,),)
    """
    rows = tuple(tuple(math.nan if cell is None else cell for cell in row) for row in kept["rows"])
    chart = Chart.found(kept["chart"]) if "chart" in kept else None
    return Table(kept["title"], tuple(kept["columns"]), rows, kept["note"], chart=chart)


def by_column(table: Table) -> dict[str, Any]:
    """A table whose rows name their columns, for people who read JSON.

    >>> by_column(Table("T", ["system", "mean"], [["m2", 0.5]]))
    {'title': 'T', 'note': '', 'rows': [{'system': 'm2', 'mean': 0.5}]}
    """
    kept = to_dict(table)
    rows = [dict(zip(table.columns, row, strict=True)) for row in kept["rows"]]
    return {"title": table.title, "note": table.note, "rows": rows}


@dataclass(frozen=True)
class Drawn:
    """An interval of a row, to be drawn on the scale from `bottom` to `top`."""

    value: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class PageTable:
    """A table as a page's JSON twin sends it; `more` rows are in the export only."""

    title: str
    columns: list[str]
    numeric: list[bool]
    rows: list[list[Value]]
    note: str
    more: int = 0
    intervals: list[Drawn] | None = None
    bottom: float = 0.0
    top: float = 1.0


def for_page(table: Table, most_rows: int) -> PageTable:
    """The first rows of a table, with their intervals where the table has any.

    >>> made = for_page(Table("T", ("system", "mean", "low", "high"), (("m", 0.5, 0.4, 0.6),)), 9)
    >>> made.intervals[0].value, made.numeric
    (0.5, [False, True, True, True])
    """
    rows = [[_finite(_value(cell)) for cell in row] for row in table.rows[:most_rows]]
    numeric = [any(not isinstance(row[at], str) for row in table.rows) for at in range(len(table.columns))]
    intervals = _intervals(table.columns, rows)
    bottom, top = _scale(intervals or [])
    more = max(0, len(table.rows) - most_rows)
    return PageTable(
        table.title, list(table.columns), numeric, rows, table.note, more, intervals, bottom, top
    )


def _value(cell: Cell) -> str | int | float:
    return cell.value if isinstance(cell, Number) else cell


def _finite(value: str | float) -> Value:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _intervals(columns: Sequence[str], rows: Sequence[list[Value]]) -> list[Drawn] | None:
    """The value before a pair of `low` and `high`, where a table has one such pair."""
    if columns.count(LOW) != 1 or columns.count(HIGH) != 1 or columns.index(LOW) == 0:
        return None
    places = [columns.index(LOW) - 1, columns.index(LOW), columns.index(HIGH)]
    return [Drawn(*(_number(row[at]) for at in places)) for row in rows]


def _number(value: Value) -> float | None:
    return float(value) if isinstance(value, (int, float)) else None


def _scale(drawn: Sequence[Drawn]) -> tuple[float, float]:
    """Ends that hold every interval: [0, 1] or [-1, 1] where they fit, else whole numbers, tens above 10."""
    values = [v for one in drawn for v in (one.value, one.low, one.high) if v is not None]
    least, most = min(values, default=0.0), max(values, default=1.0)
    if least >= -1 and most <= 1:
        return (0.0 if least >= 0 else -1.0), 1.0
    return 0.0 - _rounded_up(-min(least, 0.0)), _rounded_up(max(most, 0.0))


def _rounded_up(end: float) -> float:
    """The next whole number, or above 10 the next ten: a mean of 92.2 is drawn on a scale to 100."""
    step = 10 if end > 10 else 1
    return float(step * math.ceil(end / step))
