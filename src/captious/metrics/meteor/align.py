"""METEOR's alignment of many pairs of captions at once.

From all matches, a set in which no word is used twice is chosen by a beam search over the words
of the reference, from left to right (Denkowski & Lavie 2011, section 2; Denkowski & Lavie 2014):
most words first, then fewest chunks, then least distance. Three habits of the program, none of
them in the papers, decide which of several equally good alignments it takes:

* Words are counted in integers whatever the matchers' weights: an exact match counts its
  words, any other half of them on each side, rounded down. So a stem or synonym counts nothing;
  it joins an alignment when it lengthens a chunk or when nothing competes with it.
* A partial alignment counts a chunk once the chunk is closed, by a reference word that it passes
  over or by a match elsewhere. The end of the search counts the open one too.
* Distance is charged for what is turned down: a match costs the distances of the matches listed
  before it at the same reference word, as far as their words are free; passing over a word costs
  those of all its matches. The distance of a match itself is never charged.

Partial alignments are sorted, stably, after every word of the reference, and the first 40 live.
Matches without competitors are always part of the alignment.

All pairs advance together: step `t` extends the partial alignments of every pair by the pair's
`t`-th slot, a reference word that has a match or before which a match can end.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from captious.metrics.meteor.matchers import EXACT, Captions, Matches
from captious.metrics.meteor.tables import Ints, spans

BEAM = 40  # Meteor 1.5
# Ours, so that time is linear: where a reference is longer, fewer partial alignments live.
_WHOLE_BEAM_WORDS = 512
_LEAST = 8
_WORD = 64  # candidate words that one mask holds


@dataclass(frozen=True, eq=False)
class Alignment:
    """Rows of the chosen matches, and how many chunks they form in each pair."""

    rows: Ints
    chunks: Ints


@dataclass(eq=False)
class _Beam:
    """Partial alignments, those of one pair next to each other, best first.

    A chunk is open where the last match ends at the next reference word or later.
    """

    pair: Ints
    gain: Ints
    closed: Ints
    cost: Ints
    own_end: Ints
    their_end: Ints
    used: NDArray[np.uint64]
    trail: Ints

    @classmethod
    def start(cls, pairs: int, width: int) -> _Beam:
        """One empty alignment of each pair."""
        zero = np.zeros(pairs, dtype=np.int64)
        used = np.zeros((pairs, width), dtype=np.uint64)
        return cls(np.arange(pairs), zero, zero, zero, zero - 1, zero - 1, used, zero - 1)

    @classmethod
    def joined(cls, parts: list[_Beam]) -> _Beam:
        """The partial alignments of beams that have no pair in common, by pair."""
        columns = zip(*(vars(part).values() for part in parts), strict=True)
        whole = cls(*map(np.concatenate, columns))
        return whole.take(np.argsort(whole.pair, kind="stable"))

    def take(self, rows: Ints) -> _Beam:
        """The partial alignments `rows`."""
        return _Beam(
            self.pair[rows],
            self.gain[rows],
            self.closed[rows],
            self.cost[rows],
            self.own_end[rows],
            self.their_end[rows],
            self.used[rows],
            self.trail[rows],
        )


def align_pairs(matches: Matches, captions: Captions, candidate: Ints, reference: Ints) -> Alignment:
    """Choose among `matches` for every pair."""
    fixed = _without_competitors(matches, captions, candidate, reference)
    chosen = [np.flatnonzero(fixed)]
    contested = np.zeros(len(candidate), dtype=bool)
    contested[matches.pair[~fixed]] = True
    widths = -(-captions.lengths[candidate] // _WORD)
    for width in np.unique(widths[contested]).tolist():
        pairs = np.flatnonzero(contested & (widths == width))
        lengths = captions.lengths[reference[pairs]]
        rows = _Search(matches, fixed, pairs, lengths, max(width, 1)).run()
        chosen.append(rows[~fixed[rows]])
    rows = np.sort(np.concatenate(chosen))
    return Alignment(rows, _count_chunks(matches, rows, len(candidate)))


def _without_competitors(
    matches: Matches, captions: Captions, candidate: Ints, reference: Ints
) -> NDArray[np.bool_]:
    alone = np.ones(len(matches), dtype=bool)
    sides = (
        (candidate, matches.candidate, matches.candidate_length),
        (reference, matches.reference, matches.reference_length),
    )
    for rows, start, length in sides:
        lengths = captions.lengths[rows]
        first = (np.cumsum(lengths) - lengths)[matches.pair] + start
        match, word = spans(first, first + length)
        cover = np.bincount(word, minlength=int(lengths.sum()))
        alone[match[cover[word] > 1]] = False
    return alone


def _count_chunks(matches: Matches, rows: Ints, pairs: int) -> Ints:
    """Runs of matches that follow each other in both captions."""
    pair = matches.pair[rows]
    ours, theirs = matches.candidate[rows], matches.reference[rows]
    opens = np.ones(len(rows), dtype=bool)
    opens[1:] = (
        (pair[1:] != pair[:-1])
        | (ours[1:] != (ours + matches.candidate_length[rows])[:-1])
        | (theirs[1:] != (theirs + matches.reference_length[rows])[:-1])
    )
    return np.bincount(pair[opens], minlength=pairs)


class _Search:
    """Beam search over pairs whose candidates have at most `64 * width` words."""

    def __init__(
        self, matches: Matches, fixed: NDArray[np.bool_], pairs: Ints, lengths: Ints, width: int
    ) -> None:
        wanted = np.zeros(int(matches.pair.max()) + 1, dtype=bool)
        wanted[pairs] = True
        self.rows = np.flatnonzero(wanted[matches.pair])
        self.pairs, self.width = len(pairs), width
        self.beam = np.clip(BEAM * _WHOLE_BEAM_WORDS // np.maximum(lengths, 1), _LEAST, BEAM)
        self.own, own_length = matches.candidate[self.rows], matches.candidate_length[self.rows]
        self.their, length = matches.reference[self.rows], matches.reference_length[self.rows]
        self.own_end, self.their_end = self.own + own_length, self.their + length
        self.distance = np.abs(self.own - self.their)
        whole = matches.matcher[self.rows] == EXACT
        self.gain = np.where(whole, own_length + length, own_length // 2 + length // 2)
        self.word, self.bits = self.own // _WORD, _bits(self.own % _WORD, own_length)
        self.over, self.over_bits = (self.own_end - 1) // _WORD, _bits_over(self.own % _WORD, own_length)
        self._find_slots(np.searchsorted(pairs, matches.pair[self.rows]), lengths, fixed)

    def _find_slots(self, pair: Ints, lengths: Ints, fixed: NDArray[np.bool_]) -> None:
        stride = int(lengths.max()) + 1
        starts = pair * stride + self.their
        ends = (pair * stride + self.their_end)[self.their_end < lengths[pair]]
        slots = np.unique(np.concatenate([starts, ends]))
        start, stop = np.searchsorted(starts, slots), np.searchsorted(starts, slots, side="right")
        # A word behind all matches closes what the end of the search would close.
        reach = np.zeros(self.pairs, dtype=np.int64)
        np.maximum.at(reach, pair, self.their_end)
        kept = (stop > start) | (slots % stride < reach[slots // stride])
        slots, self.slot_start, self.slot_stop = slots[kept], start[kept], stop[kept]
        slot_pair, self.position = np.divmod(slots, stride)
        self.is_fixed = np.zeros(len(slots), dtype=bool)
        self.is_fixed[np.searchsorted(slots, starts[fixed[self.rows]])] = True
        self.slots = np.bincount(slot_pair, minlength=self.pairs)
        self.first_slot = np.cumsum(self.slots) - self.slots

    def run(self) -> Ints:
        """Rows of the best alignment's matches, over all pairs."""
        beam = _Beam.start(self.pairs, self.width)
        trail_match: list[Ints] = []
        trail_parent: list[Ints] = []
        ended: list[_Beam] = []
        marks = 0
        for step in range(int(self.slots.max())):
            beam, picked = self._extend(beam, step)
            trail_match.append(picked)
            trail_parent.append(beam.trail)
            beam.trail = marks + np.arange(len(picked))
            marks += len(picked)
            done = self.slots[beam.pair] == step + 1
            if done.any():
                ended.append(beam.take(done.nonzero()[0]))
                beam = beam.take((~done).nonzero()[0])
        return self._follow(self._best(ended), np.concatenate(trail_match), np.concatenate(trail_parent))

    def _extend(self, beam: _Beam, step: int) -> tuple[_Beam, Ints]:
        slot = self.first_slot[beam.pair] + step
        covered = self.position[slot] < beam.their_end
        # Each partial alignment takes one of the slot's matches or, last in order, none.
        count = np.where(covered, 0, self.slot_stop[slot] - self.slot_start[slot]) + 1
        ends = count.cumsum()
        begins = ends - count
        row = np.arange(len(count)).repeat(count)
        match = np.arange(len(row)) + (self.slot_start[slot] - begins)[row]
        match[ends - 1] = -1
        possible = np.zeros(len(row), dtype=bool)
        possible[ends - 1] = covered | ~self.is_fixed[slot]
        taken = (match >= 0).nonzero()[0]
        free = taken[self._free(beam, row[taken], match[taken])]
        possible[free] = True
        refused = np.zeros(len(row), dtype=np.int64)
        refused[free] = self.distance[match[free]]
        before = refused.cumsum() - refused
        before -= before[begins][row]
        row, match, before = row[possible], match[possible], before[possible]
        gain, closed = beam.gain[row], beam.closed[row]
        taken = (match >= 0).nonzero()[0]
        own, chosen = row[taken], match[taken]
        gain[taken] += self.gain[chosen]
        breaks = ~covered[row]
        breaks[taken] = (beam.own_end[own] != self.own[chosen]) | (beam.their_end[own] != self.their[chosen])
        closed += breaks & (beam.their_end[row] >= self.position[slot[row]])
        cost = beam.cost[row] + before
        # Only what lives is copied with the words that it uses.
        kept = _first_of_pairs(beam.pair[row], gain, closed, cost, self.beam)
        grown, match = beam.take(row[kept]), match[kept]
        grown.gain, grown.closed, grown.cost = gain[kept], closed[kept], cost[kept]
        self._use(grown, match)
        return grown, match

    def _free(self, beam: _Beam, row: Ints, match: Ints) -> NDArray[np.bool_]:
        """Whether partial alignments `row` use no word of the candidate that the matches need."""
        used = beam.used[row, self.word[match]] & self.bits[match]
        if self.width > 1:
            used |= beam.used[row, self.over[match]] & self.over_bits[match]
        free: NDArray[np.bool_] = used == 0
        return free

    def _use(self, beam: _Beam, match: Ints) -> None:
        taken = (match >= 0).nonzero()[0]
        chosen = match[taken]
        beam.used[taken, self.word[chosen]] |= self.bits[chosen]
        if self.width > 1:
            beam.used[taken, self.over[chosen]] |= self.over_bits[chosen]
        beam.own_end[taken] = self.own_end[chosen]
        beam.their_end[taken] = self.their_end[chosen]

    def _best(self, ended: list[_Beam]) -> Ints:
        """The trail of each pair's best alignment."""
        whole = _Beam.joined(ended)
        last = self.position[self.first_slot[whole.pair] + self.slots[whole.pair] - 1]
        chunks = whole.closed + (whole.their_end > last)
        return whole.trail[
            _first_of_pairs(whole.pair, whole.gain, chunks, whole.cost, np.ones_like(self.beam))
        ]

    def _follow(self, best: Ints, match: Ints, parent: Ints) -> Ints:
        found = []
        while len(best):
            found.append(match[best][match[best] >= 0])
            best = parent[best]
            best = best[best >= 0]
        return np.sort(self.rows[np.concatenate(found)])


def _first_of_pairs(pair: Ints, gain: Ints, chunks: Ints, cost: Ints, count: Ints) -> Ints:
    """The first `count[p]` of each pair `p` by gain, chunks and cost; equal ones keep their order."""
    gains, widths, costs = (int(x.max()) + 1 for x in (gain, chunks, cost))
    if (int(pair.max()) + 1) * gains * widths * costs < 1 << 62:
        key = ((pair * gains - gain) * widths + chunks) * costs + cost
        order = np.argsort(key, kind="stable")
    else:
        order = np.lexsort((cost, chunks, -gain, pair))
    sizes = np.bincount(pair, minlength=len(count))  # partial alignments stand pair by pair, before and after
    if (sizes <= count).all():
        return order
    starts = sizes.cumsum() - sizes
    return order[np.arange(len(order)) < (starts + count)[pair]]


def _bits(place: Ints, length: Ints) -> NDArray[np.uint64]:
    """Bits of the words that a match takes, in the mask that holds its first; a match is shorter."""
    ones = (np.uint64(1) << length.astype(np.uint64)) - np.uint64(1)
    return ones << place.astype(np.uint64)


def _bits_over(place: Ints, length: Ints) -> NDArray[np.uint64]:
    """Bits in the mask that holds its last word: those that `_bits` has no room for."""
    over = place + length - _WORD
    ones = (np.uint64(1) << np.maximum(over, 0).astype(np.uint64)) - np.uint64(1)
    return np.where(over > 0, ones, np.uint64(0))
