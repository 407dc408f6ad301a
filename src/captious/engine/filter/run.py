"""Filter shards of scores or JSON lines; what is kept is written in the format it was read in."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import orjson

from captious.arguments import check_arguments
from captious.corpus.readers.json_files import read_json_lines
from captious.corpus.readers.open import Source, stem_of
from captious.corpus.readers.rows import MISSING, Column, refuse
from captious.corpus.readers.tables import parquet_errors
from captious.corpus.shards.blocks import lines_of
from captious.corpus.shards.places import SUFFIXES, absolute, expand, is_address, opened
from captious.engine.filter.expression import COMPUTED, Cells, Columns, Condition, Truths, parse
from captious.engine.shards.folder import Folder
from captious.engine.shards.local import Failure, LocalEngine
from captious.engine.shards.manifest import FILTERED, FORMAT, MANIFEST, read_manifest
from captious.engine.shards.parts import STATISTICS
from captious.engine.shards.survey import SetAside
from captious.errors import InputError
from captious.progress import Report
from captious.text.languages import SOME, languages_of


def filter_lines(condition: Condition, address: str, folder: Folder, name: str) -> tuple[int, int]:
    """Write the lines to keep under a name, no file where there is none; counts them, and all lines."""
    rows = 0
    batches = kept_lines(condition, address)
    for size, first in batches:
        rows += size
        if first:
            break
    else:
        folder.remove(name)
        return 0, rows
    kept = len(first)
    with folder.writing(name, durable=True) as path, path.open("wb") as out:
        out.writelines(first)
        for size, own in batches:
            rows, kept = rows + size, kept + len(own)
            out.writelines(own)
    return kept, rows


def kept_lines(condition: Condition, address: str) -> Iterator[tuple[int, list[bytes]]]:
    """How many captions a batch has, and the lines of those that meet the condition.

    The first batch must have every column that the condition names; later, it may be missing.
    """
    for first, lines in lines_of(address):
        source = Source(address, stem_of(address), b"".join(lines))
        found = read_json_lines(source, every_column=True, first=first)
        refuse(address, found.problems)
        if first == 1:
            _check(condition, list(found.columns))
        raw = [line.rstrip(b"\r\n") + b"\n" for line in lines if line.strip()]
        truths = _truths(condition, found.columns, len(raw))
        yield len(raw), [line for line, true in zip(raw, truths.tolist(), strict=True) if true]


def _check(condition: Condition, names: list[str]) -> None:
    condition.check(names)
    computed = [name for name in condition.names() if name not in names]
    if computed and "caption" not in names:
        raise InputError(f'--where: "{computed[0]}" needs the column "caption", which is missing.')


def _truths(condition: Condition, columns: dict[str, Column], count: int) -> Truths:
    def column(name: str) -> Column:
        return [None if one is MISSING else one for one in columns.get(name, [None] * count)]

    computed = [name for name in condition.names() if name in COMPUTED and name not in columns]
    given = {name: column(name) for name in condition.names() if name not in computed}
    cells: dict[str, Cells] = {"": np.zeros(count)}  # how many rows there are
    cells |= {name: _column_cells(name, own) for name, own in given.items()}
    cells |= {name: _of_captions(name, column("caption")) for name in computed}
    try:
        return condition.test(cells)
    except InputError:
        # Where a batch has no value of a column, nobody can tell whether it is one of texts.
        unknown = [name for name, own in given.items() if all(one is None for one in own)]
        if not unknown:
            raise
        return condition.test(cells | {name: np.full(count, None, dtype=object) for name in unknown})


def _column_cells(name: str, column: Sequence[object]) -> Cells:
    known = [one for one in column if one is not None]
    if known and all(isinstance(one, str) for one in known):
        return np.array([*column, None], dtype=object)[:-1]
    if all(isinstance(one, int | float) for one in known):
        return np.array([np.nan if one is None else one for one in column], dtype=np.float64)
    if any(isinstance(one, list | dict) for one in known):
        raise InputError(f'--where: "{name}" is a column of lists, which cannot be compared.')
    raise InputError(f'--where: "{name}" has both numbers and texts, which cannot be compared.')


def _of_captions(name: str, captions: Column) -> Cells:
    texts = [one if isinstance(one, str) else None for one in captions]
    if name == "words":
        _refuse_unspaced([one for one in texts if one])
    counted = [np.nan if one is None else len(one) if name == "length" else len(one.split()) for one in texts]
    return np.array(counted, dtype=np.float64)


def _refuse_unspaced(texts: Sequence[str]) -> None:
    for one in languages_of(texts):
        if one.share >= SOME and not one.spaced:
            raise InputError(
                f'--where: "words" are counted between spaces, but captions are {one.language}, which is '
                'written without them. Use "length", the number of characters.'
            )


BATCH_ROWS = 1 << 15


@dataclass(frozen=True)
class Filtered:
    """How many captions were kept, of how many, where they are, and what could not be read."""

    kept: int
    rows: int
    out: str
    set_aside: tuple[SetAside, ...] = ()
    notes: tuple[str, ...] = ()


class _Work(NamedTuple):
    where: str
    folder: Folder
    statistics: bool


def filter_shards(
    scores: str | os.PathLike[str],
    where: str,
    out: str | os.PathLike[str],
    *,
    jobs: int = 1,
    statistics: bool = False,
    progress: Report | None = None,
) -> Filtered:
    """Write the captions whose scores meet a condition to shards in the folder `out`.

    `scores` is a folder that `captious score --out` wrote, or any Parquet or JSON-lines shards, whose
    format is kept. `where` is a condition on their columns, on `length` (characters of the caption) and
    on `words`. The columns `NAME.statistics` are dropped unless `statistics` is true.

    >>> import pathlib, tempfile, pyarrow, pyarrow.parquet
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> table = pyarrow.table({"caption": ["A dog.", "A cat."], "cider": [0.9, 0.2]})
    >>> pyarrow.parquet.write_table(table, folder / "part.parquet")
    >>> filter_shards(folder / "part.parquet", "cider > 0.5", folder / "kept").kept
    1
    """
    check_arguments(filter_shards, locals())
    condition = parse(where)
    files = parts_of(scores)
    _try_on_no_rows(condition, files[0])
    folder = Folder.at(out)
    _refuse_own_input(folder, files)
    notes = _emptied(folder)
    items = [(number, file) for number, file in enumerate(files)]
    found: dict[int, tuple[int, int]] = {}
    bad: dict[int, SetAside] = {}
    for (number, file), counted in LocalEngine(jobs).each(
        _filter_part, _Work(where, folder, statistics), items
    ):
        if isinstance(counted, Failure):
            bad[number] = SetAside(file, counted.reason)
        else:
            found[number] = counted
        if progress:
            progress("shards", len(found) + len(bad), len(items))
    kept = sum(own for own, _ in found.values())
    rows = sum(own for _, own in found.values())
    result = Filtered(kept, rows, folder.address, tuple(bad[number] for number in sorted(bad)), notes)
    _write_manifest(
        folder, where, result, {_name(i, files[i]): own for i, (own, _) in sorted(found.items()) if own}
    )
    return result


def parts_of(scores: str | os.PathLike[str]) -> list[str]:
    """The Parquet files of a folder of scores, in the order of its manifest; else of any place."""
    text = str(scores)
    folder = Folder(text.removeprefix("file://"))
    if (is_address(folder.address) or Path(folder.address).is_dir()) and folder.exists(MANIFEST):
        return [folder.file(part["file"]) for part in read_manifest(folder, (FORMAT, FILTERED))["parts"]]
    found = expand(text)
    others = [file for file in found if not file.lower().endswith(SUFFIXES)]
    if others:
        raise InputError(
            f"{others[0]}: is neither Parquet nor JSON lines ({', '.join(SUFFIXES[:2])}). "
            "Filter the output of `captious score --out`."
        )
    return found


def _try_on_no_rows(condition: Condition, address: str) -> None:
    """Refuse, before any work, a condition that the columns of a file do not allow."""
    if _is_lines(address):
        next(kept_lines(condition, address), None)
        return
    import pyarrow as arrow
    from pyarrow import parquet

    with opened(address) as file, parquet_errors(address):
        schema = parquet.ParquetFile(file).schema_arrow
        names = [str(name) for name in schema.names]
        condition.check(names)
        _kept(arrow.RecordBatch.from_pylist([], schema=schema), condition, names)


def _filter_part(work: _Work, item: tuple[int, str]) -> tuple[int, int]:
    """Captions kept of one file, and all of its captions."""
    number, address = item
    condition = parse(work.where)
    if _is_lines(address):
        return filter_lines(condition, address, work.folder, _name(number, address))
    kept = rows = 0
    writer: Any = None
    with opened(address) as file, parquet_errors(address):
        from pyarrow import parquet

        table = parquet.ParquetFile(file)
        names = [str(name) for name in table.schema_arrow.names]
        condition.check(names)
        wanted = [name for name in names if work.statistics or not name.endswith(STATISTICS)]
        batches = table.iter_batches(BATCH_ROWS, use_threads=False)
        found = ((len(batch), _kept(batch, condition, names).select(wanted)) for batch in batches)
        first: list[Any] = []
        for size, own in found:
            rows += size
            if len(own):
                first.append(own)
                break
        if not first:
            work.folder.remove(_name(number, address))
            return 0, rows
        with work.folder.writing(_name(number, address), durable=True) as path:
            writer = parquet.ParquetWriter(path, first[0].schema, compression="zstd")
            writer.write_batch(first[0])
            kept += len(first[0])
            for size, own in found:
                rows += size
                kept += len(own)
                if len(own):
                    writer.write_batch(own)
            writer.close()
    return kept, rows


def _kept(batch: Any, condition: Condition, names: list[str]) -> Any:
    import pyarrow as arrow

    truths = condition.test(dict(_cells(batch, condition.names(), names)))
    return batch.filter(arrow.array(truths))


def _cells(batch: Any, wanted: list[str], names: list[str]) -> Iterator[tuple[str, Any]]:
    import pyarrow as arrow
    from pyarrow import compute

    yield "", np.zeros(len(batch))  # how many rows there are, where a condition names no column
    for name in wanted:
        if name in names:
            column = batch.column(name)
            if arrow.types.is_string(column.type) or arrow.types.is_large_string(column.type):
                yield name, np.array([*column.to_pylist(), None], dtype=object)[:-1]
            elif arrow.types.is_nested(column.type):
                raise InputError(f'--where: "{name}" is a column of lists, which cannot be compared.')
            else:
                yield name, compute.cast(column, arrow.float64()).to_numpy(zero_copy_only=False)
        elif name in COMPUTED:
            yield name, _computed(name, batch, names)


def _computed(name: str, batch: Any, names: list[str]) -> Columns:
    from pyarrow import compute

    if "caption" not in names:
        raise InputError(f'--where: "{name}" needs the column "caption", which is missing.')
    captions = batch.column("caption")
    if name == "length":
        counted = compute.utf8_length(captions)
    else:
        counted = compute.list_value_length(
            compute.utf8_split_whitespace(compute.utf8_trim_whitespace(captions))
        )
    return counted.to_numpy(zero_copy_only=False).astype(np.float64)  # type: ignore[no-any-return]


def _is_lines(address: str) -> bool:
    return not address.lower().endswith(".parquet")


def _name(number: int, address: str) -> str:
    return f"kept-{number:05d}{'.jsonl' if _is_lines(address) else '.parquet'}"


def _refuse_own_input(folder: Folder, files: list[str]) -> None:
    """Refuse to write where the captions are: they would be removed before they are read."""
    if any(Path(absolute(file)).parent == Path(folder.address) for file in files):
        raise InputError(f"{folder.address}: contains the captions to filter. Give --out another folder.")


def _emptied(folder: Folder) -> tuple[str, ...]:
    """Remove what an earlier filter left; a note where it had finished. Other files are refused."""
    if is_address(folder.address):
        return ()
    before = folder.exists(MANIFEST)
    for own in Path(folder.address).iterdir():
        if own.name != MANIFEST and not own.name.startswith(("kept-", ".kept-")):
            raise InputError(
                f"{folder.address}: contains other files ({own.name}). Give --out an empty or new folder."
            )
    for own in Path(folder.address).iterdir():  # of a filter before, or one that was killed
        own.unlink()
    return (f"replaced what an earlier filter kept in {folder.address}.",) if before else ()


def _write_manifest(folder: Folder, where: str, found: Filtered, parts: dict[str, int]) -> None:
    content = {
        "format": FILTERED,
        "where": where,
        "rows": found.rows,
        "kept": found.kept,
        "set_aside": [one._asdict() for one in found.set_aside],
        "parts": [{"file": name, "rows": kept} for name, kept in parts.items()],
    }
    folder.write(MANIFEST, orjson.dumps(content, option=orjson.OPT_INDENT_2) + b"\n", durable=True)
