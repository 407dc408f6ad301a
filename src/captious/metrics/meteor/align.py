"""METEOR's alignment of many pairs of captions at once.

From all matches, a set in which no word is used twice is chosen by a beam search over the
words of the reference, from left to right (Denkowski & Lavie 2011, section 2; Denkowski & Lavie
2014): first the most words by the weights of the matchers, then the fewest chunks. The program
counts weighted words in whole numbers, for each match and each side, so that a match of two single
words counts only if it is exact; others join an alignment when they lengthen a chunk or when
nothing competes with them. Matches without competitors are always part of the alignment.

All pairs advance together: step `t` extends the partial alignments of every pair by the pair's
`t`-th reference word that has a match.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from captious.metrics.meteor.matchers import Captions, Matches
from captious.metrics.meteor.tables import Ints, spans

BEAM = 40  # Meteor 1.5
_WORD = 64  # candidate words that one mask holds


@dataclass(frozen=True, eq=False)
class Alignment:
    """Rows of the chosen matches, and how many chunks they form in each pair."""

    rows: Ints
    chunks: Ints


@dataclass(eq=False)
class _Beam:
    """Partial alignments, those of one pair next to each other, best first."""

    pair: Ints
    gain: Ints
    chunks: Ints
    size: Ints
    own_end: Ints
    their_end: Ints
    used: NDArray[np.uint64]
    trail: Ints

    def take(self, rows: Ints) -> _Beam:
        """The partial alignments `rows`."""
        return _Beam(
            self.pair[rows],
            self.gain[rows],
            self.chunks[rows],
            self.size[rows],
            self.own_end[rows],
            self.their_end[rows],
            self.used[rows],
            self.trail[rows],
        )


def align_pairs(
    matches: Matches,
    captions: Captions,
    candidate: Ints,
    reference: Ints,
    weights: NDArray[np.float64],
) -> Alignment:
    """Choose among `matches` for every pair."""
    fixed = _without_competitors(matches, captions, candidate, reference)
    chosen = [np.flatnonzero(fixed)]
    contested = np.zeros(len(candidate), dtype=bool)
    contested[matches.pair[~fixed]] = True
    widths = -(-captions.lengths[candidate] // _WORD)
    for width in np.unique(widths[contested]).tolist():
        pairs = np.flatnonzero(contested & (widths == width))
        search = _Search(matches, fixed, pairs, max(width, 1), weights)
        rows = search.run()
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
        self,
        matches: Matches,
        fixed: NDArray[np.bool_],
        pairs: Ints,
        width: int,
        weights: NDArray[np.float64],
    ) -> None:
        wanted = np.zeros(int(matches.pair.max()) + 1, dtype=bool)
        wanted[pairs] = True
        self.rows = np.flatnonzero(wanted[matches.pair])
        self.matches, self.pairs, self.width = matches, pairs, width
        self.own = matches.candidate[self.rows]
        self.their = matches.reference[self.rows]
        self.own_length = matches.candidate_length[self.rows]
        self.their_length = matches.reference_length[self.rows]
        self.fixed = fixed[self.rows]
        # Whole numbers on each side: 0.6 of one word is nothing, 0.6 of two words is one.
        weight = weights[matches.matcher[self.rows]]
        self.gain = np.floor(weight * self.own_length + 1e-9).astype(np.int64)
        self.gain += np.floor(weight * self.their_length + 1e-9).astype(np.int64)
        self.mask = _masks(self.own, self.own_length, width)
        self._find_slots(np.searchsorted(pairs, matches.pair[self.rows]))

    def _find_slots(self, pair: Ints) -> None:
        """A slot is a reference word with matches; slots of a pair are numbered from left."""
        new = np.ones(len(pair), dtype=bool)
        new[1:] = (pair[1:] != pair[:-1]) | (self.their[1:] != self.their[:-1])
        self.slot_start = np.append(np.flatnonzero(new), len(pair))
        slots = np.bincount(pair[new], minlength=len(self.pairs))
        self.slots = slots
        self.first_slot = np.cumsum(slots) - slots

    def run(self) -> Ints:
        """Rows of the best alignment's matches, over all pairs."""
        count = len(self.pairs)
        zero = np.zeros(count, dtype=np.int64)
        beam = _Beam(
            np.arange(count),
            zero,
            zero,
            zero,
            zero - 1,
            zero - 1,
            np.zeros((count, self.width), dtype=np.uint64),
            zero - 1,
        )
        trail_match: list[Ints] = []
        trail_parent: list[Ints] = []
        best = np.full(count, -1, dtype=np.int64)
        marks = 0
        for step in range(int(self.slots.max())):
            beam, picked = self._extend(beam, step)
            trail_match.append(picked)
            trail_parent.append(beam.trail)
            beam.trail = marks + np.arange(len(picked))
            marks += len(picked)
            done = self.slots[beam.pair] == step + 1
            if done.any():
                ended = beam.take(np.flatnonzero(done))
                winner = _best(ended)
                best[ended.pair[winner]] = ended.trail[winner]
                beam = beam.take(np.flatnonzero(~done))
        return self._follow(best, np.concatenate(trail_match), np.concatenate(trail_parent))

    def _extend(self, beam: _Beam, step: int) -> tuple[_Beam, Ints]:
        slot = self.first_slot[beam.pair] + step
        start, stop = self.slot_start[slot], self.slot_start[slot + 1]
        covered = self.their[start] < beam.their_end
        # Each partial alignment takes one of the slot's matches or, last in order, none.
        choices = np.where(covered, 0, stop - start) + 1
        row, choice = spans(np.zeros(len(slot), dtype=np.int64), choices)
        none = choice == choices[row] - 1
        match = np.where(none, -1, start[row] + choice)
        free = none & (covered[row] | ~self.fixed[start[row]])
        taken = np.flatnonzero(~none)
        clash = (beam.used[row[taken]] & self.mask[match[taken]]).any(axis=1)
        free[taken[~clash]] = True
        row, match = row[free], match[free]
        return self._prune(self._apply(beam.take(row), match, covered[row]), match)

    def _apply(self, beam: _Beam, match: Ints, covered: NDArray[np.bool_]) -> _Beam:
        taken = np.flatnonzero(match >= 0)
        chosen = match[taken]
        follows = (beam.own_end[taken] == self.own[chosen]) & (
            beam.their_end[taken] == self.their[chosen]
        )
        beam.gain[taken] += self.gain[chosen]
        beam.chunks[taken] += ~follows
        beam.size[taken] += 1
        beam.used[taken] |= self.mask[chosen]
        beam.own_end[taken] = self.own[chosen] + self.own_length[chosen]
        beam.their_end[taken] = self.their[chosen] + self.their_length[chosen]
        return beam

    def _prune(self, beam: _Beam, match: Ints) -> tuple[_Beam, Ints]:
        order = np.argsort((beam.pair << 32) - (beam.gain << 16) + beam.chunks, kind="stable")
        pair = beam.pair[order]
        first = np.ones(len(pair), dtype=bool)
        first[1:] = pair[1:] != pair[:-1]
        starts = np.flatnonzero(first)
        rank = np.arange(len(pair)) - np.repeat(starts, np.diff(np.append(starts, len(pair))))
        kept = order[rank < BEAM]
        return beam.take(kept), match[kept]

    def _follow(self, best: Ints, match: Ints, parent: Ints) -> Ints:
        found = []
        while len(best):
            found.append(match[best][match[best] >= 0])
            best = parent[best]
            best = best[best >= 0]
        return np.sort(self.rows[np.concatenate(found)])


def _best(ended: _Beam) -> Ints:
    """First of each pair by gain, chunks and, where these tie, the number of matches."""
    key = (ended.pair << 40) - (ended.gain << 24) + (ended.chunks << 12) - ended.size
    order = np.argsort(key, kind="stable")
    pair = ended.pair[order]
    first = np.ones(len(pair), dtype=bool)
    first[1:] = pair[1:] != pair[:-1]
    return order[first]


def _masks(start: Ints, length: Ints, width: int) -> NDArray[np.uint64]:
    masks = np.zeros((len(start), width), dtype=np.uint64)
    match, word = spans(start, start + length)
    np.bitwise_or.at(
        masks, (match, word // _WORD), np.uint64(1) << (word % _WORD).astype(np.uint64)
    )
    return masks
