"""Write per-example scores: csv, jsonl or parquet, atomically."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from captious.corpus.scores import Scores
from captious.errors import InputError, MissingDependencyError
from captious.files import atomically, check_output
from captious.tables.formula import guarded

TEXT_COLUMNS = ("system", "image_id", "caption")
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
    check_item_path(path)
    writers: dict[str, Callable[[Scores, Path], None]] = {
        ".csv": partial(_write_csv, spell=guarded if csv_safe else str),
        ".jsonl": _write_jsonl,
        ".parquet": _write_parquet,
    }
    with atomically(path) as temporary:
        writers[path.suffix.lower()](scores, temporary)


def _columns(scores: Scores) -> dict[str, list[str] | list[float]]:
    corpus = scores.corpus
    columns: dict[str, list[str] | list[float]] = {
        "system": [corpus.systems[i] for i in corpus.system_of.tolist()],
        "image_id": [corpus.image_ids[i] for i in corpus.image_of.tolist()],
        "caption": corpus.captions,
    }
    for name in scores:
        columns[name] = scores[name].values.tolist()
        columns |= {f"{name}.{part}": values.tolist() for part, values in scores[name].details.items()}
    return columns


def _write_csv(scores: Scores, path: Path, spell: Callable[[str], str]) -> None:
    columns = {
        name: [spell(str(text)) for text in column] if name in TEXT_COLUMNS else column
        for name, column in _columns(scores).items()
    }
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))


def _write_jsonl(scores: Scores, path: Path) -> None:
    import orjson

    columns = _columns(scores)
    with path.open("wb") as file:
        for row in zip(*columns.values(), strict=True):
            file.write(orjson.dumps(dict(zip(columns, row, strict=True))) + b"\n")


def _write_parquet(scores: Scores, path: Path) -> None:
    pyarrow = _pyarrow()
    from pyarrow import parquet

    columns = {k: v if k in TEXT_COLUMNS else np.asarray(v) for k, v in _columns(scores).items()}
    parquet.write_table(pyarrow.table(columns), path)


def _pyarrow() -> Any:
    try:
        import pyarrow
    except ImportError:
        raise MissingDependencyError("Parquet files need pyarrow", "tables") from None
    return pyarrow
