"""What the n-gram metrics share: counts of every text's n-grams and the n-grams that match.

Made once for a batch and tokeniser. BLEU needs for each candidate's n-gram the highest count in
any reference, CIDEr needs each pair's common n-grams; one join of the columns gives both.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from captious.corpus.columns import IntArray
from captious.metrics.batch import Batch
from captious.text.lookup import Lookup, chunks
from captious.text.ngrams import MAX_ORDER, NgramTable, count_ngrams

_CHUNK = 1 << 17  # n-grams joined at once: few enough for the processor's cache
_MOST_FLAGS = 1 << 18  # for the 20,000 n-grams of the candidates among these


class Matches(NamedTuple):
    """N-grams that a candidate and one of its references share, a row each, pairs in order.

    `clipped[i, n]` is example `i`'s count of n-grams of order n + 1 that occur in its references,
    each counted at most as often as in the reference that has it most often (Papineni 2002).
    """

    pairs: NDArray[np.int32]
    grams: NDArray[np.int32]
    candidate_counts: NDArray[np.int32]
    reference_counts: NDArray[np.int32]
    clipped: IntArray


def ngrams_of(batch: Batch, tokeniser: str) -> NgramTable:
    """N-gram counts of the batch's texts, orders 1 to 4."""
    return batch.once(("ngrams", tokeniser), lambda: count_ngrams(batch.tokens(tokeniser)))


def matches_of(batch: Batch, tokeniser: str) -> Matches:
    """Every n-gram that a candidate shares with one of its references."""
    return batch.once(("matches", tokeniser), lambda: join_pairs(batch, ngrams_of(batch, tokeniser)))


def pair_starts(batch: Batch) -> IntArray:
    """Where each example's pairs begin in `batch.pairs()`; every example has at least one."""
    counts = batch.corpus.reference_counts
    return np.cumsum(counts) - counts


def join_pairs(batch: Batch, table: NgramTable) -> Matches:
    """Join candidates' n-grams with those of their references, some examples at a time."""
    examples, texts = batch.pairs()
    theirs = np.bincount(examples, weights=table.sizes[texts], minlength=len(batch))
    work = theirs.astype(np.int64) + table.sizes[batch.candidate_text] + 1
    starts = np.append(pair_starts(batch), len(examples))
    joined = [_join_part(batch, table, starts, part) for part in chunks(work, _CHUNK)]
    if not joined:
        nothing = np.zeros(0, dtype=np.int32)
        return Matches(nothing, nothing, nothing, nothing, np.zeros((0, MAX_ORDER), np.int64))
    return Matches(
        np.concatenate([part.pairs for part in joined]),
        np.concatenate([part.grams for part in joined]),
        np.concatenate([part.candidate_counts for part in joined]),
        np.concatenate([part.reference_counts for part in joined]),
        np.concatenate([part.clipped for part in joined]),
    )


def _join_part(batch: Batch, table: NgramTable, starts: IntArray, part: slice) -> Matches:
    """Matches of some examples."""
    first, last = int(starts[part.start]), int(starts[part.stop])
    examples, texts = (column[first:last] for column in batch.pairs())
    own_entries, owners = table.entries_of(batch.candidate_text[part])
    own_grams, own_counts = table.grams[own_entries], table.counts[own_entries]
    lookup = Lookup(owners * len(table.index) + own_grams)
    entries, pairs = table.entries_of(texts)
    # Most n-grams of references are in no candidate at all; a look at a flag, which n-grams of
    # equal low bits share, spares most of their searches.
    count = min(_MOST_FLAGS, 16 << len(own_grams).bit_length())
    flags = np.zeros(count, dtype=bool)
    flags[own_grams & (count - 1)] = True
    grams = table.grams[entries]
    likely = flags[grams & (count - 1)].nonzero()[0]
    entries, pairs, grams = entries[likely], pairs[likely], grams[likely]
    found = lookup.find((examples - part.start)[pairs] * len(table.index) + grams)
    hits = (found >= 0).nonzero()[0]
    found, counts = found[hits], table.counts[entries[hits]]
    highest = np.zeros(len(own_grams), dtype=np.int32)
    np.maximum.at(highest, found, counts)
    cells = np.bincount(
        owners * MAX_ORDER + table.index.orders_of(own_grams),
        weights=np.minimum(highest, own_counts),
        minlength=(part.stop - part.start) * MAX_ORDER,
    )
    return Matches(
        pairs=(pairs[hits] + first).astype(np.int32),
        grams=own_grams[found],
        candidate_counts=own_counts[found],
        reference_counts=counts,
        clipped=cells.astype(np.int64).reshape(-1, MAX_ORDER),
    )
