"""Phrases of the paraphrase table in captions, and which of them paraphrase each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from captious.metrics.meteor.tables import Ints, Tables, Words, spans

if TYPE_CHECKING:
    from captious.metrics.meteor.matchers import Captions

_FILTER_BITS = 22  # at most; few keys are told apart by fewer, which the processor's cache holds
# A pair with more matches is crowded: of each word or phrase, those nearest to the diagonal are kept.
MOST_MATCHES = 1 << 15
_NEAREST = 4
_ROOM = 6  # bits over those that number the keys: of 64 places one is taken


@dataclass(frozen=True, eq=False)
class Occurrences:
    """Where phrases are: `length` words from word `start` of caption `caption`."""

    caption: Ints
    start: Ints
    length: Ints
    node: Ints

    @classmethod
    def find(cls, tables: Tables, words: Words, captions: Captions) -> Occurrences:
        """Every phrase of the table in the captions, sorted by caption."""
        caption = np.arange(len(captions.lengths)).repeat(captions.lengths)
        number = words.number[captions.ids]
        columns = []
        alive, node, length = np.flatnonzero(number >= 0), number, 1
        node = number[alive]
        while len(alive):
            columns.append((caption[alive], alive, np.full(len(alive), length), node))
            inside = alive + length < len(number)
            alive, node = alive[inside], node[inside]
            follows = alive + length
            same = (caption[follows] == caption[alive]) & (number[follows] >= 0)
            alive, node, follows = alive[same], node[same], follows[same]
            pairs, inverse = np.unique(node << 22 | number[follows], return_inverse=True)
            node = tables.step(pairs >> 22, pairs & (1 << 22) - 1)[inverse]
            alive, node, length = alive[node >= 0], node[node >= 0], length + 1
        if not columns:
            return cls(*np.zeros((4, 0), dtype=np.int64))
        joined = [np.concatenate(column) for column in zip(*columns, strict=True)]
        order = np.argsort(joined[0], kind="stable")
        found = [column[order] for column in joined]
        return cls(found[0], found[1] - captions.offsets[found[0]], found[2], found[3])

    def within(self, rows: Ints, captions: int) -> Occurrences:
        """Those of the captions `rows`, of so many captions."""
        chosen = np.zeros(captions, dtype=bool)
        chosen[rows] = True
        kept = chosen[self.caption]
        return Occurrences(self.caption[kept], self.start[kept], self.length[kept], self.node[kept])


@dataclass(frozen=True, eq=False)
class Related:
    """Entries of the table between phrases of candidates and of references.

    `rank` counts an entry among those of its source phrase; `turned` entries have their source
    in the reference.
    """

    own: Ints
    their: Ints
    rank: Ints
    turned: NDArray[np.bool_]

    def where(self, kept: NDArray[np.bool_]) -> Related:
        """The entries `kept`."""
        return Related(self.own[kept], self.their[kept], self.rank[kept], self.turned[kept])

    def between_words(self, tables: Tables) -> NDArray[np.bool_]:
        """Which entries have a single word on both sides."""
        words = len(tables.arrays["word_keys"])
        return (self.own < words) & (self.their < words)

    def matches(
        self, own: Occurrences, theirs: Occurrences, candidate: Ints, reference: Ints, lengths: Ints
    ) -> tuple[Ints, ...]:
        """Columns of the matches by these entries, in captions of so many words."""
        order = np.argsort(self.own, kind="stable")
        first = np.searchsorted(own.caption, candidate)
        pair, ours = spans(first, np.searchsorted(own.caption, candidate, side="right"))
        left, node = self.own[order], own.node[ours]
        row, place = spans(np.searchsorted(left, node), np.searchsorted(left, node, side="right"))
        pair, ours, entry = pair[row], ours[row], order[place]
        near = own.start[ours] * lengths[reference[pair]] // lengths[candidate[pair]]
        row, places = _lookup(theirs, reference[pair], self.their[entry], pair, near)
        pair, ours, entry = pair[row], ours[row], entry[row]
        start, length = own.start[ours], own.length[ours]
        their_length = theirs.length[places]
        return (
            pair,
            start,
            length,
            theirs.start[places],
            their_length,
            np.full(len(pair), 3),
            search_order(self.turned[entry], start, length, their_length, self.rank[entry]),
        )


def search_order(
    turned: NDArray[np.bool_], start: Ints, length: Ints, their_length: Ints, rank: Ints
) -> Ints:
    """Keys that sort paraphrases of one reference word as METEOR's program finds them.

    It looks up the reference's phrases from short to long and then the candidate's from left to
    right, and follows the entries of each in the table's order.
    """
    by_reference = (their_length << 20 | rank) << 20 | start
    by_candidate = 1 << 60 | (start << 20 | length) << 20 | rank
    return np.where(turned, by_reference, by_candidate)


def related_phrases(tables: Tables, own: Occurrences, theirs: Occurrences) -> Related:
    """Entries of the table, read in both directions, between two sets of occurrences."""
    ours, their = np.unique(own.node), np.unique(theirs.node)
    row, target, rank = tables.paraphrases(ours)
    forward = _among(target, their)
    back, source, turned_rank = tables.paraphrases(their)
    backward = _among(source, ours)
    return Related(
        np.concatenate([ours[row[forward]], source[backward]]),
        np.concatenate([target[forward], their[back[backward]]]),
        np.concatenate([rank[forward], turned_rank[backward]]),
        np.repeat([False, True], [len(forward), len(backward)]),
    )


def _among(values: Ints, kept: Ints) -> Ints:
    """Rows of the values that are among those kept, which ascend."""
    if not len(values) or not len(kept):
        return np.zeros(0, dtype=np.int64)
    bits = _filter_bits(len(kept))
    present = np.zeros(1 << bits, dtype=bool)
    present[_hash(kept, bits)] = True
    likely = np.flatnonzero(present[_hash(values, bits)])
    wanted = values[likely]
    place = np.searchsorted(kept, wanted)
    place[place == len(kept)] = 0
    found: Ints = likely[kept[place] == wanted]
    return found


def _lookup(occurrences: Occurrences, caption: Ints, node: Ints, pair: Ints, near: Ints) -> tuple[Ints, Ints]:
    """Rows of the query, and places of the occurrences of `node` in `caption`.

    Of crowded pairs, only the occurrences nearest to the word `near`.
    """
    keys = occurrences.caption << 32 | occurrences.node
    wanted = caption << 32 | node
    # Most queries find nothing: a hashed filter spares them the binary search.
    bits = _filter_bits(len(keys))
    present = np.zeros(1 << bits, dtype=bool)
    present[_hash(keys, bits)] = True
    rows = np.flatnonzero(present[_hash(wanted, bits)])
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    first = np.searchsorted(ordered, wanted[rows])
    last = np.searchsorted(ordered, wanted[rows], side="right")
    count = np.zeros(int(pair.max()) + 1 if len(pair) else 0, dtype=np.int64)
    np.add.at(count, pair[rows], last - first)
    crowded = count[pair[rows]] > MOST_MATCHES
    if crowded.any():
        some = rows[crowded]
        first[crowded], last[crowded] = _window(
            ordered, occurrences.start[order], wanted[some], near[some], first[crowded], last[crowded]
        )
    found, places = spans(first, last)
    return rows[found], order[places]


def nearest(keys: Ints, starts: Ints, wanted: Ints, near: Ints) -> tuple[Ints, Ints]:
    """Rows of the query, and places of `wanted` among the sorted `keys`, nearest to `near`.

    Equal keys are sorted by `starts`.

    >>> keys, starts = np.zeros(9, dtype=np.int64), np.arange(0, 90, 10)
    >>> nearest(keys, starts, np.array([0]), np.array([41]))[1].tolist()
    [3, 4, 5, 6]
    """
    if not len(keys):
        return keys, keys
    first, last = np.searchsorted(keys, wanted), np.searchsorted(keys, wanted, side="right")
    return spans(*_window(keys, starts, wanted, near, first, last))


def _window(keys: Ints, starts: Ints, wanted: Ints, near: Ints, first: Ints, last: Ints) -> tuple[Ints, Ints]:
    """The ranges `first .. last`, narrowed to the `_NEAREST` places around the word `near`."""
    groups = np.cumsum(np.diff(keys, prepend=keys[:1]) != 0)
    size = int(max(starts.max(), near.max())) + 1
    middle = np.searchsorted(groups * size + starts, groups[np.minimum(first, len(keys) - 1)] * size + near)
    begin = np.maximum(np.minimum(middle - _NEAREST // 2, last - _NEAREST), first)
    return begin, np.minimum(begin + _NEAREST, last)


def _filter_bits(keys: int) -> int:
    return min(keys.bit_length() + _ROOM, _FILTER_BITS)


def _hash(keys: Ints, bits: int) -> Ints:
    mixed = keys.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    return (mixed >> np.uint64(64 - bits)).astype(np.int64)
