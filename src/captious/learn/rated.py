"""From judgments to a rated set: which aspect, every rating of it, the ends of the scale."""

from __future__ import annotations

import numpy as np

from captious.corpus import Corpus, Judgments
from captious.corpus.columns import FloatArray, IntArray
from captious.corpus.splits import PAPER_SHARES, Shares, Split
from captious.errors import InputError, UnknownNameError
from captious.learn.data import RatedSet, Scale, observed_scale

SUMMARIES = ("overall", "total")
# THumB 2.2 (Kasai et al. 2022): total = (precision + recall) / 2 less the penalties.
THUMB_SCALES = ("precision", "recall")
THUMB_PENALTIES = ("fluency", "conciseness", "inclusive_language")


def rated_set(
    name: str,
    corpus: Corpus,
    judgments: Judgments,
    places: IntArray,
    *,
    aspect: str = "",
    scale: Scale | None = None,
    shares: Shares = PAPER_SHARES,
    split: Split | None = None,
) -> RatedSet:
    """The captions that were judged on one aspect, with all ratings.

    `places[k]` is the row of the corpus that `judgments.keys[k]` belongs to, or -1. The default `aspect`
    is "overall" or "total", THumB's total of its parts, or the only one. Without a `split`, images are
    split by a hash of their ids into `shares`.

    >>> corpus = Corpus.from_lists(["a dog", "a cat"], [["dog"], ["cat"]])
    >>> judged = Judgments.from_columns(images=["0", "0", "1"], values=[4, 5, 1],
    ...                                 systems=["candidates"] * 3, raters=["a", "b", "a"])
    >>> rated_set("mine", corpus, judged, judged.places_in(corpus)).means.tolist()
    [4.5, 1.0]
    """
    chosen = aspect or _aspect(judgments.aspects, name)
    examples, values = _ratings(judgments, chosen)
    rows = places[examples]
    known = rows >= 0
    if not known.any():
        raise InputError(
            f"{name}: none of the judgments belongs to a given caption. Compare image ids and systems."
        )
    rows, values = rows[known], values[known]
    ends = scale or observed_scale(values)
    low, high = ends
    outside = np.flatnonzero((values < low) | (values > high))
    if len(outside):
        raise InputError(
            f"{name}: a rating of {chosen} is {values[outside[0]]:g}, outside the scale {low:g} to {high:g}; "
            f"ratings range from {values.min():g} to {values.max():g}.",
            python="Give the scale as scale=(low, high).",
            command="Give the scale, for example --scale 1-5.",
        )
    whole = RatedSet(name, corpus, rows, values, ends, shares, chosen, split=split)
    return whole.select(np.unique(rows))


def _aspect(aspects: list[str], name: str) -> str:
    summary = next((one for one in SUMMARIES if one in aspects), None)
    if summary is not None:
        return summary
    if all(one in aspects for one in THUMB_SCALES):
        return "total"
    if len(aspects) == 1:
        return aspects[0]
    raise InputError(
        f"{name}: contains the aspects {', '.join(aspects)}. Choose one",
        python="with aspect=.",
        command="with --aspect.",
    )


def _ratings(judgments: Judgments, aspect: str) -> tuple[IntArray, FloatArray]:
    if aspect in judgments.aspects:
        rows = judgments.rows(aspect)
        return judgments.example_of[rows], judgments.values[rows]
    if aspect != "total" or not all(one in judgments.aspects for one in THUMB_SCALES):
        raise UnknownNameError("aspect", aspect, judgments.aspects)
    total = sum((judgments.matrix(one) for one in THUMB_SCALES), start=np.zeros(1)) / len(THUMB_SCALES)
    for penalty in THUMB_PENALTIES:
        if penalty in judgments.aspects:
            total = total - np.nan_to_num(np.abs(judgments.matrix(penalty)))
    examples, raters = np.nonzero(np.isfinite(total))
    return examples, total[examples, raters]
