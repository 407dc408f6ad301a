"""Marked texts: what each rater marked in a text, and coefficients of many such texts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from captious.stats.estimate import Clusters, Estimate, require_clusters, undefined
from captious.stats.ratings import Floats, number
from captious.stats.resample import DEFAULT_SEED, Seed, cluster_sums
from captious.stats.significance import resampled

NO_TWO = "no caption was read by two raters"


class Mark(NamedTuple):
    """A place in a text, from `start` up to `end`, and what kind of thing it is."""

    start: int
    end: int
    kind: str = ""


class MarkedText(NamedTuple):
    """A text and the marks of each rater who read it; an empty list is a rater who marked nothing."""

    text: str
    by: Sequence[Sequence[Mark]]

    def of_kind(self, kind: str) -> MarkedText:
        """The same text with the marks of one kind."""
        return MarkedText(self.text, [[mark for mark in own if mark.kind == kind] for own in self.by])

    def pairs(self) -> Iterator[tuple[Sequence[Mark], Sequence[Mark]]]:
        """Every two raters of the text."""
        return combinations(self.by, 2)


def covered(marks: Sequence[Mark], length: int) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Which of `length` characters are marked.

    >>> covered([Mark(1, 3)], 4).tolist()
    [False, True, True, False]
    """
    found = np.zeros(length, dtype=bool)
    for mark in marks:
        found[mark.start : mark.end] = True
    return found


def in_words(text: str, marks: Sequence[Mark]) -> list[Mark]:
    """The marks counted in words (runs without white space) that they touch; those of none are left out.

    >>> in_words("A red dog.", [Mark(2, 5), Mark(4, 9)])
    [Mark(start=1, end=2, kind=''), Mark(start=1, end=3, kind='')]
    """
    words = [found.span() for found in re.finditer(r"\S+", text)]
    starts, ends = (np.array([word[side] for word in words]) for side in (0, 1))
    found = []
    for mark in marks:
        first = int(np.searchsorted(ends, mark.start, side="right"))
        end = int(np.searchsorted(starts, mark.end, side="left"))
        if first < end:
            found.append(Mark(first, end, mark.kind))
    return found


def estimate_texts(
    texts: Sequence[MarkedText],
    statistics: Callable[[MarkedText], Floats],
    score: Callable[[Floats], Floats],
    *,
    reason: str,
    resamples: int = 0,
    clusters: Clusters = None,
    level: float = 0.95,
    seed: Seed = DEFAULT_SEED,
) -> Estimate:
    """A coefficient of summed statistics of the texts that two raters read, with its interval.

    `reason` is told where the value is NaN. Whole clusters (images) are drawn; by default texts.
    """
    require_clusters(clusters, len(texts))
    kept = [place for place, one in enumerate(texts) if len(one.by) > 1]
    raters = max((len(one.by) for one in texts), default=0)
    if not kept:
        return undefined(NO_TWO, 0, raters, level)
    owners = list(range(len(texts))) if clusters is None else list(clusters)
    _, index = number([owners[place] for place in kept])
    matrix = cluster_sums([statistics(texts[place]) for place in kept], index, int(index.max()) + 1)

    def quietly(sums: Floats) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore"):
            return score(sums)[..., None]

    found = resampled(matrix, quietly, resamples, seed)
    if np.isnan(found.points[0]):
        return undefined(reason, len(kept), raters, level)
    value, low, high, _, missed = found.interval(0, level)
    return Estimate(value, low, high, level, len(kept), raters, resamples, missed if resamples else 0, "")
