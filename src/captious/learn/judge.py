"""What a run found, for its report: figures, comparisons, importance, the learning curve."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from captious.corpus.columns import FloatArray, factorise
from captious.learn import evaluate
from captious.learn.report import Report
from captious.learn.run import Run
from captious.metrics.learned.folder import TrainedModel
from captious.metrics.learned.predict import Predictor
from captious.stats.correlation import correlate
from captious.stats.resample import generator


def judged(
    run: Run, model: TrainedModel, predictors: list[Predictor], folds: list[dict[str, float]]
) -> Report:
    """Judge a fitted model on the test part, beside each feature alone."""
    settings, data, test = run.settings, run.data, run.split.test
    rated = model.rate(run.table.rows)
    names = [feature.name for feature in run.table.features]
    alone = {
        name: column for place, name in enumerate(names) if (column := run.table.column(place)) is not None
    }
    run.say("intervals", 0, 1)
    beside = _beside(run)
    found = evaluate.figures(data, test, {settings.name: rated, **alone, **beside}, settings)
    run.say("tests", 0, 1)
    compared = evaluate.comparisons(data, test, rated, alone or beside, settings)
    seeds = [evaluate.seed_value(data, test, one.predict(run.table.rows), settings) for one in predictors]
    spans = dict(zip(names, run.table.spans, strict=True))
    return Report(
        settings=settings,
        data=data,
        features=names,
        split=run.split,
        folds=folds,
        seeds=seeds,
        figures=found,
        comparisons=compared,
        calibration=evaluate.calibration(rated[test], data.target[test]),
        line=(model.slope, model.intercept),
        importance=evaluate.importance(model, run.table.rows[test], data.target[test], spans, settings)
        if len(names) > 1
        else {},
        curve=_curve(run, model),
    )


def _beside(run: Run) -> dict[str, FloatArray]:
    """Columns of the metrics that are only shown."""
    if run.beside is None:
        return {}
    columns = {
        one.name: run.beside.column(place)
        for place, one in enumerate(run.beside.features)
        if one.name not in run.settings.features
    }
    return {name: column for name, column in columns.items() if column is not None}


def _curve(run: Run, model: TrainedModel) -> list[evaluate.CurvePoint]:
    """The main coefficient on the test part with more and more of the training images."""
    settings, data, split = run.settings, run.data, run.split
    images, image_of = factorise([data.images[row] for row in split.train.tolist()])
    order = generator(settings.seed).permutation(len(images))
    points: list[evaluate.CurvePoint] = []
    for place, share in enumerate(settings.curve):
        run.say("curve", place, len(settings.curve))
        count = max(2, round(share * len(images)))
        if points and count == points[-1].images:
            continue
        rows = split.train[np.isin(image_of, order[:count])]
        if len(rows) < 4 or count > len(images):
            continue
        whole = count == len(images)
        fitted = model.predictor if whole else run.fit(f"curve {share}", rows, settings.seed)
        predicted = replace(model, predictor=fitted).rate(run.table.rows[split.test])
        value = correlate(predicted, data.target[split.test], method=settings.main).value
        points.append(evaluate.CurvePoint(count, len(rows), value))
    return points
