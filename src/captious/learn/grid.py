"""A model of each data set, tested on every data set (Scott et al. 2023, Table 4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from captious.corpus.columns import FloatArray, IntArray
from captious.engine import Progress
from captious.errors import InputError
from captious.learn.data import RatedSet, TrainingData
from captious.learn.features import compute_features
from captious.learn.settings import Settings
from captious.learn.splits import parts_of
from captious.learn.train import Note, Trained, train
from captious.metrics.learned.features import parse_features, parse_metric
from captious.stats.correlation import correlate
from captious.tables import Cell, Number, Table


@dataclass(frozen=True)
class Grid:
    """Kendall's tau-c of models and metrics on the test part of each set, every rating a row.

    `models[model][set]` has a value for each seed, `metrics[metric][set]` one value; `captions[set]`
    counts the captions tested.
    """

    models: dict[str, dict[str, list[float]]]
    metrics: dict[str, dict[str, float]]
    captions: dict[str, int]

    def table(self) -> Table:
        """Rows and columns as in Table 4: a model's value is the mean over its seeds."""
        rows: list[list[Cell]] = [
            [name, *(Number(own[one], f"{100 * own[one]:.1f}") for one in self.captions)]
            for name, own in self.metrics.items()
        ]
        rows += [
            [f"model {name}", *(_mean(own[one]) for one in self.captions)]
            for name, own in self.models.items()
        ]
        said = ", ".join(f"{name} {count:,}" for name, count in self.captions.items())
        return Table(
            "Kendall's tau-c x 100 on the test part of each data set",
            ["metric", *self.captions],
            rows,
            f"Test captions: {said}. Every rating is a row; a model's value is the mean over seeds (sd).",
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {"test_captions": self.captions, "metrics": self.metrics, "models": self.models}


def train_each(
    sets: Sequence[RatedSet],
    pools: Mapping[str, Sequence[str]],
    settings: Settings,
    out: Path,
    *,
    overwrite: bool = False,
    progress: Progress | None = None,
    note: Note = lambda line: None,
) -> tuple[Grid, dict[str, Trained]]:
    """Train a model on each set and each pool of sets, and test all on the test part of each.

    No model is trained on an image that is tested in any set. The models are in folders of `out`.
    """
    groups = _groups(sets, pools)
    every = TrainingData(tuple(sets))
    parts = parts_of(every)
    tested = {
        name: np.concatenate([every.rows_of(every.sets.index(one), parts.test) for one in own])
        for name, own in groups.items()
    }
    beside = settings.beside
    trained = {}
    for name, own in groups.items():
        note(f"model {name}")
        data = TrainingData(own, others=tuple(one for one in sets if one not in own))
        trained[name] = train(data, settings, out / name, overwrite=overwrite, progress=progress, note=note)
    models = {
        name: {
            one: [_tau(every, rows, predicted) for predicted in _predictions(every, model, progress)]
            for one, rows in tested.items()
        }
        for name, model in trained.items()
    }
    columns = (
        compute_features(every, [parse_metric(name) for name in beside], progress=progress)
        if beside
        else None
    )
    metrics: dict[str, dict[str, float]] = {}
    for place, feature in enumerate(columns.features if columns else ()):
        column = columns.column(place) if columns else None
        if column is not None:
            metrics[feature.name] = {one: _tau(every, rows, column) for one, rows in tested.items()}
    return Grid(models, metrics, {name: len(rows) for name, rows in tested.items()}), trained


def _groups(sets: Sequence[RatedSet], pools: Mapping[str, Sequence[str]]) -> dict[str, tuple[RatedSet, ...]]:
    known = {one.name: one for one in sets}
    groups: dict[str, tuple[RatedSet, ...]] = {name: (one,) for name, one in known.items()}
    for name, own in pools.items():
        strange = next((one for one in own if one not in known), None)
        if strange is not None:
            raise InputError(f'--pool {name}: "{strange}" is no data set. Known: {", ".join(known)}.')
        if name in groups:
            raise InputError(f"--pool {name}: a data set has this name. Choose another.")
        groups[name] = tuple(known[one] for one in own)
    return groups


def _predictions(every: TrainingData, trained: Trained, progress: Progress | None) -> list[FloatArray]:
    features = parse_features(trained.model.features)
    if trained.model.table is not None:
        features = [feature.with_table(trained.model.table) for feature in features]
    rows = compute_features(every, features, progress=progress).rows
    return [one.predict(rows) for one in trained.predictors]


def _tau(every: TrainingData, rows: IntArray, column: FloatArray) -> float:
    pairs = [every.each_rating(place, every.rows_of(place, rows)) for place in range(len(every.sets))]
    at, human = (np.concatenate(own) for own in zip(*pairs, strict=True))
    known = np.isfinite(column[at])
    return correlate(column[at][known], human[known], method="kendall_c").value


def _mean(values: Sequence[float]) -> Number:
    mean, spread = float(np.mean(values)), float(np.std(values))
    return Number(mean, f"{100 * mean:.1f}", f"({100 * spread:.1f})" if len(values) > 1 else "")
