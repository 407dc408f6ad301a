"""Read and write findings: JSON lines, CSV and Parquet with the same columns."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any

import orjson

from captious.arguments import check_arguments
from captious.corpus.findings import Finding, Findings
from captious.corpus.ids import clean_id
from captious.corpus.judgments import example_id
from captious.corpus.lists import is_missing
from captious.corpus.readers import Rows, read_every_column
from captious.corpus.readers.rows import MISSING
from captious.corpus.write import check_item_path
from captious.errors import InputError, as_written, one_line
from captious.files import atomically

COLUMNS = (
    "image", "system", "start", "end", "text", "kind", "severity", "confidence", "source", "note", "evidence",
    "caption", "example",
)  # fmt: skip
NEEDS = 'Each row needs "image", "caption", "start", "end" and "kind".'


def read_findings(path: str | PathLike[str], *, source: str = "") -> Findings:
    """Read findings from a file of rows: JSON lines, CSV or Parquet.

    The columns are `image`, `system`, `start`, `end`, `text`, `kind`, `severity`, `confidence`, `source`,
    `note`, `evidence`, `caption` and `example`; `image`, `caption`, `start`, `end` and `kind` are required.
    `start` and `end` count code points; both are empty for what is missing from the caption. `source` is
    who says so where the file does not tell; without it, the file's name.
    """
    check_arguments(read_findings, locals())
    rows = read_every_column(path)
    for name in ("image", "caption", "start", "end", "kind"):
        if name not in rows.columns:
            raise InputError(f'{rows.source}: there is no column "{name}". {NEEDS}')
    by = source or rows.stem
    try:
        return Findings.from_rows(_finding(rows, row, by) for row in range(len(rows)))
    except InputError as error:
        raise InputError(f"{rows.source}: {error.typed.removeprefix('findings: ')}") from None


def write_findings(findings: Findings, path: str | PathLike[str]) -> None:
    """Write findings to a .jsonl, .csv or .parquet file, looks that found nothing included."""
    target = Path(path)
    check_item_path(target)
    columns = columns_of(findings.rows())
    with atomically(target) as temporary:
        if target.suffix.lower() == ".csv":
            with temporary.open("w", encoding="utf-8", newline="") as file:
                # All texts in quotes: a lone carriage return in a caption would end the row otherwise.
                writer = csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)
                writer.writerow(columns)
                writer.writerows(zip(*columns.values(), strict=True))
        elif target.suffix.lower() == ".jsonl":
            with temporary.open("wb") as file:
                for row in zip(*columns.values(), strict=True):
                    file.write(orjson.dumps(dict(zip(columns, row, strict=True))) + b"\n")
        else:
            import pyarrow
            from pyarrow import parquet

            numbers = {"start": pyarrow.int64(), "end": pyarrow.int64(), "confidence": pyarrow.float64()}
            arrays = {
                name: pyarrow.array(column, numbers.get(name, pyarrow.string()))
                for name, column in columns.items()
            }
            parquet.write_table(pyarrow.table(arrays), temporary)


def columns_of(rows: Iterable[Finding]) -> dict[str, list[Any]]:
    """The columns of a file; ids of examples only where image and system do not tell them."""
    given = list(rows)
    columns: dict[str, list[Any]] = {name: [getattr(row, name) for row in given] for name in COLUMNS}
    columns["confidence"] = [None if math.isnan(one) else one for one in columns["confidence"]]
    if all(row.example == example_id(row.image, row.system) for row in given):
        del columns["example"]
    return columns


def _finding(rows: Rows, row: int, source: str) -> Finding:
    def text(name: str, default: str = "") -> str:
        cell = rows.columns[name][row] if name in rows.columns else None
        return default if cell is MISSING or is_missing(cell) or cell == "" else str(cell)

    cells = {name: column[row] for name, column in rows.columns.items()}
    where = f"{rows.source}: {rows.places[row]}"
    image = clean_id(cells["image"])
    if image is None:
        raise InputError(f'{where}: "image" is missing or not an id. {NEEDS}')
    if not isinstance(cells["caption"], str):
        raise InputError(f'{where}: "caption" is not text. {NEEDS}')
    found = Finding(
        image=image,
        system=text("system"),
        caption=cells["caption"],
        start=_number(cells, "start", where),
        end=_number(cells, "end", where),
        kind=text("kind"),
        severity=text("severity"),
        confidence=_confidence(cells, where),
        source=text("source", source),
        note=text("note"),
        evidence=text("evidence"),
        example=text("example"),
    )
    said = cells.get("text")
    if found.start is not None and isinstance(said, str) and said and said != found.text:
        raise InputError(
            f'{where}: "text" is "{one_line(said, 40)}", but {found.start}-{found.end} of the caption is '
            f'"{one_line(found.text, 40)}". Count characters (code points), not bytes or UTF-16 units.'
        )
    return found


def _number(cells: Mapping[str, object], name: str, where: str) -> int | None:
    cell = cells[name]
    if cell is MISSING or cell == "" or is_missing(cell):
        return None
    if isinstance(cell, (int, float, str)) and not isinstance(cell, bool):
        try:
            value = float(cell)
        except ValueError:
            value = math.nan
        if value.is_integer():
            return int(value)
    raise InputError(f'{where}: "{name}" is "{as_written(cell, 40)}". It must be a whole number, or empty.')


def _confidence(cells: Mapping[str, object], where: str) -> float:
    cell = cells.get("confidence", MISSING)
    if cell is MISSING or cell == "" or is_missing(cell):
        return math.nan
    try:
        value = float(cell) if isinstance(cell, (int, float, str)) else math.inf
    except ValueError:
        value = math.inf
    if not 0 <= value <= 1:
        raise InputError(
            f'{where}: "confidence" is "{as_written(cell, 40)}". It must be a number from 0 to 1.'
        )
    return value
