"""Token rows of texts, of at most as many tokens as a model reads."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from captious.corpus.columns import IntArray
from captious.errors import InputError, one_line
from captious.models.encoders.long_texts import Ids, windows


class TokenRows(NamedTuple):
    """Rows that a model can read; row `i` is of text `owner[i]`, which has `beyond` tokens too many."""

    rows: Ids
    owner: IntArray
    beyond: IntArray

    def means(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """For each text the mean over its rows, which is the value itself where it has one."""
        count = len(self.beyond)
        sums = np.bincount(self.owner, values, minlength=count)
        return np.asarray(sums / np.maximum(np.bincount(self.owner, minlength=count), 1))


def token_rows(
    encode: Callable[[Sequence[str]], Ids], texts: Sequence[str], limit: int, long: str, label: str
) -> TokenRows:
    """Rows of at most `limit` tokens; where `long` is `error` a longer text is refused by its words."""
    cut = windows(encode(texts), limit, long)
    if long == "error" and cut.beyond.any():
        first = int(np.flatnonzero(cut.beyond)[0])
        raise InputError(
            f'the caption "{one_line(texts[first], 60)}" has {cut.beyond[first]} tokens more than the '
            f"{limit} that {label} reads. Shorten it, or choose",
            python="the option long=truncate or chunk of the metric.",
            command="--long truncate or chunk.",
        )
    return TokenRows(cut.rows, cut.owner, cut.beyond)


def same_length(rows: Sequence[Sequence[int]], most: int) -> Iterator[list[int]]:
    """Places of rows of one length, at most `most` at a time."""
    kinds: dict[int, list[int]] = {}
    for place, row in enumerate(rows):
        kinds.setdefault(len(row), []).append(place)
    for places in kinds.values():
        for start in range(0, len(places), most):
            yield places[start : start + most]
