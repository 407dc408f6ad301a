"""PTB tokens of many captions at once, as columns of numbers.

Captions repeat themselves: thirty thousand of them hold ten thousand distinct pieces between
blanks. So every distinct piece is tokenised once, and the captions' tokens are put together from
the numbers of their pieces without another look at the text. A caption with a piece whose tokens
depend on its neighbours is tokenised whole, and counts as one piece. `captious.text.tokens` asks for
few captions one by one instead, with the same result.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import chain, islice, repeat

import numpy as np
from numpy.typing import NDArray

from captious.text.lookup import ranges
from captious.text.ptb.tokenise import tokeniser_with

IntArray = NDArray[np.int64]
Numbers = NDArray[np.int32]
_TEXTS_AT_ONCE = 1 << 15  # to bound the memory that pieces take as strings
FEW_TEXTS = 1 << 10  # whose pieces hardly repeat themselves: numbering them would cost more than it saves
_BLANK = " "


def token_columns(texts: Sequence[str]) -> tuple[Numbers, IntArray, list[str]]:
    """Numbers of all tokens, where each text's begin and end, and the words by number.

    >>> numbers, offsets, words = token_columns(["A dog.", "", "Two dogs and a dog!"])
    >>> numbers.tolist(), offsets.tolist(), words
    ([0, 1, 2, 3, 4, 0, 1], [0, 2, 2, 7], ['a', 'dog', 'two', 'dogs', 'and'])
    """
    builder = _Builder()
    numbers, lengths = [np.zeros(0, np.int32)], [np.zeros(1, np.int64)]
    for start in range(0, len(texts), _TEXTS_AT_ONCE):
        part_numbers, part_lengths = builder.tokens_of(texts[start : start + _TEXTS_AT_ONCE])
        numbers.append(part_numbers)
        lengths.append(part_lengths)
    ordered, words = _by_appearance(np.concatenate(numbers), list(builder.words))
    return ordered, np.cumsum(np.concatenate(lengths)), words


class _Numbering(defaultdict[str, int]):
    """Numbers of strings; an unseen string gets the next."""

    def __init__(self) -> None:
        super().__init__()
        self.default_factory = self.__len__

    def of(self, strings: Iterable[str]) -> Numbers:
        return np.fromiter(map(self.__getitem__, strings), np.int32)


class _Builder:
    """Numbers of the pieces met so far, and the tokens of each piece by number."""

    def __init__(self) -> None:
        self.words = _Numbering()
        self._tokeniser = tokeniser_with()
        self._pieces = _Numbering()
        self._pieces[""]
        self._tokens = np.zeros(0, np.int32)
        self._sizes = np.zeros(1, np.int64)
        self._whole = np.zeros(1, bool)

    def tokens_of(self, texts: Sequence[str]) -> tuple[Numbers, IntArray]:
        """Numbers of the texts' tokens, and how many each text has."""
        pieces = self._pieces.of(_BLANK.join(texts).split(_BLANK))
        self._learn(list(islice(self._pieces, len(self._sizes), None)))
        counts = np.fromiter(map(str.count, texts, repeat(_BLANK)), np.int64, len(texts)) + 1
        firsts = np.cumsum(counts) - counts
        whole = np.flatnonzero(np.logical_or.reduceat(self._whole[pieces], firsts))
        own = [self._tokeniser.tokens(texts[row]) for row in whole.tolist()]
        # A text that is tokenised whole is one piece more; the empty piece fills its other places.
        pieces[ranges(firsts[whole], counts[whole])] = 0
        pieces[firsts[whole]] = len(self._sizes) + np.arange(len(whole), dtype=np.int32)
        sizes = np.append(self._sizes, np.array([len(row) for row in own], np.int64))
        tokens = np.append(self._tokens, self.words.of(chain.from_iterable(own)))
        starts = np.cumsum(sizes) - sizes
        lengths = sizes[pieces]
        return tokens[ranges(starts[pieces], lengths)], np.add.reduceat(lengths, firsts)

    def _learn(self, pieces: list[str]) -> None:
        """Add the tokens of pieces not met before."""
        found = list(map(self._tokeniser.piece_tokens, pieces))
        tokens = [own or () for own in found]
        self._whole = np.append(self._whole, np.array([own is None for own in found], bool))
        self._sizes = np.append(self._sizes, np.fromiter(map(len, tokens), np.int64, len(tokens)))
        self._tokens = np.append(self._tokens, self.words.of(chain.from_iterable(tokens)))


def _by_appearance(numbers: Numbers, words: list[str]) -> tuple[Numbers, list[str]]:
    """The same tokens with their words numbered in order of appearance, as for any tokeniser."""
    first = np.full(len(words), len(numbers))
    first[numbers[::-1]] = np.arange(len(numbers))[::-1]
    order = np.argsort(first, kind="stable")[: np.count_nonzero(first < len(numbers))]
    place = np.empty(len(words), np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    return place[numbers], [words[number] for number in order.tolist()]
