"""Phrases of the paraphrase table in captions, and which of them paraphrase each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from captious.metrics.meteor.tables import Ints, Tables, Words, spans

if TYPE_CHECKING:
    from captious.metrics.meteor.matchers import Captions

_FILTER_BITS = 22


@dataclass(frozen=True, eq=False)
class Occurrences:
    """Where phrases stand: `length` words from word `start` of caption `caption`."""

    caption: Ints
    start: Ints
    length: Ints
    node: Ints

    @classmethod
    def find(cls, tables: Tables, words: Words, captions: Captions, rows: Ints) -> Occurrences:
        """Every phrase of the table in the captions `rows`, sorted by caption."""
        used = np.unique(rows)
        row, places = spans(captions.offsets[used], captions.offsets[used + 1])
        caption = used[row]
        number = words.number[captions.ids[places]]
        columns = []
        alive, node, length = np.flatnonzero(number >= 0), number, 1
        node = number[alive]
        while len(alive):
            columns.append((caption[alive], alive, np.full(len(alive), length), node))
            inside = alive + length < len(places)
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
        return cls(found[0], places[found[1]] - captions.offsets[found[0]], found[2], found[3])


@dataclass(frozen=True, eq=False)
class Related:
    """Pairs of phrases, one of candidates and one of references, that paraphrase each other."""

    own: Ints
    their: Ints

    def single_words(self, tables: Tables) -> tuple[Ints, Ints]:
        """Numbers of the single words among them."""
        words = len(tables.arrays["word_keys"])
        single = (self.own < words) & (self.their < words)
        return self.own[single], self.their[single]

    def matches(
        self, own: Occurrences, theirs: Occurrences, candidate: Ints, reference: Ints
    ) -> tuple[Ints, ...]:
        """Columns of the matches in which at least one side has several words."""
        own_length = _length_of(own)
        their_length = _length_of(theirs)
        several = (own_length[self.own] > 1) | (their_length[self.their] > 1)
        left, right = self.own[several], self.their[several]
        order = np.argsort(left, kind="stable")
        left, right = left[order], right[order]
        first = np.searchsorted(own.caption, candidate)
        pair, ours = spans(first, np.searchsorted(own.caption, candidate, side="right"))
        node = own.node[ours]
        row, place = spans(np.searchsorted(left, node), np.searchsorted(left, node, side="right"))
        pair, ours, wanted = pair[row], ours[row], right[place]
        row, places = _lookup(theirs, reference[pair], wanted)
        pair, ours = pair[row], ours[row]
        return (
            pair,
            own.start[ours],
            own.length[ours],
            theirs.start[places],
            theirs.length[places],
            np.full(len(pair), 3),
        )


def related_phrases(tables: Tables, own: Occurrences, theirs: Occurrences) -> Related:
    """Entries of the table, read in both directions, between two sets of occurrences."""
    ours, their = np.unique(own.node), np.unique(theirs.node)
    row, target = tables.paraphrases(ours)
    forward = _among(target, their)
    back, source = tables.paraphrases(their)
    backward = _among(source, ours)
    return Related(
        np.concatenate([ours[row[forward]], source[backward]]),
        np.concatenate([target[forward], their[back[backward]]]),
    )


def _among(values: Ints, kept: Ints) -> Ints:
    if not len(values) or not len(kept):
        return np.zeros(0, dtype=np.int64)
    present = np.zeros(max(int(values.max()), int(kept.max())) + 1, dtype=bool)
    present[kept] = True
    return np.flatnonzero(present[values])


def _length_of(occurrences: Occurrences) -> Ints:
    size = int(occurrences.node.max()) + 1 if len(occurrences.node) else 1
    lengths = np.zeros(size, dtype=np.int64)
    lengths[occurrences.node] = occurrences.length
    return lengths


def _lookup(occurrences: Occurrences, caption: Ints, node: Ints) -> tuple[Ints, Ints]:
    """Rows of the query, and places of the occurrences of `node` in `caption`."""
    keys = occurrences.caption << 32 | occurrences.node
    wanted = caption << 32 | node
    # Most queries find nothing: a hashed filter spares them the binary search.
    present = np.zeros(1 << _FILTER_BITS, dtype=bool)
    present[_hash(keys)] = True
    rows = np.flatnonzero(present[_hash(wanted)])
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    found, places = spans(
        np.searchsorted(ordered, wanted[rows]), np.searchsorted(ordered, wanted[rows], side="right")
    )
    return rows[found], order[places]


def _hash(keys: Ints) -> Ints:
    mixed = keys.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    return (mixed >> np.uint64(64 - _FILTER_BITS)).astype(np.int64)
