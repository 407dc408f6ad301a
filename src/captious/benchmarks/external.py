"""Scores that somebody computed elsewhere, to be judged exactly like ours.

Long files have a row an example and metric (`system, id, metric, score`), wide files a row an
example and a column a metric. CSV, TSV, JSON lines and Parquet, plain or gzip.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from captious.benchmarks.protocol import Judged, Preferences
from captious.benchmarks.scores import BenchmarkScores
from captious.corpus.ids import clean_id, meet
from captious.corpus.readers import Source, open_source
from captious.errors import InputError, MissingDependencyError, UnknownNameError, one_line

ID_NAMES = ("id", "item", "item_id", "image_id", "seg_id", "image", "key")
SYSTEM_NAMES = ("system", "sys", "model")
METRIC_NAMES = ("metric",)
SCORE_NAMES = ("score", "value")
# Columns that travel in such files and are no scores.
NOT_SCORES = {"caption", "candidate", "hyp", "references", "refs", "set_id", "rating", "human_score"}

Row = dict[str, Any]


def read_scores(
    path: Path, data: Judged | Preferences, metrics: Sequence[str] | None = None
) -> BenchmarkScores:
    """Read a file of scores and lay each metric along the benchmark's examples.

    Every example needs a score by every metric that is read; `metrics` picks some of them.
    """
    rows = _rows(open_source(path))
    if not rows:
        raise InputError(f"{path}: no rows. Write a row for each example.")
    names = list(rows[0])
    id_name, system_name = _named(names, ID_NAMES), _named(names, SYSTEM_NAMES)
    if id_name is None:
        raise InputError(
            f"{path}: no column is named {', '.join(ID_NAMES[:3])} or so "
            f"(found: {one_line(', '.join(names))}). Name the column that tells examples apart."
        )
    metric_name, score_name = _named(names, METRIC_NAMES), _named(names, SCORE_NAMES)
    keys = _keys(path, rows, id_name, system_name)
    if metric_name is not None and score_name is not None:
        cells = [(str(row[metric_name]), row[score_name]) for row in rows]
        table = _long(path, keys, cells, metrics)
    else:
        ours = {id_name, system_name} | {n for n in names if n.casefold() in NOT_SCORES}
        columns = [name for name in names if name not in ours]
        table = _wide(path, keys, rows, columns, metrics)
    arrays = {name: _along(path, name, found, data)[None, :] for name, found in table.items()}
    return BenchmarkScores(arrays, {name: f"{name}|from:{path.name}" for name in arrays})


def _rows(source: Source) -> list[Row]:
    if source.is_parquet:
        return _parquet(source)
    text = source.data.decode("utf-8")
    if text.lstrip().startswith("{"):
        return _json_lines(source)
    first = text.partition("\n")[0]
    delimiter = "\t" if "\t" in first else ","
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        rows = list(reader)
    except csv.Error as error:
        raise InputError(f"{source.name}: line {reader.line_num}: {error}. Mend the line.") from None
    for number, row in enumerate(rows, 2):
        if None in row or None in row.values():
            raise InputError(
                f"{source.name}: line {number}: not as many cells as the header has. Mend the line."
            )
    return rows


def _json_lines(source: Source) -> list[Row]:
    import orjson

    rows: list[Row] = []
    for number, line in enumerate(source.data.splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = orjson.loads(line)
        except orjson.JSONDecodeError:
            raise InputError(f"{source.name}: line {number}: is not JSON. Mend the line.") from None
        if not isinstance(row, dict):
            raise InputError(f"{source.name}: line {number}: is no object. Write one a line.")
        rows.append(row)
    return rows


def _parquet(source: Source) -> list[Row]:
    try:
        import pyarrow as arrow
        from pyarrow import parquet
    except ImportError:
        raise MissingDependencyError(f"{source.name}: reading Parquet needs pyarrow", "tables") from None
    try:
        rows: list[Row] = parquet.read_table(arrow.BufferReader(source.data)).to_pylist()
    except arrow.ArrowException as error:
        raise InputError(
            f"{source.name}: the Parquet file cannot be read ({one_line(str(error), 60)})."
        ) from None
    return rows


def _named(names: list[str], wanted: Sequence[str]) -> str | None:
    folded = {name.strip().casefold(): name for name in names}
    return next((folded[name] for name in wanted if name in folded), None)


def _keys(path: Path, rows: list[Row], id_name: str, system_name: str | None) -> list[str]:
    found = []
    for number, row in enumerate(rows, 1):
        own = clean_id(row.get(id_name))
        if own is None:
            raise InputError(f'{path}: row {number}: "{id_name}" is missing. Give every row an id.')
        system = clean_id(row.get(system_name)) if system_name else None
        found.append(f"{system}|{own}" if system else own)
    return found


def _long(
    path: Path, keys: list[str], cells: list[tuple[str, Any]], metrics: Sequence[str] | None
) -> dict[str, dict[str, float]]:
    names = list(dict.fromkeys(name for name, _ in cells))
    chosen = _chosen(names, metrics)
    table: dict[str, dict[str, float]] = {name: {} for name in chosen}
    for number, (key, (name, cell)) in enumerate(zip(keys, cells, strict=True), 1):
        if name in table:
            _put(path, table[name], key, _number(path, number, name, cell), number, name)
    return table


def _wide(
    path: Path, keys: list[str], rows: list[Row], columns: list[str], metrics: Sequence[str] | None
) -> dict[str, dict[str, float]]:
    if metrics is None:
        # Text columns that came along are no scores; a metric that is named must be numbers.
        columns = [name for name in columns if _is_number(rows[0].get(name))]
    if not columns:
        raise InputError(f"{path}: no column holds scores. Add one for each metric.")
    table: dict[str, dict[str, float]] = {}
    for name in _chosen(columns, metrics):
        table[name] = {}
        for number, (key, row) in enumerate(zip(keys, rows, strict=True), 1):
            value = _number(path, number, name, row.get(name))
            _put(path, table[name], key, value, number, name)
    return table


def _chosen(names: list[str], metrics: Sequence[str] | None) -> list[str]:
    for name in metrics or ():
        if name not in names:
            raise UnknownNameError("metric of the file of scores", name, names)
    return list(metrics) if metrics else names


def _put(path: Path, table: dict[str, float], key: str, value: float, number: int, name: str) -> None:
    if key in table:
        raise InputError(
            f'{path}: row {number}: a second score by {name} for "{one_line(key, 60)}". '
            "Keep one score for each example."
        )
    table[key] = value


def _is_number(cell: Any) -> bool:
    try:
        float(cell)
    except (TypeError, ValueError):
        return False
    return not isinstance(cell, bool)


def _number(path: Path, number: int, name: str, cell: Any) -> float:
    if not _is_number(cell) or not math.isfinite(float(cell)):
        raise InputError(
            f'{path}: row {number}: {name} is "{one_line(str(cell), 30)}", not a finite number. '
            "Mend it, or leave that metric out."
        )
    return float(cell)


def _along(
    path: Path, name: str, found: dict[str, float], data: Judged | Preferences
) -> np.ndarray[Any, np.dtype[np.float64]]:
    """The metric's scores in the order of the examples; ids may differ in spelling."""
    wanted = data.keys()
    if len(set(wanted)) < len(wanted):
        raise InputError(
            f"{data.protocol.name}: several examples share one id; scores cannot be matched. "
            "Give each its own image or system."
        )
    spelled = _respelled(found, wanted)
    missing = [key for key in wanted if key not in spelled]
    if len(missing) == len(wanted):
        ours, theirs = one_line(wanted[0], 50), one_line(next(iter(found)), 50)
        raise InputError(
            f'{path}: no id is one of {data.protocol.name} (theirs "{theirs}", ours "{ours}"). '
            "Give the same ids."
        )
    if missing:
        raise InputError(
            f"{path}: {name} has no score for {len(missing):,} of {len(wanted):,} examples (the "
            f'first is "{one_line(missing[0], 60)}"). Add them, or judge fewer examples.'
        )
    return np.array([spelled[key] for key in wanted], dtype=np.float64)


def _respelled(found: dict[str, float], wanted: list[str]) -> dict[str, float]:
    known_keys = set(wanted)
    strangers = [key for key in found if key not in known_keys]
    if not strangers:
        return found
    # Only the part after the system is an image id that may be spelled in another way.
    known = {key.rpartition("|")[2] for key in wanted}
    loose = meet([key.rpartition("|")[2] for key in strangers], known)
    result = dict(found)
    for key in strangers:
        system, bar, own = key.rpartition("|")
        if own in loose:
            result.setdefault(f"{system}{bar}{loose[own]}", found[key])
    return result
