"""References in shards of their own: captions and references of one image meet in one bucket.

Every block of candidates and of references is written once more as an Arrow file with a record
batch for each bucket, and a row's bucket is a hash of its image id (a Grace hash join). Bucket `p`
is then batch `p` of all files: memory is that of one bucket, however many rows there are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from captious.corpus.columns import IntArray
from captious.corpus.readers import Rows
from captious.corpus.readers.rows import refuse
from captious.corpus.shards.places import opened
from captious.corpus.systems import row_columns, system_names
from captious.corpus.types import Corpus
from captious.corpus.validate import well_formed
from captious.errors import InputError, one_line
from captious.stats.poisson import text_hashes

CANDIDATE = ("image_id", "system", "caption", "image_path", "objects", "shard", "row")
REFERENCE = ("image_id", "caption")


def write_candidates(batches: Iterable[Rows], shard: int, system: str, buckets: int, path: Path) -> int:
    """Captions of one block by bucket; returns how many."""
    columns: dict[str, list[Any]] = {name: [] for name in CANDIDATE}
    for rows in batches:
        checked = well_formed(rows)
        refuse(rows.source, checked.problems)
        n = len(checked.ids)
        paths, objects = row_columns(rows, checked, range(n))
        columns["image_id"] += checked.ids
        columns["caption"] += checked.captions
        columns["system"] += system_names(rows, checked) or [system] * n
        columns["image_path"] += [paths.get(image) for image in checked.ids]
        columns["objects"] += [objects.get(image) for image in checked.ids]
        columns["shard"] += [shard] * n
        columns["row"] += [_number(rows, row) for row in checked.rows]
    _write(columns, buckets, path)
    return len(columns["image_id"])


def write_references(batches: Iterable[Rows], buckets: int, path: Path) -> int:
    """References of one block by bucket; returns how many."""
    columns: dict[str, list[Any]] = {name: [] for name in REFERENCE}
    for rows in batches:
        if {"caption", "references"} <= rows.columns.keys():
            raise InputError(
                f"{rows.source}: has captions beside its references. Give a file of references only, or "
                "leave --references out if these are the captions to score."
            )
        checked = well_formed(rows)
        refuse(rows.source, checked.problems)
        columns["image_id"] += checked.ids
        columns["caption"] += checked.captions
    _write(columns, buckets, path)
    return len(columns["image_id"])


def read_bucket(
    bucket: int, candidates: Sequence[str], references: Sequence[str]
) -> tuple[Corpus, list[tuple[int, int]]]:
    """The captions of a bucket with their references, and the shard and row of each caption."""
    own = _bucket(bucket, candidates)
    sets: dict[str, list[str]] = {}
    texts = _bucket(bucket, references)
    for image, text in zip(texts["image_id"], texts["caption"], strict=True):
        sets.setdefault(image, []).append(text)
    ids = own["image_id"]
    without = list(dict.fromkeys(image for image in ids if image not in sets))
    if without:
        raise InputError(
            f"{len(without):,} of {len(set(ids)):,} images of bucket {bucket + 1} have no references (the "
            f'first is "{one_line(without[0], 40)}"). Add their references, or leave their captions out.'
        )
    paths = {i: path for i, path in zip(ids, own["image_path"], strict=True) if path}
    objects = {i: labels for i, labels in zip(ids, own["objects"], strict=True) if labels is not None}
    corpus = Corpus.from_lists(
        own["caption"],
        [sets[image] for image in ids],
        image_ids=ids,
        systems=own["system"],
        image_paths=paths,
        objects=objects,
    )
    return corpus, list(zip(own["shard"], own["row"], strict=True))


def _number(rows: Rows, row: int) -> int:
    return rows.places.numbers[row] if rows.places.numbers is not None else row + 1


def _schema(names: Iterable[str]) -> Any:
    import pyarrow as arrow

    kinds = {"objects": arrow.list_(arrow.string()), "shard": arrow.int64(), "row": arrow.int64()}
    return arrow.schema([(name, kinds.get(name, arrow.string())) for name in names])


def _write(columns: dict[str, list[Any]], buckets: int, path: Path) -> None:
    import pyarrow as arrow

    hashes = text_hashes(columns["image_id"])
    # The second number: the first decides the bootstrap's weights.
    bucket = (hashes[:, 1] % np.uint64(buckets)).astype(np.int64)
    order = np.argsort(bucket, kind="stable")
    ends = np.searchsorted(bucket[order], np.arange(buckets + 1))
    table = arrow.table(columns, schema=_schema(columns)).take(order).combine_chunks()
    options = arrow.ipc.IpcWriteOptions(compression="lz4")
    empty = arrow.RecordBatch.from_pylist([], schema=table.schema)
    with arrow.ipc.new_file(str(path), table.schema, options=options) as writer:
        for begin, end in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True):
            found = table.slice(begin, end - begin).to_batches()
            writer.write_batch(found[0] if found else empty)


def _bucket(bucket: int, files: Sequence[str]) -> dict[str, list[Any]]:
    import pyarrow as arrow

    found: dict[str, list[Any]] = {name: [] for name in (*CANDIDATE, *REFERENCE)}
    for address in files:
        with opened(address) as file, arrow.ipc.open_file(file) as reader:
            for name, column in reader.get_batch(bucket).to_pydict().items():
                found[name] += column
    return found


# Which rows come again: a system's second caption of an image, an image that an earlier row has shown.
# Keys of 128 bits are sorted within each block and written to one file a block, with the place of
# every key's first bits. A run over ranges of keys then reads from each file the keys of that range
# only: memory is that of one range, however many rows there are.


RECORD = np.dtype([("a", "<u8"), ("b", "<u8"), ("row", "<u8")])
_BITS = 10
_RANGES = 1 << _BITS
_HEADER = 8 * (_RANGES + 1)
RANGE_BYTES = 32 << 20

ReadRange = Callable[[int, int, int], bytes]  # file, first byte, last byte


class Repeat(NamedTuple):
    """A row (block, row in its shard) whose key an earlier row has."""

    block: int
    row: int
    first_block: int
    first_row: int


def sorted_keys(keys: Sequence[str], rows: IntArray) -> bytes:
    """The file of one block: where each range of keys begins, then the keys in order."""
    records = np.empty(len(keys), dtype=RECORD)
    hashes = text_hashes(keys)
    records["a"], records["b"], records["row"] = hashes[:, 0], hashes[:, 1], rows
    records = records[np.lexsort((records["row"], records["b"], records["a"]))]
    starts = np.searchsorted(records["a"] >> np.uint64(64 - _BITS), np.arange(_RANGES + 1, dtype=np.uint64))
    return starts.astype("<u8").tobytes() + records.tobytes()


def repeats(read: ReadRange, files: int) -> Iterator[Repeat]:
    """Every row whose key occurs in an earlier row, one range of keys after another."""
    if not files:
        return
    starts = np.stack([np.frombuffer(read(i, 0, _HEADER), dtype="<u8") for i in range(files)]).astype(
        np.int64
    )
    sizes = np.diff(starts, axis=1).sum(axis=0) * RECORD.itemsize
    begin = 0
    while begin < _RANGES:
        wanted = np.searchsorted(np.cumsum(sizes[begin:]), RANGE_BYTES, side="right")
        end = min(_RANGES, begin + max(1, int(wanted)))
        yield from _in_range(read, starts[:, begin], starts[:, end])
        begin = end


def _in_range(read: ReadRange, begins: IntArray, ends: IntArray) -> Iterator[Repeat]:
    parts: list[NDArray[np.void]] = []
    blocks: list[IntArray] = []
    for file, (begin, end) in enumerate(zip(begins.tolist(), ends.tolist(), strict=True)):
        if end > begin:
            first = _HEADER + begin * RECORD.itemsize
            raw = read(file, first, first + (end - begin) * RECORD.itemsize)
            parts.append(np.frombuffer(raw, dtype=RECORD))
            blocks.append(np.full(end - begin, file))
    if not parts:
        return
    records, block = np.concatenate(parts), np.concatenate(blocks)
    order = np.lexsort((records["row"], block, records["b"], records["a"]))
    records, block = records[order], block[order]
    same = (records["a"][1:] == records["a"][:-1]) & (records["b"][1:] == records["b"][:-1])
    firsts = np.maximum.accumulate(np.where(np.append(False, same), 0, np.arange(len(records))))
    for place in (np.flatnonzero(same) + 1).tolist():
        first = int(firsts[place])
        yield Repeat(
            int(block[place]), int(records["row"][place]), int(block[first]), int(records["row"][first])
        )
