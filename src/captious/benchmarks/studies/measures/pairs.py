"""Which of two captions people preferred, and how often a metric agrees (PASCAL-50S)."""

from __future__ import annotations

import numpy as np

from captious.benchmarks.datasets.pascal50s import DRAWS, load_pascal50s
from captious.benchmarks.protocol import Preferences
from captious.benchmarks.selection.extra_inputs import with_objects
from captious.benchmarks.studies.asked import Asked, Cells, around, measure
from captious.corpus.columns import FloatArray
from captious.errors import InputError


@measure("accuracy")
def accuracy(asked: Asked, references: int, draws: int = DRAWS) -> Cells:
    """Accuracy of each metric in each category of pairs and their mean, with so many references.

    The paper evaluates once: references are drawn at random and a tie is decided by a coin, which counts
    one half here. The range is where 95% of such evaluations lie.
    """
    if asked.is_own:
        raise InputError("it needs pairs of captions with the preferred one.")
    data = _pairs(asked, references, draws)
    found: Cells = {}
    for name, rows in asked.scores(data, asked.table.rows).items():
        for column, (mean, variance) in accuracies(data, rows).items():
            cause = f"by which references are drawn ({references} each) and how ties fall"
            found[name, column] = around(mean, variance, cause)
    return found


def _pairs(asked: Asked, references: int, draws: int) -> Preferences:
    key = ("pairs", asked.data.objects, references, draws)
    if key not in asked.room.kept:
        objects = asked.path(asked.data.objects) if asked.data.objects else None
        loaded = load_pascal50s(asked.folder("pascal-50s"), references=references, draws=draws)
        asked.room.kept[key] = with_objects(loaded, objects) if objects else loaded
    found = asked.room.kept[key]
    assert isinstance(found, Preferences)
    return found


def accuracies(data: Preferences, rows: FloatArray) -> dict[str, tuple[float, float]]:
    """The accuracy in each category, and the mean of these, with the variance of a single evaluation.

    References are drawn and coins are tossed for each pair by itself, so that the variances of pairs add up:
    that between the draws, with that of our own mean of them, and 1/4 for a tie, which is worth 0 or 1.
    """
    preferred = np.where(data.label == 0, 1, -1)
    differences = (rows[:, data.first] - rows[:, data.second]) * preferred
    credit, tied = (differences > 0) + (differences == 0) / 2, differences == 0
    draws = len(rows)
    of_pair = credit.var(axis=0, ddof=1) * (1 + 1 / draws) if draws > 1 else np.zeros(len(data.label))
    of_pair += tied.mean(axis=0) / 4
    names = np.array(data.category)
    found = {}
    for name in dict.fromkeys(data.category):
        own = names == name
        found[name] = float(credit[:, own].mean()), float(of_pair[own].sum() / own.sum() ** 2)
    means, variances = zip(*found.values(), strict=True)
    return found | {"all": (float(np.mean(means)), sum(variances) / len(found) ** 2)}
