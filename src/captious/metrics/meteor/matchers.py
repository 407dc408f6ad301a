"""Every match that METEOR's four matchers find in many pairs of captions at once.

Exact, stem, synonym and paraphrase (Denkowski & Lavie 2011, section 2). One word of the
candidate and one of the reference may be matched by several matchers; all are kept, as METEOR
keeps them, and compete in the alignment.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from captious.metrics.meteor.phrases import Occurrences, Related, related_phrases, search_order
from captious.metrics.meteor.tables import Ints, Tables, Words, spans
from captious.text.tokens import TokenTable

MATCHERS = ("exact", "stem", "synonym", "paraphrase")
EXACT, STEM, SYNONYM, PARAPHRASE = range(4)
# In the table of word relations: one bit each, paraphrases by an entry of the reference's word
# apart from those by an entry of the candidate's.
_BITS = (1, 2, 4, 8, 16)
_TURNED, _STRAIGHT = _BITS[3:]


@dataclass(frozen=True, eq=False)
class Captions:
    """Captions as integers: caption `i` is `ids[offsets[i]:offsets[i + 1]]`."""

    ids: Ints
    offsets: Ints

    @classmethod
    def of(cls, tokens: TokenTable, rows: Ints) -> Captions:
        """The texts `rows` of a table."""
        _, places = spans(tokens.offsets[rows], tokens.offsets[rows + 1])
        ends = np.cumsum(tokens.lengths[rows])
        return cls(tokens.ids[places].astype(np.int64), np.concatenate([[0], ends]))

    @cached_property
    def lengths(self) -> Ints:
        """Words of each caption."""
        return np.diff(self.offsets)


@dataclass(frozen=True, eq=False)
class Matches:
    """Matches in the order of pair, reference word, matcher, and as the matcher finds them.

    The first three matchers find their matches from left to right in the candidate.
    """

    pair: Ints
    candidate: Ints
    candidate_length: Ints
    reference: Ints
    reference_length: Ints
    matcher: Ints

    def __len__(self) -> int:
        return len(self.pair)


def find_matches(
    tables: Tables,
    words: Words,
    captions: Captions,
    candidate: Ints,
    reference: Ints,
    matchers: Collection[int] = range(4),
) -> Matches:
    """Matches between the captions `candidate[i]` and `reference[i]` of every pair `i`."""
    relations = _Relations(captions, candidate, reference)
    columns: list[tuple[Ints, ...]] = []
    if EXACT in matchers:
        relations.relate_equal_words()
    if STEM in matchers:
        relations.relate_stems(words)
    if SYNONYM in matchers:
        relations.relate_synonyms(words)
    if PARAPHRASE in matchers:
        phrases = Occurrences.find(tables, words, captions)
        own = phrases.within(candidate, len(captions.lengths))
        theirs = phrases.within(reference, len(captions.lengths))
        related = related_phrases(tables, own, theirs)
        single = related.between_words(tables)
        relations.relate_paraphrases(words, related.where(single))
        columns.append(related.where(~single).matches(own, theirs, candidate, reference))
    columns.append(relations.matches())
    *joined, found = (np.concatenate(column) for column in zip(*columns, strict=True))
    order = np.lexsort((found, joined[5], joined[3], joined[0]))
    return Matches(*(column[order] for column in joined))


class _Relations:
    """Which words of the candidates match which words of the references, as one dense table."""

    def __init__(self, captions: Captions, candidate: Ints, reference: Ints) -> None:
        self.captions, self.candidate, self.reference = captions, candidate, reference
        self.own, self.their = self._vocabulary(candidate), self._vocabulary(reference)
        self.codes = np.zeros((len(self.own), len(self.their)), dtype=np.uint8)
        self.ranks: dict[int, tuple[Ints, Ints]] = {}

    def _vocabulary(self, rows: Ints) -> Ints:
        used = np.unique(rows)
        _, places = spans(self.captions.offsets[used], self.captions.offsets[used + 1])
        return np.unique(self.captions.ids[places])

    def relate_equal_words(self) -> None:
        """Exact: the same word."""
        _, row, column = np.intersect1d(self.own, self.their, True, return_indices=True)
        self.codes[row, column] |= _BITS[EXACT]

    def relate_stems(self, words: Words) -> None:
        """Stem: different words of one stem."""
        row, column = _join(words.stem[self.own], words.stem[self.their])
        different = self.own[row] != self.their[column]
        self.codes[row[different], column[different]] |= _BITS[STEM]

    def relate_synonyms(self, words: Words) -> None:
        """Synonym: different words that share a synset."""
        own_row, own_synset = _rows_of(words, self.own)
        their_row, their_synset = _rows_of(words, self.their)
        left, right = _join(own_synset, their_synset)
        row, column = own_row[left], their_row[right]
        different = self.own[row] != self.their[column]
        self.codes[row[different], column[different]] |= _BITS[SYNONYM]

    def relate_paraphrases(self, words: Words, related: Related) -> None:
        """Paraphrase: single words; entries of the table in both directions count twice."""
        row = _place_of(words.number[self.own], related.own)
        column = _place_of(words.number[self.their], related.their)
        cell = row * len(self.their) + column
        for bit, chosen in ((_TURNED, related.turned), (_STRAIGHT, ~related.turned)):
            self.codes[row[chosen], column[chosen]] |= bit
            order = np.argsort(cell[chosen])
            self.ranks[bit] = cell[chosen][order], related.rank[chosen][order]

    def matches(self) -> tuple[Ints, ...]:
        """Columns of all one-word matches."""
        offsets, lengths = self.captions.offsets, self.captions.lengths
        width = lengths[self.candidate]
        pair, cell = spans(np.zeros(len(width), dtype=np.int64), width * lengths[self.reference])
        theirs, ours = np.divmod(cell, width[pair])
        own_place, their_place = (
            np.searchsorted(words, self.captions.ids) for words in (self.own, self.their)
        )
        own = own_place[offsets[self.candidate][pair] + ours]
        their = their_place[offsets[self.reference][pair] + theirs]
        code = self.codes[own, their]
        hit = np.flatnonzero(code)
        code = code[hit]
        rows = [hit[(code & bit) > 0] for bit in _BITS]
        found = [ours[row] for row in rows[:PARAPHRASE]]
        for bit, row in zip((_TURNED, _STRAIGHT), rows[PARAPHRASE:], strict=True):
            rank = self._rank(bit, own[row] * len(self.their) + their[row])
            one = np.ones_like(rank)
            turned = one == (bit == _TURNED)
            found.append(search_order(turned, ours[row], one, one, rank))
        matcher = np.repeat((*range(4), PARAPHRASE), [len(row) for row in rows])
        chosen, order = np.concatenate(rows), np.concatenate(found)
        one = np.ones_like(chosen)
        return pair[chosen], ours[chosen], one, theirs[chosen], one, matcher, order

    def _rank(self, bit: int, cells: Ints) -> Ints:
        """Ranks of the entries that set `bit` in `cells`."""
        if not len(cells):
            return cells
        known, ranks = self.ranks[bit]
        return ranks[np.searchsorted(known, cells)]


def _rows_of(words: Words, vocabulary: Ints) -> tuple[Ints, Ints]:
    offsets = words.synset_offsets
    rows, places = spans(offsets[vocabulary], offsets[vocabulary + 1])
    return rows, words.synsets[places]


def _join(left: Ints, right: Ints) -> tuple[Ints, Ints]:
    """Rows of `left` and `right` that hold the same value."""
    order = np.argsort(right, kind="stable")
    ordered = right[order]
    rows, places = spans(np.searchsorted(ordered, left), np.searchsorted(ordered, left, side="right"))
    return rows, order[places]


def _place_of(values: Ints, wanted: Ints) -> NDArray[np.int64]:
    order = np.argsort(values, kind="stable")
    return order[np.searchsorted(values[order], wanted)]
