"""Scores that somebody computed elsewhere, to be judged exactly like ours.

Long files have a row an example and metric (`system, id, metric, score`), wide files a row an
example and a column a metric. Rows are told apart by the ids of `captious get rows`, by system and
id, or by image and caption. CSV, TSV, JSON lines and Parquet, plain or gzip; or a table in memory.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from captious.benchmarks.protocol import Preferences, RatedExamples
from captious.benchmarks.scores import BenchmarkScores
from captious.corpus import Findings
from captious.corpus.finding_files import read_findings
from captious.corpus.finding_formats import holds_findings
from captious.corpus.given import Given
from captious.corpus.ids import clean_ids, loose_id, meet
from captious.corpus.readers import Places, Rows, every_column, read_every_column
from captious.corpus.readers.memory import is_path
from captious.engine.shards.read import score_batches
from captious.errors import CaptiousWarning, InputError, UnknownNameError, as_written, one_line


def found_elsewhere(
    path: Path, data: RatedExamples | Preferences, metrics: Sequence[str] | None = None
) -> BenchmarkScores:
    """The findings of each source of a file, in the captions with the same image and text.

    `metrics` picks some of the sources. A caption that a source does not name is one in which it found
    nothing; a warning counts them.
    """
    if isinstance(data, Preferences) or data.findings is None:
        raise InputError(f"{path}: contains findings, but {data.protocol.name} has no spans of raters.")
    corpus, given = data.corpus, read_findings(path)
    for name in metrics or ():
        if name not in given.sources:
            raise UnknownNameError("metric of the file of findings", name, given.sources)
    found = given.places_in(corpus)
    findings = {}
    for name in metrics or given.sources:
        every = found[name]
        lacking = sum(one is None for one in every)
        if lacking == len(corpus):
            first = f'"{one_line(given.captions[0], 50)}" of image "{one_line(given.keys[0][0], 30)}"'
            raise InputError(
                f"{path}: no caption of {data.protocol.name} has a finding by {name}: the file has {first}. "
                "Give findings in the same captions, with the same image ids."
            )
        if lacking:
            said = f"{path.name}: no row by {name} for {lacking:,} of {len(corpus):,} captions"
            warnings.warn(f"{said}, where it found nothing.", CaptiousWarning, stacklevel=2)
        findings[name] = Findings.from_places(corpus, name, [one or [] for one in every]).on(corpus)
    return BenchmarkScores({}, {name: f"{name}|from:{path.name}" for name in findings}, findings)


ID_NAMES = ("id", "item", "item_id", "image_id", "seg_id", "image", "key")
SYSTEM_NAMES = ("system", "sys", "model")
METRIC_NAMES = ("metric",)
SCORE_NAMES = ("score", "value")
CAPTION_NAMES = ("caption", "candidate", "hyp")
IMAGE_NAMES = ("image", "image_id")
DRAW = "draw"  # of references, in files with rows for each
# Columns that travel in such files and are no scores.
NOT_SCORES = {*ID_NAMES, *SYSTEM_NAMES, *CAPTION_NAMES, DRAW}
NOT_SCORES |= {"references", "refs", "objects", "image_path", "set_id", "rating", "human_score"}


def read_scores(
    given: Path | Given, data: RatedExamples | Preferences, metrics: Sequence[str] | None = None
) -> BenchmarkScores:
    """Read a file or a table of scores and lay each metric along the benchmark's examples.

    Every example needs a score by every metric that is read; `metrics` picks some of them. A file of
    findings is read by `found_elsewhere`.
    """
    if is_path(given) and Path(given).is_file() and holds_findings(given):
        return found_elsewhere(Path(given), data, metrics)
    if is_path(given):
        path = Path(given)
        rows = _of_shards(path, data) if path.is_dir() else read_every_column(path)
    else:
        path, rows = Path("scores"), every_column(given, "scores")
    if not len(rows):
        raise InputError(f"{path}: contains no rows. Write one row per example.")
    names = list(rows.columns)
    draws = len(data.corpora) if isinstance(data, Preferences) and DRAW in names else 1
    joined = _joined(path, rows, data, draws)
    metric_name, score_name = _named(names, METRIC_NAMES), _named(names, SCORE_NAMES)
    if metric_name is not None and score_name is not None:
        cells = zip(map(str, rows.columns[metric_name]), rows.columns[score_name], strict=True)
        table = _long(path, joined.keys, list(cells), metrics)
    else:
        columns = [name for name in names if name.strip().casefold() not in NOT_SCORES]
        table = _wide(path, joined.keys, rows, columns, metrics)
    if not joined.by_caption and len(set(joined.wanted)) < len(joined.wanted):
        raise InputError(
            f"{data.protocol.name}: several examples share one id, so scores cannot be matched. "
            "Give each its own image or system, or add a column `caption` to the file."
        )
    where = data.protocol.name
    arrays = {
        name: _along(path, name, found, joined.wanted, where).reshape(draws, -1)
        for name, found in table.items()
    }
    return BenchmarkScores(arrays, {name: f"{name}|from:{path.name}" for name in arrays})


class Joined(NamedTuple):
    """The key of each row of scores, and of each example of each draw of references."""

    keys: list[str]
    wanted: list[str]
    by_caption: bool = False


def _joined(path: Path, rows: Rows, data: RatedExamples | Preferences, draws: int) -> Joined:
    """The way to tell examples that most of them are known by.

    Ids of `captious get rows`; system and id; image and caption.
    """
    names = list(rows.columns)
    id_name, system_name = _named(names, ID_NAMES), _named(names, SYSTEM_NAMES)
    if id_name is None:
        raise InputError(
            f"{path}: no column is named {', '.join(ID_NAMES[:3])} or so "
            f"(found: {one_line(', '.join(names))}). Name the column that identifies examples."
        )
    ids = _ids(path, rows, id_name)
    ways = [Joined(ids, data.keys())]
    if system_name is not None:
        systems = clean_ids(rows.columns[system_name])
        named = [f"{system}|{own}" if system else own for system, own in zip(systems, ids, strict=True)]
        ways.insert(0, Joined(named, data.keys()))
    caption_name = _named(names, CAPTION_NAMES)
    if caption_name is not None:
        images = _ids(path, rows, _named(names, IMAGE_NAMES) or id_name)
        captions = map(_caption, rows.columns[caption_name])
        told = [f"{text}|{image}" for text, image in zip(captions, images, strict=True)]
        ways.append(Joined(told, _with_captions(data), by_caption=True))
    best = max(ways, key=_share_known)
    if draws == 1:
        return best
    drawn = [f"{draw}|{key}" for draw, key in zip(rows.columns[DRAW], best.keys, strict=True)]
    return Joined(drawn, [f"{draw}|{key}" for draw in range(draws) for key in best.wanted], best.by_caption)


def _share_known(way: Joined) -> float:
    """The share of the examples that some row is of."""
    wanted = set(way.wanted)
    return len(wanted & _respelled(dict.fromkeys(way.keys, 0.0), way.wanted).keys()) / len(wanted)


def _ids(path: Path, rows: Rows, name: str) -> list[str]:
    found: list[str] = []
    for number, own in enumerate(clean_ids(rows.columns[name]), 1):
        if own is None:
            raise InputError(f'{path}: row {number}: "{name}" is missing. Give every row an id.')
        found.append(own)
    return found


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


def _with_captions(data: RatedExamples | Preferences) -> list[str]:
    """Each example by its caption and image, which no two may share unless they are alike."""
    corpus = data.corpora[0] if isinstance(data, Preferences) else data.corpus
    images = (corpus.image_ids[place] for place in corpus.image_of.tolist())
    return [f"{_caption(text)}|{image}" for text, image in zip(corpus.captions, images, strict=True)]


def _caption(text: object) -> str:
    return " ".join(str(text).split())


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
    if table.get(key, value) != value:
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
