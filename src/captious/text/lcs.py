"""Length of the longest common subsequence of many pairs of texts at once.

Bit-parallel (Hyyro 2004, "Bit-parallel LCS-length computation revisited"): the tokens of the left
text are the bits of one machine word, a token of the right text updates the word with one addition
and three logical operations, and NumPy does so for every pair in the same step.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from captious.text.lookup import Lookup, chunks, first_of_runs, ranges
from captious.text.tokens import TokenTable

IntArray = NDArray[np.int64]
Words = NDArray[np.uint64]

WORD = 64
_CHUNK = 1 << 20  # right-hand tokens worked on at once, to bound memory


def lcs_lengths(tokens: TokenTable, left: IntArray, right: IntArray) -> IntArray:
    """Longest common subsequence of texts `left[i]` and `right[i]`, in tokens, for every `i`.

    >>> from captious.text.tokens import token_table
    >>> table = token_table(["a red bus", "a bus that is red", "trees"], "space")
    >>> lcs_lengths(table, np.array([0, 0, 1]), np.array([1, 2, 1])).tolist()
    [2, 0, 5]
    """
    lengths = np.zeros(len(left), dtype=np.int64)
    sizes = tokens.lengths
    short = np.flatnonzero(sizes[left] <= WORD)
    for part in chunks(sizes[right[short]] + 1, _CHUNK):
        rows = short[part]
        lengths[rows] = _in_one_word(tokens, left[rows], right[rows])
    for row in np.flatnonzero(sizes[left] > WORD).tolist():
        lengths[row] = _any_length(tokens, int(left[row]), int(right[row]))
    return lengths


def _any_length(tokens: TokenTable, left: int, right: int) -> int:
    from rapidfuzz.distance import LCSseq

    return LCSseq.similarity(tokens.row(left).tolist(), tokens.row(right).tolist())


def _in_one_word(tokens: TokenTable, left: IntArray, right: IntArray) -> IntArray:
    """The same where no left text has more than 64 tokens."""
    texts, places = np.unique(left, return_inverse=True)
    keys, masks = _token_masks(tokens, texts)
    # Longest right texts first, so that the pairs still at work are always a leading slice.
    order = np.argsort(-tokens.lengths[right], kind="stable")
    sizes = tokens.lengths[right[order]]
    flat = ranges(tokens.offsets[right[order]], sizes)
    wanted = np.repeat(places[order] * len(tokens.vocabulary), sizes) + tokens.ids[flat]
    found = Lookup(keys).find(wanted)
    matches = np.append(masks, np.uint64(0))[found]
    starts = np.cumsum(sizes) - sizes
    state = np.full(len(order), ~np.uint64(0))
    for step in range(int(sizes[0]) if len(sizes) else 0):
        active = int(np.searchsorted(-sizes, -step, side="left"))
        here = matches[starts[:active] + step]
        kept = state[:active] & here
        state[:active] = (state[:active] + kept) | (state[:active] & ~here)
    lengths = np.empty(len(order), dtype=np.int64)
    lengths[order] = np.bitwise_count(~state)
    return lengths


def _token_masks(tokens: TokenTable, texts: IntArray) -> tuple[IntArray, Words]:
    """For each (text, token) a word whose set bits are the token's places in the text."""
    sizes = tokens.lengths[texts]
    flat = ranges(tokens.offsets[texts], sizes)
    keys = np.repeat(np.arange(len(texts)) * len(tokens.vocabulary), sizes) + tokens.ids[flat]
    places = flat - np.repeat(tokens.offsets[texts], sizes)
    bits = np.uint64(1) << places.astype(np.uint64)
    order = np.argsort(keys, kind="stable")
    begins = np.flatnonzero(first_of_runs(keys[order]))
    if not len(begins):
        return keys, bits
    return keys[order][begins], np.bitwise_or.reduceat(bits[order], begins)
