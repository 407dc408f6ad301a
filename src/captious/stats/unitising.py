"""Krippendorff's alpha for unitising: do raters mark the same places, beyond chance?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from captious.stats.estimate import Clusters, Estimate
from captious.stats.ratings import Floats, Integers
from captious.stats.resample import DEFAULT_SEED, Seed
from captious.stats.spans import MarkedText, estimate_texts


def unitising_alpha(
    texts: Sequence[MarkedText],
    *,
    kinds: bool = False,
    resamples: int = 0,
    clusters: Clusters = None,
    level: float = 0.95,
    seed: Seed = DEFAULT_SEED,
) -> Estimate:
    """Return Krippendorff's unitising alpha (Krippendorff et al. 2016; Krippendorff 2019, 12.6).

    Each rater divides a text into marks and gaps. l_ck = sum_{i != j} |c of i and k of j| / (m - 1) is
    the length that two of m raters give the values c and k, a gap being a value of its own. By chance,
    e_ck = l (l_c l_k - [c = k] S_c) / (l^2 - S), S_c being the sum of squared lengths of the marks of
    kind c, or the length of all gaps: no mark meets itself. alpha = 1 - sum_{c != k} l_ck / sum_{c != k}
    e_ck. With `kinds` it compares places and kinds (the nominal alpha), else places only (the binary
    alpha). Texts are strung together. Where two marks of one rater overlap, the later begins where the
    earlier ends. NaN if all raters mark nothing, or everything.

    >>> from captious.stats.spans import Mark
    >>> texts = [MarkedText("A red dog.", [[Mark(2, 5)], [Mark(2, 9)]]), MarkedText("A cat.", [[], []])]
    >>> round(unitising_alpha(texts).value, 3)
    0.464
    """
    names = sorted({mark.kind for one in texts for own in one.by for mark in own})
    place = {name: number for number, name in enumerate(names, 1)}
    values = len(names) + 1
    return estimate_texts(
        texts,
        lambda one: _statistics(one, place, values),
        lambda sums: _alpha(sums, values, kinds),
        reason="all raters marked nothing or everything, so disagreement by chance is 0 and alpha is 1 - 0/0",
        resamples=resamples,
        clusters=clusters,
        level=level,
        seed=seed,
    )


def _statistics(one: MarkedText, place: dict[str, int], values: int) -> Floats:
    """The lengths l_ck, row by row, and the S_c."""
    length = len(one.text)
    own_squares = np.zeros(values)
    columns: list[Integers] = []
    for marks in one.by:
        column = np.zeros(length, dtype=np.int64)
        end = 0
        for mark in sorted(marks, key=lambda mark: (mark.start, -mark.end)):
            start = max(mark.start, end)
            end = max(mark.end, end)
            column[start:end] = place[mark.kind]
            own_squares[place[mark.kind]] += (end - start) ** 2
        own_squares[0] += (column == 0).sum()
        columns.append(column)
    lengths = np.zeros(values**2)
    for a, first in enumerate(columns):
        for b, second in enumerate(columns):
            if a != b:
                lengths += np.bincount(first * values + second, minlength=values**2)
    return np.concatenate([lengths / (len(columns) - 1), own_squares])


def _alpha(sums: Floats, values: int, kinds: bool) -> Floats:
    lengths = sums[..., : values**2].reshape(*sums.shape[:-1], values, values)
    squares = sums[..., values**2 :]
    each = lengths.sum(axis=-1)
    total = each.sum(axis=-1)
    scale = total / (total**2 - squares.sum(axis=-1))
    if kinds:
        observed = total - np.trace(lengths, axis1=-2, axis2=-1)
        expected = total - ((each**2 - squares) * scale[..., None]).sum(axis=-1)
    else:
        observed = 2 * lengths[..., 0, 1:].sum(axis=-1)
        expected = 2 * each[..., 0] * (total - each[..., 0]) * scale
    return np.where(expected > 0, 1 - observed / expected, np.nan)
