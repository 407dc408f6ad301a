"""F1 of raters' marks in texts: by character, by word, by the same place, by overlap, by IoU."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Literal, get_args

import numpy as np

from captious.errors import UnknownNameError
from captious.stats.estimate import Clusters, Estimate
from captious.stats.ratings import Floats
from captious.stats.resample import DEFAULT_SEED, Seed
from captious.stats.spans import Mark, MarkedText, covered, estimate_texts, in_words

Match = Literal["characters", "words", "exact", "overlap", "iou"]


def span_f1(
    texts: Sequence[MarkedText],
    match: Match = "characters",
    *,
    resamples: int = 0,
    clusters: Clusters = None,
    level: float = 0.95,
    seed: Seed = DEFAULT_SEED,
) -> Estimate:
    """Return the F1 of every two raters' marks, summed over pairs of raters and texts.

    F1 = 2 |A and B| / (|A| + |B|), with one rater's marks as the truth for the other's; it needs no count
    of what nobody marked (Hripcsak and Rothschild 2005). A and B are the marked characters or words
    ("characters", "words"), or the marks: equal in start and end ("exact"), sharing a character
    ("overlap"), or each with the greatest intersection over union of words that it has with a mark of
    the other rater ("iou"; MHALO, Cai et al. 2025). NaN if nobody marked anything.

    >>> texts = [MarkedText("A red dog.", [[Mark(2, 5)], [Mark(2, 9)]]), MarkedText("A cat.", [[], []])]
    >>> ways = ("characters", "words", "exact", "overlap", "iou")
    >>> [round(span_f1(texts, way).value, 3) for way in ways]
    [0.6, 0.667, 0.0, 1.0, 0.5]
    """
    if match not in get_args(Match):
        raise UnknownNameError("match", match, get_args(Match))
    return estimate_texts(
        texts,
        partial(_sums, _MATCHES[match]),
        lambda sums: np.asarray(sums[..., 0] / sums[..., 1]),
        reason="no rater marked anything",
        resamples=resamples,
        clusters=clusters,
        level=level,
        seed=seed,
    )


def touching(marks: Sequence[Mark], others: Sequence[Mark]) -> int:
    """How many marks share a character with one of the others.

    >>> touching([Mark(0, 3), Mark(5, 7)], [Mark(2, 5)])
    1
    """
    return sum(any(a.start < b.end and b.start < a.end for b in others) for a in marks)


def best_iou(text: str, marks: Sequence[Mark], others: Sequence[Mark]) -> float:
    """The sum over marks of the greatest intersection over union, in words, with one of the others.

    >>> best_iou("a red dog on a mat", [Mark(2, 9)], [Mark(6, 9), Mark(15, 18)])
    0.5
    """
    theirs = in_words(text, others)
    return sum(max((_iou(own, other) for other in theirs), default=0.0) for own in in_words(text, marks))


def _iou(a: Mark, b: Mark) -> float:
    shared = max(0, min(a.end, b.end) - max(a.start, b.start))
    return shared / (a.end - a.start + b.end - b.start - shared)


def _sums(shared: Callable[[str, Sequence[Mark], Sequence[Mark]], Floats], one: MarkedText) -> Floats:
    return sum((shared(one.text, a, b) for a, b in one.pairs()), start=np.zeros(2))


def _characters(text: str, a: Sequence[Mark], b: Sequence[Mark]) -> Floats:
    own, other = covered(a, len(text)), covered(b, len(text))
    return np.array([2.0 * (own & other).sum(), own.sum() + other.sum()])


def _words(text: str, a: Sequence[Mark], b: Sequence[Mark]) -> Floats:
    own, other = (covered(in_words(text, marks), len(text)) for marks in (a, b))
    return np.array([2.0 * (own & other).sum(), own.sum() + other.sum()])


def _exact(text: str, a: Sequence[Mark], b: Sequence[Mark]) -> Floats:
    own, other = ({mark[:2] for mark in marks} for marks in (a, b))
    return np.array([2.0 * len(own & other), len(own) + len(other)])


def _overlap(text: str, a: Sequence[Mark], b: Sequence[Mark]) -> Floats:
    return np.array([touching(a, b) + touching(b, a), len(a) + len(b)], dtype=np.float64)


def _by_iou(text: str, a: Sequence[Mark], b: Sequence[Mark]) -> Floats:
    return np.array([best_iou(text, a, b) + best_iou(text, b, a), len(a) + len(b)])


_MATCHES: dict[str, Callable[[str, Sequence[Mark], Sequence[Mark]], Floats]] = {
    "characters": _characters,
    "words": _words,
    "exact": _exact,
    "overlap": _overlap,
    "iou": _by_iou,
}
