"""Write rows, of per-example scores or else: csv, jsonl or parquet, atomically."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from captious.corpus.columns import is_list
from captious.corpus.scores import Scores
from captious.errors import InputError, MissingDependencyError
from captious.files import atomically, check_output
from captious.tables.formula import guarded

Columns = Mapping[str, Sequence[Any]]
ITEM_SUFFIXES = (".csv", ".jsonl", ".parquet")


def check_item_path(path: Path, inputs: Iterable[Path] = ()) -> None:
    """Refuse, before any work is done, a file that could not be written afterwards."""
    if path.suffix.lower() not in ITEM_SUFFIXES:
        raise InputError(
            f'{path}: cannot tell the format from "{path.suffix}". '
            f"End the name in {', '.join(ITEM_SUFFIXES)}."
        )
    check_output(path, inputs)
    if path.suffix.lower() == ".parquet":
        _pyarrow()


def write_items(scores: Scores, path: Path, *, csv_safe: bool = False) -> None:
    """One row an example: system, image_id, caption and a column for each metric.

    Texts are written as they are, so that they can be read back; with `csv_safe` a CSV file gets
    an apostrophe before texts that a spreadsheet would run as formulas.
    """
    write_columns(_columns(scores), path, csv_safe=csv_safe)


def write_columns(columns: Columns, path: Path, *, csv_safe: bool = False) -> None:
    """Columns of numbers, texts or lists of texts as a file; in CSV a list is JSON."""
    check_item_path(path)
    writers: dict[str, Callable[[Columns, Path], None]] = {
        ".csv": partial(_write_csv, spell=guarded if csv_safe else str),
        ".jsonl": _write_jsonl,
        ".parquet": _write_parquet,
    }
    with atomically(path) as temporary:
        writers[path.suffix.lower()](columns, temporary)


def _columns(scores: Scores) -> Columns:
    corpus = scores.corpus
    columns: dict[str, Sequence[Any]] = {
        "system": [corpus.systems[i] for i in corpus.system_of.tolist()],
        "image_id": [corpus.image_ids[i] for i in corpus.image_of.tolist()],
        "caption": corpus.captions,
    }
    for name in scores:
        columns[name] = scores[name].values.tolist()
        columns |= {f"{name}.{part}": values.tolist() for part, values in scores[name].details.items()}
    return columns


def _write_csv(columns: Columns, path: Path, spell: Callable[[str], str]) -> None:
    import orjson

    columns = {
        name: [
            spell(cell) if isinstance(cell, str) else orjson.dumps(cell).decode() if is_list(cell) else cell
            for cell in column
        ]
        for name, column in columns.items()
    }
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))


def _write_jsonl(columns: Columns, path: Path) -> None:
    import orjson

    with path.open("wb") as file:
        for row in zip(*columns.values(), strict=True):
            file.write(orjson.dumps(dict(zip(columns, row, strict=True))) + b"\n")


def _write_parquet(columns: Columns, path: Path) -> None:
    pyarrow = _pyarrow()
    from pyarrow import parquet

    parquet.write_table(pyarrow.table(dict(columns)), path)


def _pyarrow() -> Any:
    try:
        import pyarrow
    except ImportError:
        raise MissingDependencyError("Parquet files need pyarrow", "tables") from None
    return pyarrow
