"""How good a trained metric is on images that it has not seen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from captious.corpus.columns import FloatArray, IntArray, factorise
from captious.learn.data import TrainingData
from captious.learn.settings import COEFFICIENTS, Settings
from captious.metrics.learned.folder import TrainedModel
from captious.stats.correlation import Method, correlate
from captious.stats.intervals import correlation_interval
from captious.stats.metric_difference import compare_by_permutation, williams_test
from captious.stats.multiple import holm
from captious.stats.resample import Interval, generator

EACH = "kendall_c_each"
ALPHA = 0.05
_BINS = 10
_SHUFFLES = 5


class Figures(NamedTuple):
    """Correlations of one metric with the judgments of one set's test part."""

    set_name: str
    metric: str
    n: int
    values: dict[str, Interval]


class Comparison(NamedTuple):
    """The trained metric against one feature alone, on one set's test part.

    `p_permutation` is of the difference in the main coefficient, whole images exchanged, corrected
    by Holm over the features; `p_williams` of the difference in Pearson's r, rows independent.
    """

    set_name: str
    feature: str
    learned: float
    alone: float
    p_permutation: float
    p_williams: float


class Calibration(NamedTuple):
    """Predicted and human ratings in bins of equal size, and the error over all."""

    predicted: list[float]
    human: list[float]
    counts: list[int]
    rmse: float
    rmse_of_mean: float


class CurvePoint(NamedTuple):
    """How many training images and rows, and the main coefficient on the test part."""

    images: int
    rows: int
    value: float


def figures(
    data: TrainingData, test: IntArray, columns: Mapping[str, FloatArray], settings: Settings
) -> list[Figures]:
    """Correlations of every column with the judgments of the test part of each set and pool of sets."""
    found = []
    places = {one.name: place for place, one in enumerate(data.sets)}
    for title, names in (*((name, (name,)) for name in places), *settings.pools):
        rows = np.concatenate([data.rows_of(places[name], test) for name in names])
        if len(rows) < 3:
            continue
        images = _numbers(data, rows)
        for name, column in columns.items():
            values: dict[str, Interval] = {
                method: _interval(column[rows], data.target[rows], images, method, settings)
                for method in COEFFICIENTS
            }
            if len(names) == 1 and data.sets[places[title]].several_ratings:
                at, human = data.each_rating(places[title], rows)
                values[EACH] = _interval(column[at], human, _numbers(data, at), "kendall_c", settings)
            found.append(Figures(title, name, len(rows), values))
    return found


def comparisons(
    data: TrainingData,
    test: IntArray,
    learned: FloatArray,
    alone: Mapping[str, FloatArray],
    settings: Settings,
) -> list[Comparison]:
    """The trained metric against each feature alone."""
    found: list[Comparison] = []
    for place, one in enumerate(data.sets):
        rows = data.rows_of(place, test)
        if len(rows) < 4 or not alone:
            continue
        images = _numbers(data, rows)
        human, ours = data.target[rows], learned[rows]
        pairs = []
        for name, column in alone.items():
            theirs = column[rows]
            test_ = compare_by_permutation(
                ours,
                theirs,
                human,
                method=settings.main,
                swap_together=images,
                trials=settings.trials,
                seed=settings.seed,
            )
            pairs.append((name, test_.score_a, test_.score_b, test_.p_value, _williams(ours, theirs, human)))
        corrected = holm([pair[3] for pair in pairs]).tolist()
        found += [
            Comparison(one.name, name, value, other, p, williams)
            for (name, value, other, _, williams), p in zip(pairs, corrected, strict=True)
        ]
    return found


def seed_value(data: TrainingData, test: IntArray, predicted: FloatArray, settings: Settings) -> float:
    """The main coefficient of one seed's predictions.

    For tau-c every rating is a row of its own where captions have several, as Scott et al. 2023
    measure ("method A").
    """
    if settings.main == "kendall_c":
        pairs = [data.each_rating(place, data.rows_of(place, test)) for place in range(len(data.sets))]
        rows, human = (np.concatenate(column) for column in zip(*pairs, strict=True))
        return correlate(predicted[rows], human, method="kendall_c").value
    return correlate(predicted[test], data.target[test], method=settings.main).value


def not_beaten(found: Sequence[Comparison]) -> list[Comparison]:
    """The features that the trained metric does not beat significantly."""
    return [one for one in found if not (one.learned > one.alone and one.p_permutation < ALPHA)]


def calibration(predicted: FloatArray, human: FloatArray) -> Calibration:
    """Mean prediction and mean rating in bins of equal size by prediction.

    >>> calibration(np.array([1.0, 2.0]), np.array([1.0, 3.0])).rmse  # sqrt((0 + 1) / 2)
    0.7071067811865476
    """
    order = np.argsort(predicted, kind="stable")
    bins = [part for part in np.array_split(order, min(_BINS, len(order))) if len(part)]
    return Calibration(
        [float(predicted[part].mean()) for part in bins],
        [float(human[part].mean()) for part in bins],
        [len(part) for part in bins],
        float(np.sqrt(((predicted - human) ** 2).mean())),
        float(human.std()),
    )


def fit_line(predicted: FloatArray, human: FloatArray) -> tuple[float, float]:
    """Slope and intercept that bring predictions nearest to the ratings; 1 and 0 where none rises.

    >>> fit_line(np.array([2.0, 3.0]), np.array([1.0, 3.0]))
    (2.0, -3.0)
    """
    spread = float(((predicted - predicted.mean()) ** 2).sum())
    slope = float(((predicted - predicted.mean()) * (human - human.mean())).sum()) / spread if spread else 0.0
    if not slope > 0:
        return 1.0, 0.0
    return slope, float(human.mean() - slope * predicted.mean())


def importance(
    model: TrainedModel, rows: FloatArray, human: FloatArray, spans: Mapping[str, slice], settings: Settings
) -> dict[str, float]:
    """How much the main coefficient falls where a feature's values are shuffled over the rows.

    The mean of five shuffles (Breiman 2001); an embedding is shuffled as a whole.
    """
    rng = generator(settings.seed)
    whole = _value(model.rate(rows), human, settings.main)
    falls = {}
    for name, span in spans.items():
        values = []
        for _ in range(_SHUFFLES):
            shuffled = rows.copy()
            shuffled[:, span] = rows[rng.permutation(len(rows)), span]
            values.append(_value(model.rate(shuffled), human, settings.main))
        falls[name] = whole - float(np.mean(values))
    return falls


def _value(predicted: FloatArray, human: FloatArray, method: Method) -> float:
    value = correlate(predicted, human, method=method).value
    return 0.0 if np.isnan(value) else value  # a constant prediction follows nobody


def _williams(ours: FloatArray, theirs: FloatArray, human: FloatArray) -> float:
    r_a, r_b, r_ab = (
        correlate(one, other, method="pearson").value
        for one, other in ((ours, human), (theirs, human), (ours, theirs))
    )
    if np.isnan([r_a, r_b, r_ab]).any():
        return float("nan")
    return williams_test(r_a, r_b, r_ab, len(human)).p_two_sided


def _interval(
    column: FloatArray, human: FloatArray, images: IntArray, method: Method, settings: Settings
) -> Interval:
    if settings.resamples:
        return correlation_interval(
            column,
            human,
            method=method,
            clusters=images,
            confidence=settings.confidence,
            resamples=settings.resamples,
            seed=settings.seed,
        )
    nan = float("nan")
    return Interval(correlate(column, human, method=method).value, nan, nan, settings.confidence)


def _numbers(data: TrainingData, rows: IntArray) -> IntArray:
    return factorise([data.images[row] for row in rows.tolist()])[1]
