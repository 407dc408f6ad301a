"""How much each view of a caption counts, from pairs of captions of which people preferred one.

Features are grouped into views: the sentence, its tokens, its words, contradictions, and how far the
references agree. Within a view all count alike; the weights of the views are the ones, of a small grid,
that put most pairs in the right order. Data sets differ in scale and raters, so nothing is regressed:
each set gives pairs of its own, and every set has the same say. More freedom (a weight for every feature,
Bradley and Terry 1952; a finer grid) did worse on benchmarks left out; see the card.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import NamedTuple

import numpy as np

from captious.corpus.columns import FloatArray, IntArray
from captious.errors import InputError
from captious.metrics.captious_metric.model import FEATURES, Head

PAIRS = 20_000  # drawn from a set of ratings
LEAST = 0.08  # difference of two ratings that counts, as a share of the scale
VIEWS: dict[str, tuple[str, ...]] = {
    "sentence": ("sentence",),
    "tokens": ("precision_best", "recall_mean"),
    "words": ("support", "pairs"),
    "faults": ("colour", "number", "gender"),
    "agreement": ("agreement",),
}
# More of a fault is worse; where references agree, likeness to them is cheap.
NEGATIVE = frozenset({"faults", "agreement"})
GRID: dict[str, tuple[float, ...]] = {
    "sentence": (1.0,),
    "tokens": (0.0, 0.25, 0.5, 1.0, 2.0),
    "words": (0.0, 0.125, 0.25, 0.5, 1.0),
    "faults": (0.0, 0.05, 0.1, 0.2),
    "agreement": (0.0, 0.1, 0.2, 0.3),
}


class Ranked(NamedTuple):
    """Features of some examples, and pairs of them: `better[i]` is above `worse[i]`."""

    features: FloatArray
    better: IntArray
    worse: IntArray
    weights: FloatArray

    def gaps(self, views: FloatArray) -> FloatArray:
        """By how much each view prefers the better caption of each pair."""
        values = self.features @ views
        found: FloatArray = values[self.better] - values[self.worse]
        return found


def ranked_by_ratings(features: FloatArray, ratings: FloatArray, seed: int, pairs: int = PAIRS) -> Ranked:
    """Random pairs whose ratings differ, weighted by how far they differ."""
    rng = np.random.default_rng(seed)
    span = float(np.ptp(ratings)) if len(ratings) else 0.0
    if span == 0:
        raise InputError("all ratings are the same, so there is nothing to learn. Give ratings that differ.")
    first, second = rng.integers(len(ratings), size=(2, 4 * pairs))
    gap = ratings[first] - ratings[second]
    kept = np.flatnonzero(np.abs(gap) > LEAST * span)[:pairs]
    first, second, gap = first[kept], second[kept], gap[kept]
    better, worse = np.where(gap > 0, first, second), np.where(gap > 0, second, first)
    return Ranked(features, better, worse, np.abs(gap) / span)


def view_columns(scale: FloatArray) -> FloatArray:
    """Features to views, a column a view: the mean of the view's features, each in units of `scale`."""
    columns = np.zeros((len(FEATURES), len(VIEWS)))
    for place, (view, names) in enumerate(VIEWS.items()):
        for name in names:
            row = FEATURES.index(name)
            columns[row, place] = (-1.0 if view in NEGATIVE else 1.0) / len(names) / scale[row]
    return columns


def choose_weights(sets: Mapping[str, Ranked], views: FloatArray) -> dict[str, float]:
    """The weights of the grid with most pairs in the right order, the mean over the sets.

    Of equally good ones the first counts, which has less weight beside the sentence.
    """
    gaps = {name: one.gaps(views) for name, one in sets.items()}
    says = {name: one.weights / one.weights.sum() for name, one in sets.items()}
    best, found = -1.0, dict.fromkeys(VIEWS, 0.0)
    for weights in product(*GRID.values()):
        row = np.array(weights)
        share = float(np.mean([says[name] @ (gaps[name] @ row > 0) for name in gaps]))
        if share > best + 1e-9:
            best, found = share, dict(zip(GRID, weights, strict=True))
    return found


def fit_head(
    sets: Mapping[str, Ranked], scale: FloatArray, rated: tuple[FloatArray, FloatArray]
) -> tuple[Head, dict[str, float]]:
    """The chosen weights; `rated` are features and ratings of 0 to 1 that set the output's scale."""
    views = view_columns(scale)
    chosen = choose_weights(sets, views)
    weights = views @ np.array(list(chosen.values()))
    slope, bias = _calibrated(rated[0] @ weights, rated[1])
    return Head(weights * slope, bias), chosen


def _calibrated(z: FloatArray, ratings: FloatArray) -> tuple[float, float]:
    """Slope and bias with which 1 / (1 + exp(-(bias + slope z))) is nearest to the ratings."""
    from scipy.optimize import minimize

    centre, spread = float(z.mean()), float(z.std()) or 1.0

    def loss(p: FloatArray) -> float:
        y = 1.0 / (1.0 + np.exp(-(p[1] + p[0] * (z - centre) / spread)))
        return float(((y - ratings) ** 2).mean())

    slope, bias = minimize(loss, np.array([1.0, 0.0]), method="Nelder-Mead").x
    slope = max(float(slope), 1e-3) / spread
    return slope, float(bias) - slope * centre
