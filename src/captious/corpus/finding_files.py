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
from captious.corpus.columns import is_missing
from captious.corpus.finding_formats import READERS, brat, format_of, holds_findings
from captious.corpus.findings import Finding, Findings
from captious.corpus.ids import clean_id
from captious.corpus.judgments import example_id
from captious.corpus.readers import Places, Rows, open_source, read_every_column
from captious.corpus.readers.open import stem_of
from captious.corpus.readers.rows import MISSING
from captious.corpus.write import check_item_path
from captious.errors import InputError, as_written, one_line
from captious.files import atomically

COLUMNS = (
    "image", "system", "start", "end", "text", "kind", "severity", "confidence", "source", "note", "evidence",
    "caption", "example",
)  # fmt: skip
EXTRAS = ("references", "objects", "image_path")
NEEDS = 'Each row needs "image", "caption", "start", "end" and "kind".'


def read_findings(path: str | PathLike[str], *, source: str = "") -> Findings:
    """Read findings from a file of rows (JSON lines, CSV or Parquet), or what other tools marked.

    The columns are `image`, `system`, `start`, `end`, `text`, `kind`, `severity`, `confidence`, `source`,
    `note`, `evidence`, `caption` and `example`; `image`, `caption`, `start`, `end` and `kind` are required.
    `start` and `end` count code points; both are empty for what is missing from the caption. `source` is
    who says so where the file does not tell; without it, the file's name. Without `system` and `example`,
    several captions of an image are numbered in order of appearance.

    Also Label Studio's JSON export, brat's `.ann` (with its `.txt`, or a folder of both) and WebAnno TSV 3;
    the content tells which, and offsets become code points.
    """
    check_arguments(read_findings, locals())
    return _read(path, source)[0]


def read_marked_rows(path: str | PathLike[str]) -> tuple[Findings, Rows]:
    """Findings, and a row for each example with its image, system, caption and what else the file tells.

    That are the columns `references`, `objects` and `image_path` of a file of rows.
    """
    findings, rows = _read(path, "")
    columns: dict[str, list[object]] = {
        "image": [image for image, _ in findings.keys],
        "system": [system for _, system in findings.keys],
        "caption": list(findings.captions),
        "example": list(findings.ids),
    }
    given = {} if rows is None else rows.columns
    for name in (one for one in EXTRAS if one in given):
        cells: dict[str, object] = {}
        for image, caption, cell in zip(*(given[key] for key in ("image", "caption", name)), strict=True):
            cells.setdefault(f"{clean_id(image)}|{caption}", cell)
        columns[name] = [
            cells[f"{image}|{caption}"]
            for (image, _), caption in zip(findings.keys, findings.captions, strict=True)
        ]
    return findings, Rows(str(path), stem_of(path), "findings", columns, Places("example"))


def _read(path: str | PathLike[str], source: str) -> tuple[Findings, Rows | None]:
    """Findings, and the rows of the file if it is one of rows."""
    if Path(path).is_dir():
        if not holds_findings(path):
            raise InputError(f"{path}: is a folder without .ann files. Name a file, or a folder of brat.")
        return Findings.from_rows(brat.read_folder(Path(path), source)), None
    opened = brat.opened(Path(path)) if Path(path).suffix == ".ann" else open_source(path)
    other = brat.read if Path(path).suffix == ".ann" else READERS.get(format_of(opened) or "rows")
    by = source or opened.stem
    try:
        if other is not None:
            return Findings.from_rows(other(opened, by if other is not brat.read else source)), None
        rows = read_every_column(path)
        for name in ("image", "caption", "start", "end", "kind"):
            if name not in rows.columns:
                raise InputError(f'{rows.source}: there is no column "{name}". {NEEDS}')
        found = [_finding(rows, row, by) for row in range(len(rows))]
        if not {"system", "example"} & rows.columns.keys():
            found = _numbered(found)
        return Findings.from_rows(found), rows
    except InputError as error:
        said = error.typed
        raise InputError(
            f"{opened.name}: {said.removeprefix('findings: ')}" if said.startswith("findings: ") else said
        ) from None


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


def _numbered(found: list[Finding]) -> list[Finding]:
    """Captions without a system are told apart by a number within each image, in order of appearance."""
    captions: dict[str, dict[str, int]] = {}
    for one in found:
        captions.setdefault(one.image, {}).setdefault(one.caption, len(captions[one.image]) + 1)
    places = [captions[one.image][one.caption] for one in found]
    return [
        one if place == 1 else one._replace(example=f"{one.image}|{place}")
        for one, place in zip(found, places, strict=True)
    ]


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
