"""What we measure against Madhyastha et al. 2019 on PASCAL-50S: Tables 5 and 6."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from captious.benchmarks.datasets.pascal50s import CATEGORIES, DRAWS, load_pascal50s
from captious.benchmarks.protocol import Preferences
from captious.benchmarks.published.measurements import Measurements, ReproductionRequest
from captious.benchmarks.scores import compute_scores
from captious.corpus.columns import FloatArray
from captious.metrics import Metric

# References, and draws of them; with all there are no draws.
SIZES = ((1, DRAWS), (5, DRAWS), (48, 1))
ALL = "all"


def recompute_pascal50s(asked: ReproductionRequest, metrics: Mapping[str, Metric]) -> Measurements:
    """Accuracy in each category and over all, with one, five and 48 references.

    A value may be near by which references were drawn and by what a tie counts: the range is over
    the draws, with every tie lost and with every tie won.
    """
    measured = Measurements()
    for references, draws in SIZES:
        data = load_pascal50s(asked.data, references=references, draws=draws)
        scores = compute_scores(data, metrics, progress=asked.progress)
        for name, rows in scores.arrays.items():
            table = _accuracies(data, rows)
            for place, column in enumerate((*CATEGORIES, ALL)):
                key = f"accuracy, {references}/{name}/{column}"
                own = table[:, :, place]
                measured.values[key] = float(own[:, 1].mean())
                how = f"which references are drawn ({draws} draws) and " if draws > 1 else ""
                shown = f"{own[:, 0].min():.4f} to {own[:, 2].max():.4f}"
                measured.vary(key, own.ravel().tolist(), f"by {how}whether ties are lost or won: {shown}")
    return measured


def _accuracies(data: Preferences, rows: FloatArray) -> FloatArray:
    """Draws by (ties lost, halved, won) by categories and their mean."""
    preferred = np.where(data.label == 0, 1, -1)
    differences = (rows[:, data.first] - rows[:, data.second]) * preferred
    credit = np.stack([differences > 0, (differences > 0) + (differences == 0) / 2, differences >= 0], axis=1)
    names = np.array(data.category)
    each = np.stack([credit[:, :, names == category].mean(axis=2) for category in CATEGORIES], axis=2)
    return np.concatenate([each, each.mean(axis=2, keepdims=True)], axis=2)
