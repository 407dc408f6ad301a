"""Tables with a header: CSV, TSV (any common delimiter) and Parquet."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal

from captious.corpus.columns import is_missing
from captious.corpus.readers.detect import delimiter_of, first_lines
from captious.corpus.readers.harnesses import of_vlmevalkit
from captious.corpus.readers.names import NUMBERED_REFERENCE, is_of_use
from captious.corpus.readers.open import Source
from captious.corpus.readers.parquet_size import check_parquet
from captious.corpus.readers.rows import MISSING, Column, Places, Problem, Rows, by_role
from captious.errors import InputError, MissingDependencyError, one_line

_RULE = re.compile(r"(?::?-{3,}:?)?")


def read_delimited(source: Source) -> Rows:
    """A table of text with a header; every cell is text, an empty one an empty text."""
    header_line, _ = first_lines(source.data)
    delimiter = delimiter_of(header_line)
    if delimiter is None:
        found = one_line(header_line, 60)
        raise InputError(
            f'{source.name}: line 1: "{found}" does not name columns for images and '
            "captions. Start the file with a header, such as image_id,caption (for ratings: "
            "image_id,rater,rating)."
        )
    columns, lines, problems = text_columns(source, delimiter)
    named, keys = by_role(columns)
    _gather_references(named)
    if "references" in named:
        named["references"] = [_texts_in_cell(cell) for cell in named["references"]]
    header = [name.strip().strip('"') for name in header_line.split(delimiter)]
    format_name = "tsv" if delimiter == "\t" else "csv"
    format_name = "vlmevalkit" if of_vlmevalkit(source, header) else format_name
    return Rows(
        source=source.name,
        stem=source.stem,
        format=format_name,
        columns=named,
        keys=keys,
        places=Places("line", lines),
        problems=problems,
    )


def text_columns(
    source: Source, delimiter: str, wanted: Callable[[str], bool] = is_of_use
) -> tuple[dict[str, Column], list[int], list[Problem]]:
    """The wanted columns of a table of text, the line of each row, and rows that do not fit."""
    lines: list[int] = []
    problems: list[Problem] = []
    with fields_up_to(len(source.data) + 1):
        reader = csv.reader(
            io.TextIOWrapper(io.BytesIO(source.data), encoding="utf-8", newline=""),
            delimiter=delimiter,
            quoting=quoting_of(source.data, delimiter),
            strict=True,
        )
        try:
            header = [name.strip() for name in next(row for row in reader if row)]
            columns: dict[str, Column] = {name: [] for name in header if wanted(name)}
            _refuse_repeated(source, header, columns)
            placed = [(header.index(name), column) for name, column in columns.items()]
            for row in reader:
                if _is_of_header(row, header):
                    what = "is a header or a rule, not a caption"
                    problems.append(Problem("shape", f"line {reader.line_num}", what, "Remove the line."))
                elif len(row) == len(header):
                    for place, column in placed:
                        column.append(row[place])
                    lines.append(reader.line_num)
                elif row:
                    what = f"has {len(row)} cells, the header has {len(header)}"
                    mend = 'Put text that contains the delimiter in "double quotes".'
                    problems.append(Problem("shape", f"line {reader.line_num}", what, mend))
        except csv.Error as error:
            raise InputError(
                f"{source.name}: line {reader.line_num}: {error}. "
                'Inside quotes write "" for a quote, and close every quote.'
            ) from None
    if not lines and not problems:
        raise InputError(f"{source.name}: has a header but no rows. Add a line for each caption.")
    return columns, lines, problems


def _is_of_header(row: list[str], header: list[str]) -> bool:
    """Whether a line repeats the header, as files put together do, or draws Markdown's rule below it."""
    cells = [cell.strip() for cell in row]
    return cells == header or (any(cells) and all(map(_RULE.fullmatch, cells)))


def _refuse_repeated(source: Source, header: list[str], columns: dict[str, Column]) -> None:
    for name in columns:
        if header.count(name) > 1:
            raise InputError(
                f'{source.name}: line 1: the column "{one_line(name, 40)}" occurs twice. '
                "Keep one, or rename the other."
            )


@contextmanager
def fields_up_to(size: int) -> Iterator[None]:
    """The csv module refuses cells over 128 KB unless told; told only while we read."""
    before = csv.field_size_limit()
    csv.field_size_limit(max(before, size))
    try:
        yield
    finally:
        csv.field_size_limit(before)


def quoting_of(data: bytes, delimiter: str) -> Literal[0, 3]:
    """Whether quotes enclose cells, as CSV has it, or, in files with tabs, are part of captions."""
    enclose = delimiter != "\t" or all(
        len(cell) > 1 and cell.endswith(b'"')
        for line in data.splitlines()
        if b'"' in line
        for cell in line.split(b"\t")
        if cell.startswith(b'"')
    )
    return csv.QUOTE_MINIMAL if enclose else csv.QUOTE_NONE


def _gather_references(columns: dict[str, Column]) -> None:
    """One column of lists out of `reference_1`, `reference_2`, …."""
    numbered = [name for name in columns if NUMBERED_REFERENCE.fullmatch(name)]
    if numbered and "references" not in columns:
        parts = [columns.pop(name) for name in numbered]
        columns["references"] = [
            [text for text in row if text != "" and not is_missing(text)] for row in zip(*parts, strict=True)
        ]


def _texts_in_cell(cell: object) -> object:
    """The references of a cell: an empty one has none."""
    if isinstance(cell, list):
        return cell
    return [cell] if cell != "" else []


def read_parquet(source: Source) -> Rows:
    """A Parquet table, through pyarrow."""
    with parquet_errors(source.name):
        table = parquet_table(source)
        columns = {name: table.column(name).to_pylist() for name in table.column_names if is_of_use(name)}
    return rows_of_columns(columns, source.name, source.stem, "parquet", table.column_names)


def rows_of_columns(
    columns: dict[str, Column], name: str, stem: str, format_name: str, found: Sequence[str] = ()
) -> Rows:
    """Rows of columns by name; `found` are the names of all columns, for a message."""
    named, keys = by_role(columns)
    _gather_references(named)
    if not {"caption", "references", "rating"} & named.keys():
        there = one_line(", ".join(found or columns))
        raise InputError(f'{name}: no caption column (found: {there}). Name one of the columns "caption".')
    if not any(map(len, columns.values())):
        raise InputError(f"{name}: the table has no rows. Add a row for each caption.")
    for column in named.values():
        column[:] = [MISSING if cell is not None and is_missing(cell) else cell for cell in column]
    return Rows(name, stem, format_name, named, Places("row"), keys)


def parquet_table(source: Source) -> Any:
    """The pyarrow table that a source holds."""
    import pyarrow as arrow
    from pyarrow import parquet

    check_parquet(source.data, source.name)
    return parquet.read_table(arrow.BufferReader(source.data))


@contextmanager
def parquet_errors(name: str) -> Iterator[None]:
    """Turn a missing pyarrow, and what it says of broken files, into errors of ours."""
    try:
        import pyarrow as arrow
    except ImportError:
        raise MissingDependencyError(f"{name}: Parquet files need pyarrow", "tables") from None
    try:
        yield
    except (arrow.ArrowException, OSError, UnicodeDecodeError) as error:
        reason = one_line(str(error).split("\n", maxsplit=1)[0], 60)
        raise InputError(
            f"{name}: the Parquet file cannot be read ({reason}). Write or copy it again."
        ) from None
