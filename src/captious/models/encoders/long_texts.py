"""Texts that are longer than a model reads: refuse them, cut them, or read them in windows.

Nothing is cut silently: whoever cuts also counts the tokens beyond the limit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from captious.corpus.columns import IntArray
from captious.errors import UnknownNameError

LONG = ("error", "truncate", "chunk")
Ids = list[list[int]]


class Windows(NamedTuple):
    """Token rows that a model can read; row `i` is of text `owner[i]`."""

    rows: Ids
    owner: IntArray
    beyond: IntArray


def check_long(how: str) -> None:
    """Refuse what is no way to treat a long text."""
    if how not in LONG:
        raise UnknownNameError("value of long", how, LONG)


def windows(ids: Sequence[Sequence[int]], limit: int, how: str, ends: tuple[int, int] = (1, 1)) -> Windows:
    """Rows of at most `limit` tokens of each text.

    `ends` are the numbers of special tokens at the begin and the end of a text; every window keeps
    them. `truncate` (and `error`, which the metric refuses after counting) keeps the first window;
    `chunk` keeps all: the tokens between the ends are cut into runs of equal length but the last.

    >>> windows([[0, 5, 6, 7, 8, 9, 1]], 4, "truncate")
    Windows(rows=[[0, 5, 6, 1]], owner=array([0]), beyond=array([3]))
    >>> windows([[0, 5, 6, 7, 8, 9, 1]], 4, "chunk").rows
    [[0, 5, 6, 1], [0, 7, 8, 1], [0, 9, 1]]
    """
    check_long(how)
    before, after = ends
    room = limit - before - after
    rows: Ids = []
    owner: list[int] = []
    for place, text in enumerate(ids):
        begin, end = list(text[:before]), list(text[len(text) - after :])
        inner = list(text[before : len(text) - after])
        runs = [inner[start : start + room] for start in range(0, len(inner), room)] or [[]]
        for run in runs if how == "chunk" else runs[:1]:
            rows.append([*begin, *run, *end])
            owner.append(place)
    beyond = np.array([max(0, len(text) - limit) for text in ids], dtype=np.int64)
    return Windows(rows, np.array(owner, dtype=np.int64), beyond)
