"""The caption parser's features of a word: its own vector, a general vector and its spelling.

A word met in training has a row in the table of words. A word of general English has a row of
GloVe (Pennington et al. 2014). Every word has its spelling: prefixes, suffixes, shape and how
common it is, each hashed to a row of one table, so that no word is without features.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

BUCKETS = 8192
SPELLINGS = 11  # rows of the spelling table that a word adds up
_LONGEST_SHAPE = 8
_LONGEST_LENGTH = 15
_UNRANKED = 99

Ints = NDArray[np.int64]


class WordFeatures(NamedTuple):
    """Rows of the three tables for a list of words; row 0 means that the table lacks the word."""

    words: Ints
    general: Ints
    spellings: Ints


def shape(word: str) -> str:
    """Kinds of characters of a word, each run written once.

    >>> shape("42nd"), shape("t-shirt"), shape("☕")
    ('da', 'a-a', '☕')
    """
    kinds: list[str] = []
    for character in word:
        kind = "a" if character.isalpha() else "d" if character.isdigit() else character
        if not kinds or kinds[-1] != kind:
            kinds.append(kind)
    return "".join(kinds[:_LONGEST_SHAPE])


def spelling_rows(word: str, rank: int) -> list[int]:
    """Rows of the spelling table for a word whose GloVe row is `rank` (0: none).

    >>> len(spelling_rows("riding", 3034)) == SPELLINGS
    True
    """
    tail = word.rpartition("-")[2]
    rarity = rank.bit_length() if rank else _UNRANKED
    features = (
        *(f"s{size}{word[-size:]}" for size in (1, 2, 3, 4)),
        *(f"p{size}{word[:size]}" for size in (1, 2, 3)),
        f"t{tail[-3:]}" if tail != word else "t",
        f"h{shape(word)}",
        f"l{min(len(word), _LONGEST_LENGTH)}",
        f"r{rarity}",
    )
    return [crc32(feature.encode("utf-8", "surrogatepass")) % BUCKETS for feature in features]


def word_features(words: Sequence[str], known: Mapping[str, int], general: Mapping[str, int]) -> WordFeatures:
    """Features of words, given the rows of known words and of words with a general vector.

    >>> rows = word_features(["dog", "zyx"], {"dog": 1}, {"dog": 7})
    >>> rows.words.tolist(), rows.general.tolist(), rows.spellings.shape
    ([1, 0], [7, 0], (2, 11))
    """
    ranks = [general.get(word, 0) for word in words]
    spellings = [spelling_rows(word, rank) for word, rank in zip(words, ranks, strict=True)]
    return WordFeatures(
        np.array([known.get(word, 0) for word in words], dtype=np.int64),
        np.array(ranks, dtype=np.int64),
        np.array(spellings, dtype=np.int64).reshape(len(words), SPELLINGS),
    )
