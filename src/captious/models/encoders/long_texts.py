"""Texts that are longer than a model reads: refuse them, cut them off, or read them in windows.

Nothing is cut silently: whoever cuts also counts the tokens beyond the limit.

A window holds whole sentences, as many as fit; a sentence that does not fit alone is cut between words,
a word that does not between tokens. Where windows `overlap`, each begins with the last tokens of the one
before it, which are read for context and counted once.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from captious.corpus.columns import IntArray
from captious.errors import InputError, UnknownNameError, one_line

LONG = ERROR, TRUNCATE, CHUNK = ("error", "truncate", "chunk")
CONTEXT = 32  # tokens that a window shares with the one before, where a model gives a vector for each token
MOST_IN_WINDOWS = 1 << 15  # tokens of a text; matching them takes time that grows with their square
Ids = list[list[int]]
Encode = Callable[[Sequence[str]], Ids]
_UNIT = re.compile(r"[^\s。！？]*[。！？]+|\S+")  # Chinese and Japanese write no spaces
_LAST_OF_SENTENCE = re.compile(r"[.!?…。！？।؟۔][\"'”’»)\]]*$")


class Windows(NamedTuple):
    """Token rows that a model can read, with their special tokens; row `i` is of text `owner[i]`.

    Of a row's other tokens the first `context[i]` are in the window before too, and `fresh[i]` are not.
    `beyond` counts each text's tokens beyond the limit.
    """

    rows: Ids
    owner: IntArray
    context: IntArray
    fresh: IntArray
    beyond: IntArray

    @property
    def offsets(self) -> IntArray:
        """Text `i` owns rows `offsets[i]:offsets[i + 1]`."""
        return np.searchsorted(self.owner, np.arange(len(self.beyond) + 1))

    @property
    def shares(self) -> NDArray[np.float64]:
        """The share of its text's tokens that each row speaks for; 1 where it is the only row."""
        tokens = np.maximum(self.fresh, 1)
        return np.asarray(tokens / np.bincount(self.owner, tokens)[self.owner], dtype=np.float64)

    def means(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """For each text the mean over its rows by their tokens: the value itself where it has one."""
        found = np.bincount(self.owner, values * self.shares, minlength=len(self.beyond))
        return np.asarray(found, dtype=np.float64)


def check_long(how: str) -> None:
    """Refuse what is no way to treat a long text."""
    if how not in LONG:
        raise UnknownNameError("value of long", how, LONG)


def window_label(limit: int, overlap: int = 0) -> str:
    """What a signature says of windows: their longest, special tokens included, and what they share.

    >>> window_label(256, 32)
    '256/32'
    """
    return f"{limit}/{overlap}"


def read_windows(
    encode: Encode,
    texts: Sequence[str],
    limit: int,
    how: str,
    label: str,
    *,
    ends: tuple[int, int] = (1, 1),
    overlap: int = 0,
    shown: Sequence[str] | None = None,
) -> Windows:
    """Rows of at most `limit` tokens of each text, as `label`'s tokeniser `encode` gives them.

    `ends` are the numbers of special tokens at the begin and the end of a text; every window keeps
    them. `truncate` keeps the first tokens, `chunk` all in windows, `error` refuses a longer text,
    by its words in `shown` where these are others.

    >>> words = {"a": 5, "dog": 6, ".": 7, "runs": 8}
    >>> encode = lambda texts: [[0, *(words[word] for word in text.split()), 1] for text in texts]
    >>> read_windows(encode, ["a dog . runs"], 5, "truncate", "").rows
    [[0, 5, 6, 7, 1]]
    >>> read_windows(encode, ["dog . a dog runs"], 5, "chunk", "").rows
    [[0, 6, 7, 1], [0, 5, 6, 8, 1]]
    """
    check_long(how)
    ids = encode(texts)
    before, after = ends
    beyond = np.array([max(0, len(row) - limit) for row in ids], dtype=np.int64)
    _refuse(shown or texts, beyond, limit, how, label)
    room = limit - before - after
    rows: Ids = []
    facts: list[tuple[int, int, int]] = []
    for place, row in enumerate(ids):
        begin, inner = row[:before], row[before : len(row) - after]
        end = row[len(row) - after :]
        runs = [(0, 0, min(len(inner), room))]
        if how == CHUNK and len(inner) > room:
            sizes, stops = _units(texts[place], len(inner), encode, before + after, room - overlap)
            runs = list(_runs(sizes, stops, room, overlap))
        for context, start, stop in runs:
            rows.append([*begin, *inner[context:stop], *end])
            facts.append((place, start - context, stop - start))
    owner, shared, fresh = np.array(facts, dtype=np.int64).reshape(-1, 3).T
    return Windows(rows, owner, shared, fresh, beyond)


def _refuse(texts: Sequence[str], beyond: IntArray, limit: int, how: str, label: str) -> None:
    if how == ERROR and beyond.any():
        first = int(np.flatnonzero(beyond)[0])
        raise InputError(
            f'the caption "{one_line(texts[first], 60)}" has {beyond[first]} tokens more than the '
            f"{limit} that {label} reads. Shorten it, or choose",
            python="the option long=truncate or chunk of the metric.",
            command="--long truncate or chunk.",
        )
    if how == CHUNK and len(beyond) and beyond.max() + limit > MOST_IN_WINDOWS:
        first = int(beyond.argmax())
        raise InputError(
            f'the caption "{one_line(texts[first], 60)}" has {beyond[first] + limit:,} tokens; at most '
            f"{MOST_IN_WINDOWS:,} are read in windows. Shorten it, or choose",
            python="the option long=truncate of the metric.",
            command="--long truncate.",
        )


def sentences(text: str) -> list[str]:
    """A text cut after each sentence and each line.

    >>> sentences("A dog runs. It is brown!\\n- three sheep\\nNo. 5")
    ['A dog runs.', 'It is brown!', '- three sheep', 'No.', '5']
    """
    found: list[str] = []
    begin: int | None = None
    for unit, last in _marked(text):
        begin = unit.start() if begin is None else begin
        if last:
            found.append(text[begin : unit.end()])
            begin = None
    return found if begin is None else [*found, text[begin:].rstrip()]


def _marked(text: str) -> Iterator[tuple[re.Match[str], bool]]:
    """Words of a text, and whether each is the last of a sentence or a line."""
    units = list(_UNIT.finditer(text))
    starts = [unit.start() for unit in units[1:]]
    for unit, following in zip(units, [*starts, len(text)], strict=True):
        new_line = "\n" in text[unit.end() : following]
        yield unit, new_line or _LAST_OF_SENTENCE.search(unit[0]) is not None


def _units(text: str, tokens: int, encode: Encode, ends: int, most: int) -> tuple[list[int], list[bool]]:
    """How many tokens each word of a text has, and whether it is the last of its sentence.

    A word of more than `most` tokens is as many units; so are all words where the tokeniser does not read
    them one by one.
    """
    marked = list(_marked(text))
    words = list({unit[0] for unit, _ in marked})
    known = {word: len(row) - ends for word, row in zip(words, encode(words), strict=True)}
    if sum(known[unit[0]] for unit, _ in marked) != tokens:
        return [1] * tokens, [False] * tokens
    sizes: list[int] = []
    stops: list[bool] = []
    for unit, last in marked:
        size = known[unit[0]]
        sizes += [size] if size <= most else [1] * size
        stops += [False] * (len(sizes) - len(stops) - 1) + [last]
    return sizes, stops


def _runs(
    sizes: Sequence[int], stops: Sequence[bool], room: int, overlap: int
) -> Iterator[tuple[int, int, int]]:
    """Begin of the context, begin and end of each window, in tokens.

    >>> list(_runs([2, 1, 2, 2], [False, True, False, True], 4, 0))
    [(0, 0, 3), (3, 3, 7)]
    >>> list(_runs([1] * 6, [False] * 6, 4, 1))
    [(0, 0, 4), (3, 4, 6)]
    """
    at = list(accumulate(sizes, initial=0))
    last_stop = list(accumulate((i + 1 if stop else 0 for i, stop in enumerate(stops)), max, initial=0))
    begin = 0
    while begin < len(sizes):
        context = min(overlap, at[begin])
        end = bisect_right(at, at[begin] + room - context) - 1
        if end < len(sizes) and last_stop[end] > begin:
            end = last_stop[end]
        yield at[begin] - context, at[begin], at[end]
        begin = end


def same_length(rows: Sequence[Sequence[int]], most: int) -> Iterator[list[int]]:
    """Places of rows of one length, at most `most` at a time."""
    kinds: dict[int, list[int]] = {}
    for place, row in enumerate(rows):
        kinds.setdefault(len(row), []).append(place)
    for places in kinds.values():
        for start in range(0, len(places), most):
            yield places[start : start + most]
