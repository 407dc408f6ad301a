"""Train a metric: compute features, split by image, fit, evaluate, and write a folder that loads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from captious.corpus.columns import FloatArray, factorise
from captious.corpus.splits import PARTS
from captious.engine import Progress
from captious.errors import InputError
from captious.files import check_folder
from captious.learn import evaluate
from captious.learn.card import card_json, card_markdown
from captious.learn.data import TrainingData
from captious.learn.features import FeatureTable, choose_features, compute_features, needs_table
from captious.learn.journal import Journal
from captious.learn.report import Report
from captious.learn.run import Run
from captious.learn.settings import Settings
from captious.learn.splits import Parts, folds_by_image, parts_of, split_of
from captious.metrics import Metric
from captious.metrics.document_frequency import DocumentFrequencies
from captious.metrics.learned.features import Feature, parse_metric
from captious.metrics.learned.folder import (
    CARD,
    CARD_JSON,
    MANIFEST,
    SPLIT,
    TABLE,
    TrainedModel,
    write_folder,
)
from captious.metrics.learned.predict import Predictor, mean_of
from captious.metrics.seen import seen_by
from captious.stats.correlation import correlate
from captious.stats.resample import generator

JOURNAL = ".training"
Note = Callable[[str], None]


class Trained(NamedTuple):
    """A trained metric, its folder, and its report."""

    model: TrainedModel
    folder: Path
    report: Report
    predictors: list[Predictor]  # of each seed; the model's is their mean


def train(
    data: TrainingData,
    settings: Settings,
    out: Path,
    *,
    overwrite: bool = False,
    progress: Progress | None = None,
    note: Note = lambda line: None,
) -> Trained:
    """Train a metric and write it to the folder `out`.

    Each data set's images are split into training, validation and test parts as it says, or by a hash of
    their ids, and the split is stored with the metric. Features are computed once. The model
    is cross-validated and fitted on the training part, mapped to the human scale, and evaluated on the
    test part, next to each feature alone. An interrupted run resumes when it is started again with the
    same data and settings.
    """
    _check_out(out, overwrite)
    settings.learner.ready()
    features, missing = choose_features(settings.features, data, skip_missing=settings.skip_missing)
    for one in missing:
        note(f"feature {one.name} is missing: {one.why}")
    note(f"training on {', '.join(feature.name for feature in features)}")
    split = parts_of(data)
    others = [parse_metric(name) for name in dict.fromkeys(settings.beside)]
    _refuse_leaks([*features, *others], data, split)
    out.mkdir(parents=True, exist_ok=True)
    if crossing := len(data) - sum(map(len, split)):
        note(
            f"{crossing:,} captions are left out of training: their images are for testing or validation in "
            "another data set"
        )
    names = "\n".join(feature.name for feature in features)
    journal = Journal(out / JOURNAL, settings.digest(data.digest, names))
    if journal.steps:
        note(f"resuming an interrupted run (steps done: {journal.steps})")
    features = _with_frequencies(features, data, split, out / TABLE)
    table = compute_features(data, features, progress=progress)
    split, left_out = _complete_rows(split, table, data)
    if left_out:
        note(f"{left_out:,} captions are left out because a feature has no value for them")
    beside = None
    if others:
        others = _with_frequencies(others, data, split, journal.path(TABLE))
        beside = compute_features(data, others, progress=progress)
    run = Run(data, settings, table, beside, split, journal, progress)
    model, report, predictors = _fitted(run, tuple(feature.name for feature in features), out)
    report = replace(report, missing=missing, left_out=left_out)
    texts = {CARD: card_markdown(report), CARD_JSON: card_json(report)}
    write_folder(out, model, texts, split_of(data))
    journal.close()
    return Trained(model, out, report, predictors)


def _check_out(out: Path, overwrite: bool) -> None:
    check_folder(out)
    if (out / MANIFEST).exists() and not overwrite:
        raise InputError(
            f"{out}: contains a trained metric.",
            python="Choose another folder, or set overwrite=True.",
            command="Choose another --out, or add --overwrite.",
        )
    strange = [path.name for path in out.iterdir() if path.name not in _OWN] if out.is_dir() else []
    if strange:
        raise InputError(f"{out}: contains other files ({strange[0]}). Choose a new folder.")


_OWN = frozenset({MANIFEST, "model.npz", TABLE, SPLIT, CARD, CARD_JSON, JOURNAL})


def _with_frequencies(features: list[Feature], data: TrainingData, split: Parts, path: Path) -> list[Feature]:
    """Document frequencies of the training images, so that the test images add nothing."""
    if not needs_table(features):
        path.unlink(missing_ok=True)
        return features
    references: dict[tuple[str, ...], None] = {}
    starts = np.cumsum([0, *(len(one.corpus) for one in data.sets)]).tolist()
    for place, one in enumerate(data.sets):
        for row in data.rows_of(place, split.train).tolist():
            own = int(one.corpus.references_of[row - starts[place]])
            if own >= 0:
                references[tuple(one.corpus.references[own])] = None
    DocumentFrequencies.build(list(references)).save(path)
    return [feature.with_table(path) for feature in features]


def _refuse_leaks(features: list[Feature], data: TrainingData, split: Parts) -> None:
    """Refuse a metric that was trained on images of the test part."""
    tested = {data.images[row] for row in split.test.tolist()}
    metrics = {one.name: one.source for one in features if isinstance(one.source, Metric)}
    for name, own in seen_by(metrics, tested).items():
        raise InputError(
            f"{name} was trained on {len(own):,} of the {len(tested):,} test images, so its figures here "
            "would be too high. Train it again with the same split (--split), or leave it out."
        )


def _complete_rows(split: Parts, table: FeatureTable, data: TrainingData) -> tuple[Parts, int]:
    whole = np.isfinite(table.rows).all(axis=1) & np.isfinite(data.target)
    kept = Parts(*(rows[whole[rows]] for rows in split))
    if len(kept.train) < 4 or len(kept.test) < 4:
        raise InputError(
            f"{len(kept.train)} captions to train on and {len(kept.test)} to test on are not enough. "
            "Give more judgments."
        )
    return kept, int((~whole).sum())


def _fitted(run: Run, names: tuple[str, ...], out: Path) -> tuple[TrainedModel, Report, list[Predictor]]:
    settings, data, split = run.settings, run.data, run.split
    out_of_fold, cross_validated = _cross_validate(run)
    predictors = []
    for number in range(settings.seeds):
        run.say("fit", number, settings.seeds)
        predictors.append(run.fit(f"seed {number}", split.train, settings.seed + number))
    predictor = mean_of(predictors)
    slope, intercept = _line(run, predictor, out_of_fold) if settings.calibrate else (1.0, 0.0)
    model = TrainedModel(
        name=settings.name,
        recipe=settings.recipe,
        features=names,
        predictor=predictor,
        scale=data.scale,
        slope=slope,
        intercept=intercept,
        table=out / TABLE if (out / TABLE).is_file() else None,
        fitted_to=PARTS if settings.refit else PARTS[:2],
    )
    report = judged(run, model, predictors, cross_validated)
    if settings.refit:
        everything = np.sort(np.concatenate(split))
        again = [run.fit(f"refit {n}", everything, settings.seed + n) for n in range(settings.seeds)]
        model = replace(model, predictor=mean_of(again))
    return model, report, predictors


def _cross_validate(run: Run) -> tuple[FloatArray | None, list[dict[str, float]]]:
    """Out-of-fold predictions of the training rows, and the coefficients of each fold."""
    settings, rows = run.settings, run.split.train
    if not settings.folds:
        return None, []
    images = [run.data.images[row] for row in rows.tolist()]
    folds = folds_by_image(images, settings.folds, settings.seed)
    predicted = np.full(len(rows), np.nan)
    values = []
    for number, (fit, judge) in enumerate(folds):
        run.say("folds", number, len(folds))
        fitted = run.fit(f"fold {number}", rows[fit], settings.seed)
        predicted[judge] = fitted.predict(run.table.rows[rows[judge]])
        human = run.data.target[rows[judge]]
        values.append(
            {
                method: correlate(predicted[judge], human, method=method).value
                for method in ("pearson", "spearman", "kendall_c")
            }
        )
    return predicted, values


def _line(run: Run, predictor: Predictor, out_of_fold: FloatArray | None) -> tuple[float, float]:
    """The line to the human scale, from predictions of rows that the model was not fitted to."""
    target = run.data.target
    if out_of_fold is not None:
        return evaluate.fit_line(out_of_fold, target[run.split.train])
    if len(run.split.validation) > 2:
        predicted = predictor.predict(run.table.rows[run.split.validation])
        return evaluate.fit_line(predicted, target[run.split.validation])
    return 1.0, 0.0


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
