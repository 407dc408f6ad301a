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
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from captious.metrics.meteor.phrases import (
    MOST_MATCHES,
    Occurrences,
    Related,
    nearest,
    related_phrases,
    search_order,
)
from captious.metrics.meteor.tables import Ints, Tables, Words, spans
from captious.text.tokens import TokenTable

MATCHERS = ("exact", "stem", "synonym", "paraphrase")
EXACT, STEM, SYNONYM, PARAPHRASE = range(4)
# In the table of word relations: one bit each, paraphrases by an entry of the reference's word
# apart from those by an entry of the candidate's.
_BITS = (1, 2, 4, 8, 16)
_TURNED, _STRAIGHT = _BITS[3:]
MOST_CELLS = 1 << 20  # words of a candidate times words of its reference, all of which are compared
_RUN = 3


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
    # The program aligns identical texts word by word, without its search.
    same = _identical(captions, candidate, reference) & (EXACT in matchers)
    relations = _Relations(captions, candidate, reference, same)
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
        others = np.flatnonzero(~same)
        pair, *rest = related.where(~single).matches(
            own, theirs, candidate[others], reference[others], captions.lengths
        )
        columns.append((others[pair], *rest))
    columns.append(relations.matches())
    *joined, found = (np.concatenate(column) for column in zip(*columns, strict=True))
    order = np.lexsort((found, joined[5], joined[3], joined[0]))
    return Matches(*(column[order] for column in joined))


class _Relations:
    """Which words of the candidates match which words of the references, as one dense table."""

    def __init__(self, captions: Captions, candidate: Ints, reference: Ints, same: NDArray[np.bool_]) -> None:
        self.captions, self.candidate, self.reference, self.same = captions, candidate, reference, same
        self.own, self.their = self._vocabulary(candidate), self._vocabulary(reference)
        self.own_place, self.their_place = (
            np.searchsorted(words, captions.ids) for words in (self.own, self.their)
        )
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
        """Columns of all one-word matches; of crowded pairs, those near their diagonal."""
        lengths = self.captions.lengths
        crowded = lengths[self.candidate] * lengths[self.reference] > MOST_CELLS
        pair, ours, theirs = self._hits(np.flatnonzero(~(crowded | self.same)))
        crowded |= np.bincount(pair, minlength=len(crowded)) > MOST_MATCHES
        kept = ~crowded[pair]
        parts = [(pair[kept], ours[kept], theirs[kept])]
        parts += [self._nearest(row) for row in np.flatnonzero(crowded & ~self.same).tolist()]
        pair, ours, theirs = (np.concatenate(part) for part in zip(*parts, strict=True))
        own, their = self._places(pair, ours, theirs)
        code = self.codes[own, their]
        rows = [np.flatnonzero(code & bit) for bit in _BITS]
        found = [ours[row] for row in rows[:PARAPHRASE]]
        for bit, row in zip((_TURNED, _STRAIGHT), rows[PARAPHRASE:], strict=True):
            rank = self._rank(bit, own[row] * len(self.their) + their[row])
            one = np.ones_like(rank)
            turned = one == (bit == _TURNED)
            found.append(search_order(turned, ours[row], one, one, rank))
        matcher = np.repeat((*range(4), PARAPHRASE), [len(row) for row in rows])
        chosen, order = np.concatenate(rows), np.concatenate(found)
        same, word = spans(np.zeros(int(self.same.sum()), dtype=np.int64), lengths[self.candidate[self.same]])
        joined = [
            np.concatenate(part)
            for part in (
                (pair[chosen], np.flatnonzero(self.same)[same]),
                (ours[chosen], word),
                (theirs[chosen], word),
                (matcher, np.full(len(word), EXACT)),
                (order, word),
            )
        ]
        one = np.ones_like(joined[0])
        return joined[0], joined[1], one, joined[2], one, joined[3], joined[4]

    def _hits(self, rows: Ints) -> tuple[Ints, Ints, Ints]:
        """Pair, word of the candidate and of the reference of every related two words."""
        width, height = (self.captions.lengths[side[rows]] for side in (self.candidate, self.reference))
        pair, cell = spans(np.zeros(len(rows), dtype=np.int64), width * height)
        theirs, ours = np.divmod(cell, width[pair])
        pair = rows[pair]
        hit = np.flatnonzero(self.codes[self._places(pair, ours, theirs)])
        return pair[hit], ours[hit], theirs[hit]

    def _places(self, pair: Ints, ours: Ints, theirs: Ints) -> tuple[Ints, Ints]:
        """Rows and columns of `codes`."""
        offsets = self.captions.offsets
        own = self.own_place[offsets[self.candidate[pair]] + ours]
        return own, self.their_place[offsets[self.reference[pair]] + theirs]

    def _nearest(self, pair: int) -> tuple[Ints, Ints, Ints]:
        """As `_hits`, of one crowded pair: of each word few places, near the diagonal or in equal runs."""
        ids, offsets = self.captions.ids, self.captions.offsets
        sides = (self.candidate[pair], self.reference[pair])
        own, their = (slice(offsets[row], offsets[row + 1]) for row in sides)
        width, height = self.captions.lengths[np.array(sides)].tolist()
        near = np.arange(height) * width // height
        own_words, their_words = self.own_place[own], self.their_place[their]
        known, wanted = np.unique(own_words), np.unique(their_words)
        column, row = np.nonzero(self.codes[np.ix_(known, wanted)].T)
        first, last = (np.searchsorted(wanted[column], their_words, side=side) for side in ("left", "right"))
        theirs, related = spans(first, last)
        order = np.argsort(own_words, kind="stable")
        hit, places = nearest(own_words[order], order, known[row[related]], near[theirs])
        cells = [theirs[hit] * width + order[places]]
        own_runs, their_runs = _runs(ids[own], ids[their])
        order = np.argsort(own_runs, kind="stable")
        hit, places = nearest(own_runs[order], order, their_runs, near[: len(their_runs)])
        cells += [(hit + shift) * width + order[places] + shift for shift in range(_RUN)]
        theirs, ours = np.divmod(np.unique(np.concatenate(cells)), width)
        related = np.flatnonzero(self.codes[own_words[ours], their_words[theirs]])
        return np.full(len(related), pair), ours[related], theirs[related]

    def _rank(self, bit: int, cells: Ints) -> Ints:
        """Ranks of the entries that set `bit` in `cells`."""
        if not len(cells):
            return cells
        known, ranks = self.ranks[bit]
        return ranks[np.searchsorted(known, cells)]


def _identical(captions: Captions, candidate: Ints, reference: Ints) -> NDArray[np.bool_]:
    same: NDArray[np.bool_] = captions.lengths[candidate] == captions.lengths[reference]
    rows = np.flatnonzero(same)
    pair, ours = spans(captions.offsets[candidate[rows]], captions.offsets[candidate[rows] + 1])
    theirs = ours + (captions.offsets[reference[rows]] - captions.offsets[candidate[rows]])[pair]
    same[rows[pair[captions.ids[ours] != captions.ids[theirs]]]] = False
    return same


def _runs(own: Ints, their: Ints) -> tuple[Ints, Ints]:
    """A number for every `_RUN` words in a row, from each word that so many begin at."""
    if min(len(own), len(their)) < _RUN:
        return own[:0], their[:0]
    windows = [sliding_window_view(side, _RUN) for side in (own, their)]
    _, numbers = np.unique(np.concatenate(windows), axis=0, return_inverse=True)
    return numbers[: len(windows[0])], numbers[len(windows[0]) :]


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
