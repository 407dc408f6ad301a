"""Rows into files: JSON lines, CSV and Parquet, a batch at a time, so that size is no matter."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import orjson

from captious.campaigns.exchange.croissant import NUMBER, WHOLE, YES_NO, Column
from captious.errors import InputError, MissingDependencyError, UnknownNameError
from captious.files import atomically
from captious.tables.formula import guarded

FORMATS = ("jsonl", "csv", "parquet")
BATCH = 20_000

RowValues = dict[str, Any]
Sink = Callable[[Sequence[RowValues]], None]


def checked_formats(formats: Iterable[str]) -> tuple[str, ...]:
    """The formats without repetition; an unknown one is refused.

    >>> checked_formats(["csv", "csv"])
    ('csv',)
    """
    found = tuple(dict.fromkeys(formats))
    for name in found:
        if name not in FORMATS:
            raise UnknownNameError("format", name, FORMATS)
    if not found:
        raise InputError(f"formats: give one at least of {', '.join(FORMATS)}.")
    if "parquet" in found:
        _pyarrow()
    return found


def write_rows(
    folder: Path, name: str, rows: Iterable[RowValues], columns: Sequence[Column], formats: Sequence[str]
) -> list[Path]:
    """Write the rows once in each format, reading them once; returns the files.

    Lists and mappings are JSON text in CSV and Parquet, except lists of texts, which Parquet holds.
    """
    opened = {"jsonl": _jsonl, "csv": _csv, "parquet": _parquet}
    paths = [folder / f"{name}.{form}" for form in formats]
    with ExitStack() as stack:
        sinks = [
            stack.enter_context(opened[form](stack.enter_context(atomically(path)), columns))
            for form, path in zip(formats, paths, strict=True)
        ]
        for batch in _batches(rows):
            for sink in sinks:
                sink(batch)
    return paths


def _batches(rows: Iterable[RowValues]) -> Iterator[list[RowValues]]:
    batch: list[RowValues] = []
    for row in rows:
        batch.append(row)
        if len(batch) >= BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


@contextmanager
def _jsonl(path: Path, columns: Sequence[Column]) -> Iterator[Sink]:
    with path.open("wb") as file:
        yield lambda rows: file.writelines(orjson.dumps(row) + b"\n" for row in rows)


@contextmanager
def _csv(path: Path, columns: Sequence[Column]) -> Iterator[Sink]:
    names = [column.name for column in columns if column.name != "references"]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(names)
        yield lambda rows: writer.writerows([cell(row.get(n)) for n in names] for row in rows)


@contextmanager
def _parquet(path: Path, columns: Sequence[Column]) -> Iterator[Sink]:
    pyarrow = _pyarrow()
    from pyarrow import parquet

    kinds = {NUMBER: pyarrow.float64(), WHOLE: pyarrow.int64(), YES_NO: pyarrow.bool_()}
    fields = [
        (
            column.name,
            pyarrow.list_(pyarrow.string())
            if column.name == "references"
            else kinds.get(column.kind, pyarrow.string()),
        )
        for column in columns
    ]
    shape = pyarrow.schema(fields)
    with parquet.ParquetWriter(path, shape) as writer:

        def write(rows: Sequence[RowValues]) -> None:
            arrays = {
                name: [row.get(name) if name == "references" else _plain(row.get(name), None) for row in rows]
                for name, _ in fields
            }
            writer.write_table(pyarrow.table(arrays, schema=shape))

        yield write


def cell(value: Any) -> Any:
    """A value for CSV, guarded against spreadsheets.

    >>> cell("=1+1"), cell("A dog."), cell(-1.5)
    ("'=1+1", 'A dog.', -1.5)
    """
    found = _plain(value)
    return guarded(found) if isinstance(found, str) else found


def _plain(value: Any, empty: str | None = "") -> Any:
    if value is None:
        return empty
    if isinstance(value, (dict, list, tuple)):
        return orjson.dumps(value).decode()
    return value


def _pyarrow() -> Any:
    try:
        import pyarrow
    except ImportError:
        raise MissingDependencyError("Parquet files need pyarrow", "tables") from None
    return pyarrow
