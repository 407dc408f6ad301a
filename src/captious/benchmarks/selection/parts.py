"""Parts of a file of judgments: the rows that some columns choose, and results for each value of one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from captious.benchmarks.protocol import RatedExamples
from captious.benchmarks.scores import BenchmarkScores
from captious.benchmarks.selection.extra_inputs import examples_of
from captious.corpus.columns import IntArray
from captious.corpus.readers import open_source, read_every_column
from captious.errors import InputError, UnknownNameError, one_line

SYSTEM = "system"
MOST_VALUES = 100


class Condition(NamedTuple):
    """A column and the value that a row must have there, as text."""

    column: str
    value: str


class Chosen(NamedTuple):
    """Rows of a file, and for each of them the value of the column that results are wanted by."""

    rows: list[int]
    by: list[str]


def condition(text: str) -> Condition:
    """Read `COLUMN=VALUE`.

    >>> condition("source=model a")
    Condition(column='source', value='model a')
    """
    column, equals, value = text.partition("=")
    if not equals or not column.strip():
        raise InputError(f'--where "{one_line(text, 40)}": write COLUMN=VALUE, for example split=test.')
    return Condition(column.strip(), value.strip())


def chosen_rows(path: Path, conditions: Sequence[Condition], by: str = "") -> Chosen:
    """The rows of a file that meet all conditions, by any of its columns."""
    if open_source(path).data[:1] == b"[":
        raise InputError(f"{path}: --where and --by need JSON lines, CSV, TSV or Parquet. Save it as one.")
    table = read_every_column(path)
    for name in (*(one.column for one in conditions), *([by] if by else [])):
        if name not in table.columns:
            raise UnknownNameError("column", name, table.columns)
    cells = {name: list(map(_text, table.columns[name])) for name in table.columns}
    rows = [
        row for row in range(len(table)) if all(cells[one.column][row] == one.value for one in conditions)
    ]
    if not rows:
        said = " and ".join(f"{one.column}={one.value}" for one in conditions)
        known = sorted(set(cells[conditions[-1].column]))[:8] if conditions else []
        raise InputError(f"{path}: no row has {one_line(said)}. Known values: {one_line(', '.join(known))}.")
    return Chosen(rows, [cells[by][row] for row in rows] if by else [])


def _text(cell: object) -> str:
    """A cell as it would be typed: 3.0 of a table is 3."""
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return "" if cell is None else str(cell).strip()


def groups_of(data: RatedExamples, column: str) -> dict[str, IntArray]:
    """For each value of a column the examples that have it."""
    values = systems_of(data) if column == SYSTEM else data.by
    names = list(dict.fromkeys(values))
    if len(names) > MOST_VALUES:
        raise InputError(f"--by {column}: {len(names):,} values, but at most {MOST_VALUES} are possible.")
    table = np.array(values, dtype=object)
    return {name: np.flatnonzero(table == name) for name in names}


def systems_of(data: RatedExamples) -> list[str]:
    """The system of each example."""
    return [data.corpus.systems[place] for place in data.corpus.system_of.tolist()]


def part_of(
    data: RatedExamples, scores: BenchmarkScores, rows: IntArray
) -> tuple[RatedExamples, BenchmarkScores]:
    """Some examples with the scores that they have among all."""
    arrays = {name: own[:, rows] for name, own in scores.arrays.items()}
    findings = {name: own.select(rows) for name, own in scores.findings.items()}
    return examples_of(data, rows), BenchmarkScores(arrays, scores.signatures, findings)
