"""`Lookup`: the position of each of many integers in a column of distinct integers.

Joins of n-gram columns ask this question a million times at once. Binary search answers each with
twenty jumps through memory; a hash table laid out in NumPy arrays answers with one or two.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]
Integers = NDArray[np.signedinteger[Any]]

ABSENT = -1
_SLOTS_A_KEY = 4
_FEWEST_BITS = 4
_SIGNED_BITS = 63
_SHORT_BITS = 31
_BLOCK = 1 << 20  # needles looked up at once, to bound memory
# Odd multipliers spread keys over the high bits (Fibonacci hashing, Knuth, TAOCP 6.4); a key that
# loses its slot under one gets another under the next.
_MULTIPLIERS = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0xD6E8FEB86659FD93, 0xA0761D6478BD642F)


class _Level(NamedTuple):
    multiplier: int
    bits: int
    table: NDArray[np.int32]

    def slots(self, keys: IntArray) -> NDArray[np.uint64]:
        return _slots(keys, self.multiplier, self.bits)


class Lookup:
    """Positions of keys in a column of distinct 64-bit integers.

    >>> Lookup(np.array([30, 10, 20])).find(np.array([10, 99, 30])).tolist()
    [1, -1, 0]
    """

    def __init__(self, keys: IntArray) -> None:
        self._keys = keys
        self._levels: list[_Level] = []
        waiting = np.arange(len(keys), dtype=np.int32)
        while len(waiting):
            waiting = self._place(waiting)

    def _place(self, waiting: NDArray[np.int32]) -> NDArray[np.int32]:
        """Give each waiting key a slot in a new table; return those that lost it to another."""
        bits = max(_FEWEST_BITS, (_SLOTS_A_KEY * len(waiting) - 1).bit_length())
        multiplier = _MULTIPLIERS[len(self._levels) % len(_MULTIPLIERS)]
        level = _Level(multiplier, bits, np.full(1 << bits, ABSENT, dtype=np.int32))
        slots = level.slots(self._keys[waiting])
        level.table[slots] = waiting
        self._levels.append(level)
        lost: NDArray[np.int32] = waiting[level.table[slots] != waiting]
        return lost

    def find(self, needles: IntArray) -> NDArray[np.int32]:
        """Position of each needle among the keys; `ABSENT` (-1) where it is none of them."""
        found = np.full(len(needles), ABSENT, dtype=np.int32)
        for start in range(0, len(needles), _BLOCK):
            block = slice(start, start + _BLOCK)
            self._find_block(needles[block], found[block])
        return found

    def _find_block(self, needles: IntArray, found: NDArray[np.int32]) -> None:
        still: NDArray[np.int64] | None = None
        for level in self._levels:
            wanted = needles if still is None else needles[still]
            guess = level.table[level.slots(wanted)]
            filled = np.flatnonzero(guess >= 0)
            guess, wanted = guess[filled], wanted[filled]
            still = filled if still is None else still[filled]
            right = self._keys[guess] == wanted
            found[still[right]] = guess[right]
            # A key that lost its slot to another can only be met where that slot is filled.
            still = still[~right]


def _slots(keys: IntArray, multiplier: int, bits: int) -> NDArray[np.uint64]:
    mixed = keys.astype(np.uint64) * np.uint64(multiplier)
    mixed >>= np.uint64(64 - bits)
    return mixed


def group_keys(sizes: IntArray, bits: int) -> Integers:
    """For each member of each group the group's number, with room for `bits` bits below it.

    In 32-bit integers where they suffice, since those are sorted twice as fast.

    >>> group_keys(np.array([2, 1]), 4).tolist()
    [0, 0, 16]
    """
    kind = np.int32 if len(sizes) << bits <= 1 << _SHORT_BITS else np.int64
    return np.repeat((np.arange(len(sizes)) << bits).astype(kind), sizes)


def sorted_distinct(values: Integers) -> Integers:
    """Distinct values in ascending order.

    >>> sorted_distinct(np.array([3, 1, 3, 2])).tolist()
    [1, 2, 3]
    """
    ordered = np.sort(values)
    return ordered[first_of_runs(ordered)]


def numbered(values: IntArray) -> tuple[IntArray, NDArray[np.int32]]:
    """Distinct values in ascending order, and the place of each value among them.

    >>> distinct, places = numbered(np.array([30, 10, 30, 20]))
    >>> distinct.tolist(), places.tolist()
    ([10, 20, 30], [2, 0, 2, 1])
    """
    ordered, order = sort_stably(values)
    begins = first_of_runs(ordered)
    places = np.empty(len(values), dtype=np.int32)
    places[order] = np.cumsum(begins, dtype=np.int32) - 1
    return ordered[begins], places


def sort_stably(values: IntArray) -> tuple[IntArray, IntArray]:
    """Values from 0 up in ascending order, and where each stood; equal ones in order of place.

    >>> ordered, places = sort_stably(np.array([30, 10, 30, 20]))
    >>> ordered.tolist(), places.tolist()
    ([10, 20, 30, 30], [1, 3, 0, 2])
    """
    bits = len(values).bit_length()
    if not len(values) or int(values.max()) >> (_SIGNED_BITS - bits):
        order = np.argsort(values, kind="stable")
        return values[order], order
    # Value and place in one number: sorting numbers is faster than sorting their places.
    packed = values << bits
    packed |= np.arange(len(values))
    packed.sort()
    return packed >> bits, packed & ((1 << bits) - 1)


def first_of_runs(ordered: Integers) -> NDArray[np.bool_]:
    """Where each run of equal neighbours begins."""
    begins = np.ones(len(ordered), dtype=bool)
    np.not_equal(ordered[1:], ordered[:-1], out=begins[1:])
    return begins


def run_lengths(begins: IntArray, total: int) -> IntArray:
    """How long each run is, of `total` values in runs that begin at `begins`; `np.diff` takes far longer.

    >>> run_lengths(np.array([0, 2, 3]), 7).tolist()
    [2, 1, 4]
    """
    lengths = np.empty(len(begins), dtype=np.int64)
    if len(begins):
        np.subtract(begins[1:], begins[:-1], out=lengths[:-1])
        lengths[-1] = total - begins[-1]
    return lengths


def ranges(starts: IntArray, counts: IntArray) -> IntArray:
    """The concatenation of `start, start + 1, …` for each start and count.

    >>> ranges(np.array([10, 50]), np.array([3, 2])).tolist()
    [10, 11, 12, 50, 51]
    """
    ends = np.cumsum(counts)
    total = int(ends[-1]) if len(ends) else 0
    places: IntArray = np.arange(total) + np.repeat(starts - (ends - counts), counts)
    return places


def chunks(sizes: IntArray, limit: int) -> list[slice]:
    """Cut a column into slices whose sizes sum to about `limit` each.

    >>> chunks(np.array([4, 4, 4, 9, 1]), 8)
    [slice(0, 2, None), slice(2, 3, None), slice(3, 5, None)]
    """
    ends = sizes.cumsum()
    if len(ends) and ends[-1] <= limit:
        return [slice(0, len(sizes))]
    places = (ends - 1) // limit
    cuts = np.flatnonzero(np.diff(places)) + 1
    edges = [0, *cuts.tolist(), len(sizes)]
    return [slice(a, b) for a, b in pairwise(edges) if b > a]
