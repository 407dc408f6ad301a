"""How scores and judgments are spread, system by system.

After Kasai et al. 2022 (Figure 2: histograms of precision and recall) and the VCRScore paper
(Figures 6 to 8: metric and judged scores of each system on one scale from 0 to 1).
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from captious.corpus.columns import FloatArray
from captious.report.study import Study, number_text
from captious.report.tables import aspect_text
from captious.tables import Cell, Number, Table

BINS = 10
# Ratings on a scale have few values, and then each value is a bar of its own.
MOST_BARS = 13
# Aspects that the finding names; the table holds all.
SAID = 3


class Spread(NamedTuple):
    """Shares of one system's values in equal bins; `overlap` is with the judged shares."""

    system: str
    name: str
    shares: FloatArray
    judged: FloatArray
    overlap: float


class Histogram(NamedTuple):
    """Shares of one system's judgments of one aspect, by value or by bin."""

    system: str
    aspect: str
    edges: FloatArray
    shares: FloatArray
    mean: float


def unit_scale(values: FloatArray) -> FloatArray:
    """Stretch a column onto 0 to 1 by its least and greatest value; 0.5 where it is constant.

    >>> unit_scale(np.array([2.0, 3.0, np.nan, 4.0])).tolist()
    [0.0, 0.5, nan, 1.0]
    """
    low, high = np.nanmin(values), np.nanmax(values)
    if high == low:
        return np.where(np.isnan(values), np.nan, 0.5)
    return np.asarray((values - low) / (high - low), dtype=np.float64)


def spreads(study: Study, metrics: list[str]) -> list[Spread]:
    """Histograms of every metric beside those of the main aspect, both from 0 to 1.

    Only examples that were judged count. The overlap is the sum of the smaller share of each bin:
    1 where the two histograms are the same, 0 where they share no bin (Swain and Ballard 1991).
    """
    if study.judged is None:
        return []
    judged = unit_scale(study.judged.means[study.judged.main])
    found = []
    for name in metrics:
        scores = study.oriented(name)
        both = ~np.isnan(judged) & ~np.isnan(scores)
        if not both.any():
            continue
        scaled = unit_scale(np.where(both, scores, np.nan))
        for system in study.charted_systems:
            rows = study.corpus.rows_of(system)
            rows = rows[both[rows]]
            if len(rows):
                a, b = _shares(scaled[rows]), _shares(judged[rows])
                overlap = float(np.minimum(a, b).sum())
                found.append(Spread(system, study.printed(name), a, b, overlap))
    return found


def spreads_finding(found: list[Spread], main: str) -> str:
    """Say which metric's histograms are most and least like the judged ones."""
    names = list(dict.fromkeys(one.name for one in found))
    mean = {n: float(np.mean([one.overlap for one in found if one.name == n])) for n in names}
    best, worst = max(names, key=mean.__getitem__), min(names, key=mean.__getitem__)
    text = (
        f"On average over systems, the distribution of {best} overlaps most with that of "
        f"judged {aspect_text(main)} ({mean[best]:.0%})"
    )
    return f"{text}, that of {worst} least ({mean[worst]:.0%})." if worst != best else f"{text}."


def spreads_table(found: list[Spread]) -> Table:
    """Share of captions in each bin, and the overlap."""
    edges = np.linspace(0, 1, BINS + 1)
    labels = [f"{low:.1f}–{high:.1f}" for low, high in pairwise(edges)]
    rows: list[list[Cell]] = []
    for one in found:
        name = f"{one.system}, {one.name}"
        rows.append([name, *_percent(one.shares), Number(one.overlap, f"{one.overlap:.0%}")])
    for one in {one.system: one for one in found}.values():
        rows.append([f"{one.system}, judged", *_percent(one.judged), "–"])
    caption = "Share of captions in each tenth of the range"
    return Table(caption, ["system and score", *labels, "overlap"], rows)


def histograms(study: Study) -> list[Histogram]:
    """Histogram of every judged aspect that varies, for every system."""
    if study.judged is None:
        return []
    found = []
    for aspect, values in study.judged.means.items():
        present = values[~np.isnan(values)]
        if len(np.unique(present)) < 2:
            continue
        edges = _edges(present)
        for system in study.charted_systems:
            own = values[study.corpus.rows_of(system)]
            own = own[~np.isnan(own)]
            if len(own):
                counts, _ = np.histogram(own, edges)
                shares = counts / len(own)
                found.append(Histogram(system, aspect, edges, shares, float(own.mean())))
    return found


def histograms_finding(found: list[Histogram], main: str) -> str:
    """For the first aspects say which systems have the highest and the lowest mean."""
    sentences = []
    for aspect in list(dict.fromkeys(one.aspect for one in found))[:SAID]:
        own = [one for one in found if one.aspect == aspect]
        best, worst = max(own, key=lambda one: one.mean), min(own, key=lambda one: one.mean)
        name = aspect_text(aspect).capitalize()
        if best.mean == worst.mean:
            continue
        sentences.append(
            f"{name}: {best.system} has the highest mean ({number_text(best.mean, 2)}), "
            f"{worst.system} the lowest ({number_text(worst.mean, 2)})."
        )
    return " ".join(sentences) or f"All systems have the same mean {aspect_text(main)}."


def histograms_table(found: list[Histogram]) -> Table:
    """Mean, and the share of captions with each value or in each bin."""
    rows: list[list[Cell]] = []
    for one in found:
        middles = (one.edges[:-1] + one.edges[1:]) / 2
        parts = [
            f"{number_text(middle, 2).rstrip('0').rstrip('.')}: {share:.0%}"
            for middle, share in zip(middles.tolist(), one.shares.tolist(), strict=True)
            if share
        ]
        rows.append(
            [
                f"{one.system}, {aspect_text(one.aspect)}",
                Number(one.mean, number_text(one.mean, 2)),
                " · ".join(parts),
            ]
        )
    caption = "Judgments of each system: the middle of each bar and its share of captions"
    return Table(caption, ["system and aspect", "mean", "share of captions"], rows)


def _shares(values: FloatArray) -> FloatArray:
    counts, _ = np.histogram(values, BINS, (0.0, 1.0))
    return np.asarray(counts / max(1, len(values)), dtype=np.float64)


def _percent(shares: FloatArray) -> list[Number]:
    return [Number(share, f"{share:.0%}") for share in shares.tolist()]


def _edges(present: FloatArray) -> FloatArray:
    """Edges half way around each step of the scale, or of ten bins where there are many steps."""
    values = np.unique(present)
    step = float(np.diff(values).min())
    bars = round((values[-1] - values[0]) / step) + 1
    if bars <= MOST_BARS and np.allclose((values - values[0]) % step, 0, atol=1e-9 * step):
        return np.asarray(values[0] + step * (np.arange(bars + 1) - 0.5), dtype=np.float64)
    return np.linspace(values[0], values[-1], BINS + 1)
