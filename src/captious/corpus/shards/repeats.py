"""Which rows come again: a system's second caption of an image, an image that an earlier row has shown.

Keys of 128 bits are sorted within each block and written to one file a block, with the place of
every key's first bits. A run over ranges of keys then reads from each file the keys of that range
only: memory is that of one range, however many rows there are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from captious.corpus.columns import IntArray
from captious.stats.poisson import text_hashes

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
