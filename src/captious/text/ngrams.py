"""N-gram tables: which n-grams each text holds, and how often, as integer columns.

An n-gram is its first n - 1 tokens, which are an n-gram too, and one token more. So every n-gram
gets its number from a pair of numbers, and no tuple of strings is ever made.

Grouping the places of millions of tokens by n-gram is a sort. A sort of everything at once takes ever
more time for each token as the column outgrows the processor's caches. Here only blocks are sorted:
first by token, each block's tokens then put behind those of the blocks before; and since the n-grams of
the next order only divide the groups of this one, some small groups at a time, or one large group, are
sorted by the token that follows.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from captious.text.lookup import (
    ABSENT,
    Lookup,
    chunks,
    first_of_runs,
    group_keys,
    ranges,
    run_lengths,
    sort_stably,
)
from captious.text.tokens import TokenTable

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


IntArray = NDArray[np.int64]
MAX_ORDER = 4  # BLEU, ROUGE and CIDEr all stop at four
_CHUNK = 1 << 14  # tokens whose n-grams are counted at once: few enough for the processor's cache


@dataclass(frozen=True, eq=False)
class NgramIndex:
    """Numbers of n-grams: first all single tokens, then all pairs, and so on.

    `keys[k]` holds, in ascending order, `prefix * len(vocabulary) + token` for every n-gram of
    order k + 2, where `prefix` counts from the first n-gram of the order below.
    """

    vocabulary: list[str]
    keys: tuple[IntArray, ...]

    @cached_property
    def starts(self) -> IntArray:
        """Number of the first n-gram of each order, and at the end how many there are."""
        return np.cumsum([0, len(self.vocabulary), *(len(keys) for keys in self.keys)])

    def __len__(self) -> int:
        return int(self.starts[-1])

    def orders_of(self, numbers: NDArray[np.int32]) -> NDArray[np.int8]:
        """Order of each n-gram, counted from 0."""
        # Three comparisons are faster than a look into a column that no cache holds.
        orders = np.zeros(len(numbers), dtype=np.int8)
        for start in self.starts[1:-1].tolist():
            orders += numbers >= start
        return orders

    def ngram(self, number: int) -> tuple[str, ...]:
        """Tokens of one n-gram; for display, not for loops over a million."""
        starts = self.starts.tolist()
        order = int(np.searchsorted(starts, number, side="right")) - 1
        tokens: list[str] = []
        local = number - starts[order]
        for keys in reversed(self.keys[:order]):
            local, token = divmod(int(keys[local]), len(self.vocabulary))
            tokens.append(self.vocabulary[token])
        return (self.vocabulary[local], *reversed(tokens))

    def find_in(self, other: NgramIndex) -> IntArray:
        """For each n-gram of ours its number in `other`; -1 where `other` has it not."""
        if other is self:
            return np.arange(len(self))
        words = {word: number for number, word in enumerate(other.vocabulary)}
        tokens = np.array([words.get(word, ABSENT) for word in self.vocabulary], dtype=np.int64)
        starts = other.starts
        found, local = [tokens], tokens
        for order, keys in enumerate(self.keys[: len(other.keys)]):
            moved = moved_keys(keys, len(self.vocabulary), local, tokens, len(other.vocabulary))
            local = Lookup(other.keys[order]).find(moved).astype(np.int64)
            found.append(np.where(local >= 0, local + starts[order + 1], ABSENT))
        found.extend(np.full(len(keys), ABSENT) for keys in self.keys[len(other.keys) :])
        return np.concatenate(found)


def moved_keys(keys: IntArray, size: int, prefixes: IntArray, tokens: IntArray, new_size: int) -> IntArray:
    """Keys of one index in the numbers of another; -1 where a part is absent there."""
    prefix, token = np.divmod(keys, max(size, 1))
    prefix, token = prefixes[prefix], tokens[token]
    return np.where((prefix >= 0) & (token >= 0), prefix * new_size + token, ABSENT)


@dataclass(frozen=True, eq=False)
class NgramTable:
    """N-gram counts of many texts: text `i` owns entries `offsets[i]:offsets[i + 1]`.

    Entries of a text are in ascending order of n-gram, so that its single tokens come first.

    >>> from captious.text.tokens import token_table
    >>> table = count_ngrams(token_table(["a dog and a dog"], "space"), order=2)
    >>> for gram, count in zip(table.grams.tolist(), table.counts.tolist(), strict=True):
    ...     print(*table.index.ngram(gram), count)
    a 2
    dog 2
    and 1
    a dog 2
    dog and 1
    and a 1
    """

    index: NgramIndex
    offsets: IntArray
    grams: NDArray[np.int32]
    counts: NDArray[np.int32]
    lengths: IntArray

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @cached_property
    def sizes(self) -> IntArray:
        """How many distinct n-grams each text has."""
        return np.diff(self.offsets)

    def entries_of(self, texts: IntArray) -> tuple[IntArray, IntArray]:
        """Entries of `texts` one after another, and for each the place in `texts` it is from."""
        sizes = self.offsets[texts + 1] - self.offsets[texts]
        return ranges(self.offsets[texts], sizes), np.repeat(np.arange(len(texts)), sizes)


def count_ngrams(tokens: TokenTable, order: int = MAX_ORDER) -> NgramTable:
    """Count the n-grams of every text up to `order`."""
    index, numbers = _number_ngrams(tokens, order)
    lengths, starts = tokens.lengths, index.starts
    # All n-grams are room enough for the distinct ones, and pages never written take no memory.
    most = sum(int(np.maximum(lengths - n, 0).sum()) for n in range(order))
    grams, counts = np.empty(most, dtype=np.int32), np.empty(most, dtype=np.int32)
    sizes, end = np.zeros(len(tokens) + 1, dtype=np.int64), 0
    for part in chunks(lengths + 1, _CHUNK):
        own_sizes, own_grams, own_counts = _count_part(tokens, numbers, starts, part)
        here = slice(end, end + len(own_grams))
        sizes[part.start + 1 : part.stop + 1] = own_sizes
        grams[here], counts[here], end = own_grams, own_counts, here.stop
    return NgramTable(index, np.cumsum(sizes), grams[:end], counts[:end], lengths)


def _number_ngrams(tokens: TokenTable, order: int) -> tuple[NgramIndex, list[NDArray[np.int32]]]:
    """Index of all n-grams, and for each order the n-gram that starts at each token, or -1."""
    size = len(tokens.vocabulary)
    followers = np.append(tokens.ids, np.int32(ABSENT))
    followers[tokens.offsets] = ABSENT  # no n-gram goes on into the next text
    groups = Groups.of(tokens.ids, size)
    numbers, keys = [tokens.ids], []
    for n in range(2, order + 1):
        here = np.full(len(tokens.ids), ABSENT, dtype=np.int32)
        distinct, groups = groups.divided(followers[n - 1 :], size, here)
        numbers.append(here)
        keys.append(distinct)
    return NgramIndex(tokens.vocabulary, tuple(keys)), numbers


def _count_part(
    tokens: TokenTable, numbers: list[NDArray[np.int32]], starts: IntArray, part: slice
) -> tuple[IntArray, NDArray[np.int32], NDArray[np.int32]]:
    """Sizes, n-grams and counts of the texts of one slice."""
    lengths = tokens.lengths[part]
    first, last = int(tokens.offsets[part.start]), int(tokens.offsets[part.stop])
    # A text and an n-gram in one number: shifts undo it much faster than divisions.
    bits = int(starts[-1]).bit_length()
    text_keys = group_keys(lengths, bits)
    keyed = []
    for start, column in zip(starts.tolist(), numbers, strict=False):
        here = column[first:last]
        kept = here >= 0
        keyed.append(text_keys[kept] + (here[kept] + start))
    ordered = np.sort(np.concatenate(keyed))
    begins = first_of_runs(ordered).nonzero()[0]
    distinct = ordered[begins]
    counts = run_lengths(begins, len(ordered)).astype(np.int32)
    sizes = np.bincount(distinct >> bits, minlength=len(lengths))
    return sizes, (distinct & ((1 << bits) - 1)).astype(np.int32), counts
