"""`Groups`: positions in a long column, grouped by value.

Grouping the places of millions of tokens by n-gram is a sort. A sort of everything at once takes
ever more time for each token as the column outgrows the processor's caches, and several copies of
it in memory. Here only blocks are sorted: first by token, each block's tokens then put behind
those of the blocks before; and since the n-grams of the next order only divide the groups of this
one, some small groups at a time, or one large group, are sorted by the token that follows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from captious.text.lookup import chunks, first_of_runs, run_lengths, sort_stably

IntArray = NDArray[np.int64]
Numbers = NDArray[np.int32]
_BLOCK = 1 << 16  # places sorted at once: few enough for the processor's cache


@dataclass(frozen=True, eq=False)
class Groups:
    """`places` by group, in ascending order within a group; group `g` has `sizes[g]` of them."""

    places: Numbers
    sizes: IntArray

    @classmethod
    def of(cls, ids: Numbers, count: int) -> Groups:
        """Places of each of the numbers 0 to `count` - 1 in `ids`.

        >>> Groups.of(np.array([1, 0, 1], np.int32), 2).places.tolist()
        [1, 0, 2]
        """
        sizes = np.bincount(ids, minlength=count)
        ends = np.cumsum(sizes) - sizes
        places = np.empty(len(ids), dtype=np.int32)
        for start in range(0, len(ids), _BLOCK):
            ordered, order = sort_stably(ids[start : start + _BLOCK].astype(np.int64))
            begins = np.flatnonzero(first_of_runs(ordered))
            present, counts = ordered[begins], run_lengths(begins, len(ordered))
            target = np.repeat(ends[present] - begins, counts) + np.arange(len(ordered))
            places[target] = order + start
            ends[present] += counts
        return cls(places, sizes)

    def divided(self, followers: Numbers, count: int, here: Numbers) -> tuple[IntArray, Groups]:
        """Keys (`group * count + follower`) of the smaller groups in ascending order, and these.

        `followers[place]` is below `count`; a place where it is negative falls out. Each other
        place's new group is written to `here`. Our own places are overwritten.
        """
        ends = np.cumsum(self.sizes)
        keys, sizes = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        kept = found = 0
        for part in chunks(self.sizes + 1, _BLOCK):
            first = int(ends[part.start] - self.sizes[part.start])
            own = self.places[first : int(ends[part.stop - 1])]
            firsts: IntArray = np.arange(part.start, part.stop) * count
            follower = followers[own]
            whole = (follower >= 0).nonzero()[0]
            new = np.repeat(firsts, self.sizes[part])[whole] + follower[whole]
            ordered, order = sort_stably(new)
            own = own[whole[order]]
            begins = first_of_runs(ordered)
            here[own] = np.cumsum(begins) + (found - 1)
            self.places[kept : kept + len(own)] = own
            keys.append(ordered[begins])
            sizes.append(run_lengths(begins.nonzero()[0], len(ordered)))
            kept, found = kept + len(own), found + len(keys[-1])
        return np.concatenate(keys), Groups(self.places[:kept], np.concatenate(sizes))
