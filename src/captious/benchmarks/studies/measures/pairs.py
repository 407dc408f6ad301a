"""Which of two captions people preferred, and how often a metric agrees (PASCAL-50S)."""

from __future__ import annotations

import numpy as np

from captious.benchmarks.datasets.pascal50s import DRAWS, load_pascal50s
from captious.benchmarks.protocol import Preferences
from captious.benchmarks.selection.extra_inputs import with_objects
from captious.benchmarks.studies.asked import Asked, Cells, measure, one_run
from captious.corpus.columns import FloatArray
from captious.errors import InputError


@measure("accuracy")
def accuracy(asked: Asked, references: str, draws: str = str(DRAWS)) -> Cells:
    """Accuracy of each metric in each category of pairs and their mean, with so many references.

    The paper evaluates once: references are drawn at random and a tie is decided by a coin, which counts
    one half here. The range is where 95% of such evaluations lie.
    """
    if asked.is_own:
        raise InputError("it needs pairs of captions with the preferred one.")
    data = _pairs(asked, int(references), int(draws))
    found: Cells = {}
    for name, rows in asked.scores(data, asked.table.rows).items():
        for column, (own, coins) in _accuracies(data, rows).items():
            cause = f"by which references are drawn ({references} each) and how ties fall"
            found[name, column] = one_run(own, cause, coins)
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


def _accuracies(data: Preferences, rows: FloatArray) -> dict[str, tuple[FloatArray, float]]:
    """The accuracy of each draw and the variance of its coins, by category and for their mean."""
    preferred = np.where(data.label == 0, 1, -1)
    differences = (rows[:, data.first] - rows[:, data.second]) * preferred
    credit, tied = (differences > 0) + (differences == 0) / 2, differences == 0
    names = np.array(data.category)
    found = {}
    for name in dict.fromkeys(data.category):
        own = names == name
        # A tie is worth 0 or 1/n by the coin: a variance of 1 / (4 n^2).
        coins = float(tied[:, own].sum(axis=1).mean() / (4 * own.sum() ** 2))
        found[name] = credit[:, own].mean(axis=1), coins
    mean = np.mean([values for values, _ in found.values()], axis=0)
    found["all"] = mean, sum(coins for _, coins in found.values()) / len(found) ** 2
    return found
