"""Filter JSON lines: a line that meets the condition is written again as it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from captious.corpus.readers.json_files import read_json_lines
from captious.corpus.readers.open import Source, stem_of
from captious.corpus.readers.rows import MISSING, Column, refuse
from captious.corpus.shards.blocks import lines_of
from captious.engine.filter.expression import COMPUTED, Cells, Condition, Truths
from captious.engine.shards.folder import Folder
from captious.errors import InputError


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
    cells |= {name: _cells(name, own) for name, own in given.items()}
    cells |= {name: _computed(name, column("caption")) for name in computed}
    try:
        return condition.test(cells)
    except InputError:
        # Where a batch has no value of a column, nobody can tell whether it is one of texts.
        unknown = [name for name, own in given.items() if all(one is None for one in own)]
        if not unknown:
            raise
        return condition.test(cells | {name: np.full(count, None, dtype=object) for name in unknown})


def _cells(name: str, column: Sequence[object]) -> Cells:
    known = [one for one in column if one is not None]
    if known and all(isinstance(one, str) for one in known):
        return np.array([*column, None], dtype=object)[:-1]
    if all(isinstance(one, int | float) for one in known):
        return np.array([np.nan if one is None else one for one in column], dtype=np.float64)
    if any(isinstance(one, list | dict) for one in known):
        raise InputError(f'--where: "{name}" is a column of lists, which cannot be compared.')
    raise InputError(f'--where: "{name}" has both numbers and texts, which cannot be compared.')


def _computed(name: str, captions: Column) -> Cells:
    texts = [one if isinstance(one, str) else None for one in captions]
    counted = [np.nan if one is None else len(one) if name == "length" else len(one.split()) for one in texts]
    return np.array(counted, dtype=np.float64)
