"""Scores that somebody computed elsewhere, to be judged exactly like ours.

Long files have a row an example and metric (`system, id, metric, score`), wide files a row an
example and a column a metric. Where the file names no system, a column `caption` tells apart the
captions of one image. CSV, TSV, JSON lines and Parquet, plain or gzip; or a table in memory.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from captious.benchmarks.protocol import Preferences, RatedExamples
from captious.benchmarks.scores import BenchmarkScores
from captious.corpus.given import Given
from captious.corpus.ids import clean_ids, loose_id, meet
from captious.corpus.readers import Places, Rows, every_column, read_every_column
from captious.corpus.readers.memory import is_path
from captious.engine.shards.read import score_batches
from captious.errors import InputError, UnknownNameError, as_written, one_line

ID_NAMES = ("id", "item", "item_id", "image_id", "seg_id", "image", "key")
SYSTEM_NAMES = ("system", "sys", "model")
METRIC_NAMES = ("metric",)
SCORE_NAMES = ("score", "value")
CAPTION_NAMES = ("caption", "candidate", "hyp")
# Columns that travel in such files and are no scores.
NOT_SCORES = {"caption", "candidate", "hyp", "references", "refs", "set_id", "rating", "human_score"}


def read_scores(
    given: Path | Given, data: RatedExamples | Preferences, metrics: Sequence[str] | None = None
) -> BenchmarkScores:
    """Read a file or a table of scores and lay each metric along the benchmark's examples.

    Every example needs a score by every metric that is read; `metrics` picks some of them.
    """
    if is_path(given):
        path = Path(given)
        rows = _of_shards(path, data) if path.is_dir() else read_every_column(path)
    else:
        path, rows = Path("scores"), every_column(given, "scores")
    if not len(rows):
        raise InputError(f"{path}: contains no rows. Write one row per example.")
    names = list(rows.columns)
    id_name, system_name = _named(names, ID_NAMES), _named(names, SYSTEM_NAMES)
    if id_name is None:
        raise InputError(
            f"{path}: no column is named {', '.join(ID_NAMES[:3])} or so "
            f"(found: {one_line(', '.join(names))}). Name the column that identifies examples."
        )
    metric_name, score_name = _named(names, METRIC_NAMES), _named(names, SCORE_NAMES)
    caption_name = _named(names, CAPTION_NAMES) if system_name is None else None
    wanted = data.keys()
    if caption_name is not None and not _named_by_id(rows.columns[id_name], wanted):
        wanted = _with_captions(data)
    else:
        caption_name = None
    keys = _keys(path, rows, id_name, system_name, caption_name)
    if metric_name is not None and score_name is not None:
        cells = zip(map(str, rows.columns[metric_name]), rows.columns[score_name], strict=True)
        table = _long(path, keys, list(cells), metrics)
    else:
        ours = {id_name, system_name} | {n for n in names if n.casefold() in NOT_SCORES}
        columns = [name for name in names if name not in ours]
        table = _wide(path, keys, rows, columns, metrics)
    if caption_name is None and len(set(wanted)) < len(wanted):
        raise InputError(
            f"{data.protocol.name}: several examples share one id, so scores cannot be matched. "
            "Give each its own image or system, or add a column `caption` to the file."
        )
    where = data.protocol.name
    arrays = {name: _along(path, name, found, wanted, where)[None, :] for name, found in table.items()}
    return BenchmarkScores(arrays, {name: f"{name}|from:{path.name}" for name in arrays})


def _of_shards(path: Path, data: RatedExamples | Preferences) -> Rows:
    """The rows of sharded scores whose image is one of the benchmark's, in as much memory as these take."""
    import pyarrow as arrow

    corpora = data.corpora if isinstance(data, Preferences) else (data.corpus,)
    known = {image for corpus in corpora for image in corpus.image_ids}
    loose = {loose_id(image) for image in known}
    columns: dict[str, list[object]] = {}
    first: str | None = None
    for batch in score_batches(path):
        images = clean_ids(batch.column("image_id").to_pylist())
        first = first or next(iter(images), None)
        keep = [i for i, own in enumerate(images) if own in known or (own and loose_id(own) in loose)]
        for name, column in batch.take(arrow.array(keep, arrow.int64())).to_pydict().items():
            columns.setdefault(name, []).extend(column)
    if first is not None and not columns["image_id"]:
        raise _strangers(path, first, data.protocol.name, min(known))
    named = set(columns.get("system", []))
    if len(named) == 1 and not any(key.startswith(f"{next(iter(named))}|") for key in data.keys()):  # noqa: SIM118
        del columns["system"]  # the benchmark knows of no systems
    return Rows(str(path), path.stem, "parquet", columns, Places("row"))


def _named(names: list[str], wanted: Sequence[str]) -> str | None:
    folded = {name.strip().casefold(): name for name in names}
    return next((folded[name] for name in wanted if name in folded), None)


def _named_by_id(ids: Sequence[object], wanted: Sequence[str]) -> bool:
    """Whether the ids alone name every example."""
    given = {own for own in clean_ids(ids) if own is not None}
    known = given | set(meet(given, wanted).values())
    return len(set(wanted)) == len(wanted) and set(wanted) <= known


def _with_captions(data: RatedExamples | Preferences) -> list[str]:
    """Each example by its caption and image, which no two may share unless they are alike."""
    corpus = data.corpora[0] if isinstance(data, Preferences) else data.corpus
    images = (corpus.image_ids[place] for place in corpus.image_of.tolist())
    return [f"{_caption(text)}|{image}" for text, image in zip(corpus.captions, images, strict=True)]


def _caption(text: object) -> str:
    return " ".join(str(text).split())


def _keys(
    path: Path, rows: Rows, id_name: str, system_name: str | None, caption_name: str | None = None
) -> list[str]:
    ids = clean_ids(rows.columns[id_name])
    systems = clean_ids(rows.columns[system_name]) if system_name else [None] * len(rows)
    found = []
    for number, (own, system) in enumerate(zip(ids, systems, strict=True), 1):
        if own is None:
            raise InputError(f'{path}: row {number}: "{id_name}" is missing. Give every row an id.')
        found.append(f"{system}|{own}" if system else own)
    if caption_name is not None:
        return [
            f"{_caption(text)}|{own}" for text, own in zip(rows.columns[caption_name], found, strict=True)
        ]
    return found


def _long(
    path: Path, keys: list[str], cells: list[tuple[str, object]], metrics: Sequence[str] | None
) -> dict[str, dict[str, float]]:
    names = list(dict.fromkeys(name for name, _ in cells))
    chosen = _chosen(names, metrics)
    table: dict[str, dict[str, float]] = {name: {} for name in chosen}
    for number, (key, (name, cell)) in enumerate(zip(keys, cells, strict=True), 1):
        if name in table:
            _put(path, table[name], key, _number(path, number, name, cell), number, name)
    return table


def _wide(
    path: Path, keys: list[str], rows: Rows, columns: list[str], metrics: Sequence[str] | None
) -> dict[str, dict[str, float]]:
    if metrics is None:
        # Text columns that came along are no scores; a metric that is named must be numbers.
        columns = [name for name in columns if _mostly_numbers(rows.columns[name])]
    if not columns:
        raise InputError(f"{path}: no column contains scores. Add one per metric.")
    table: dict[str, dict[str, float]] = {}
    for name in _chosen(columns, metrics):
        table[name] = {}
        for number, (key, cell) in enumerate(zip(keys, rows.columns[name], strict=True), 1):
            value = _number(path, number, name, cell)
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
            "Keep one score per example."
        )
    table[key] = value


def _mostly_numbers(cells: Sequence[object]) -> bool:
    """Whether a column means to hold scores; a broken cell of such a column is named, not passed over."""
    numbers = sum(str(cell).strip().casefold() == "nan" or _is_number(cell) for cell in cells)
    return 2 * numbers >= len(cells)


def _is_number(cell: object) -> bool:
    return not math.isnan(_as_float(cell))


def _as_float(cell: object) -> float:
    """The number that a cell holds or spells; NaN where it is none."""
    if isinstance(cell, bool) or not isinstance(cell, (int, float, str)):
        return math.nan
    try:
        return float(cell)
    except ValueError:
        return math.nan


def _number(path: Path, number: int, name: str, cell: object) -> float:
    value = _as_float(cell)
    if not math.isfinite(value):
        raise InputError(
            f'{path}: row {number}: {name} is "{as_written(cell, 30)}", not a finite number. '
            "Correct it, or leave that metric out."
        )
    return value


def _along(
    path: Path, name: str, found: dict[str, float], wanted: list[str], where: str
) -> np.ndarray[Any, np.dtype[np.float64]]:
    """The metric's scores in the order of the examples; ids may differ in spelling."""
    spelled = _respelled(found, wanted)
    missing = [key for key in wanted if key not in spelled]
    if len(missing) == len(wanted):
        raise _strangers(path, next(iter(found)), where, wanted[0])
    if missing:
        raise InputError(
            f"{path}: {name} has no score for {len(missing):,} of {len(wanted):,} examples (the "
            f'first is "{one_line(missing[0], 60)}"). Add them, or evaluate fewer examples.'
        )
    return np.array([spelled[key] for key in wanted], dtype=np.float64)


def _strangers(path: Path, scored: str, where: str, judged: str) -> InputError:
    """No example is both scored and judged."""
    return InputError(
        f"{path}: contains no score for an example of {where}: it scores "
        f'"{one_line(scored, 50)}" and others, but the judged ones are "{one_line(judged, 50)}" and others. '
        "Score those, or use the same ids in both."
    )


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
