"""What a number rests on, said where it stands: few answers, agreement below chance."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from captious.tables import Cell, Number, Table

# Fewer than these cannot carry a conclusion: their interval spans most of the scale.
FEW = 10
COUNTS = ("comparisons", "captions", "images", "questions", "judgments")
COEFFICIENTS = ("alpha", "kappa")
NAMED = 5


def noted(tables: Sequence[Table]) -> list[Table]:
    """The tables, each with a line for rows that rest on little or agree less than by chance.

    >>> table = Table("T", ["system", "mean", "comparisons"], [["m1", 0.5, 2], ["m2", 0.1, 40]])
    >>> noted([table])[0].note
    'based on few comparisons (fewer than 10): m1 2'
    """
    return [
        replace(table, note="\n".join([*table.notes, *lines])) if (lines := _lines(table)) else table
        for table in tables
    ]


def _lines(table: Table) -> list[str]:
    lines = []
    columns = list(table.columns)
    count = next((name for name in COUNTS if name in columns), None)
    if count is not None:
        at = columns.index(count)
        few = [f"{_name(table, row)} {_number(row[at]):.0f}" for row in table.rows if _number(row[at]) < FEW]
        if few:
            lines.append(f"based on few {count} (fewer than {FEW}): {_listed(few)}")
    poor = [_name(table, row) for row in table.rows if _chance_corrected(columns, row) < 0]
    if poor:
        lines.append(
            f"below 0, less agreement than by chance: {_listed(poor)}; raters interpret these differently"
        )
    return lines


def _chance_corrected(columns: Sequence[str], row: Sequence[Cell]) -> float:
    """The row's alpha or kappa; NaN where it has none."""
    cells = dict(zip(columns, row, strict=True))
    if str(cells.get("coefficient", "")).lower().startswith(COEFFICIENTS) and "value" in cells:
        return _number(cells["value"])
    name = next((name for name in COEFFICIENTS if name in cells), None)
    return math.nan if name is None else _number(cells[name])


def _name(table: Table, row: Sequence[Cell]) -> str:
    """A row by its texts: a system, an aspect and its coefficient."""
    return " ".join(cell for cell in row[:2] if isinstance(cell, str) and cell) or str(row[0])


def _number(cell: Cell) -> float:
    value = cell.value if isinstance(cell, Number) else cell
    return float(value) if isinstance(value, int | float) else math.nan


def _listed(names: Sequence[str]) -> str:
    shown = list(dict.fromkeys(names))
    more = f" and {len(shown) - NAMED} more" if len(shown) > NAMED else ""
    return ", ".join(shown[:NAMED]) + more
