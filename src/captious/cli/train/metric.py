"""`captious train NAME`: a metric of one's own from judgments and features."""

from __future__ import annotations

import re
from typing import Annotated

import typer

from captious.cli import benchmark_options, options
from captious.cli.output import Format
from captious.cli.train import options as own
from captious.errors import InputError

SHARES = (0.7, 0.0, 0.3)
NAME = re.compile(r"[A-Za-z][\w.-]*")


def metric(
    name: Annotated[
        str, typer.Argument(metavar="METRIC", help="Name of the metric to train.", show_default=False)
    ],
    judgments: own.Judgments,
    features: own.Features,
    model: own.Model = "gbr",
    split: own.Split = "",
    aspect: own.Aspect = "",
    scale: own.Scale = "",
    candidates: own.Candidates = None,
    references: own.References = None,
    images: options.Images = None,
    objects: options.Objects = None,
    data: benchmark_options.Data = None,
    beside: own.Beside = "",
    normalise: Annotated[
        bool,
        typer.Option(
            "--normalise", help="Normalise the ratings of each data set to 0-1; always done with several."
        ),
    ] = False,
    skip_missing: Annotated[
        bool, typer.Option("--skip-missing", help="Train without features that cannot run here.")
    ] = False,
    folds: own.Folds = 5,
    seeds: own.Seeds = 1,
    refit: own.Refit = False,
    out: own.Out = None,
    overwrite: own.Overwrite = False,
    licence: own.Licence = "",
    resamples: options.Resamples = options.DEFAULT_RESAMPLES,
    level: options.Level = options.DEFAULT_LEVEL,
    seed: options.Seed = options.DEFAULT_SEED,
    form: options.OutputFormat = Format.table,
) -> None:
    """Train your own metric on judgments.

    Writes a folder that `captious score` can load.

    Example: captious train helpful --judgments judgments.jsonl --features cider,rouge_l,sentsim.mean
    """
    from captious.cli.train.data import Typed, rated_sets
    from captious.cli.train.run import train_and_print
    from captious.learn import Settings, TrainingData
    from captious.learn.models import parse_learner
    from captious.metrics import split_list
    from captious.metrics.registry import find

    if not NAME.fullmatch(name):
        raise InputError(f'"{name}": the name of a metric may contain letters, digits, dots and dashes.')
    if find(name) is not None:
        raise InputError(
            f'"{name}" is already a metric, so signatures would be ambiguous. Choose another name.'
        )
    learner = parse_learner(model)
    settings = Settings(
        name=name,
        features=tuple(split_list(features)),
        learner=learner,
        folds=folds,
        seeds=seeds,
        seed=seed,
        resamples=resamples,
        confidence=level,
        skip_missing=skip_missing,
        refit=refit,
        licence=licence,
        beside=tuple(split_list(beside)),
    )
    where = Typed(candidates, references, images, objects, data, aspect, scale, split)
    sets = rated_sets(judgments, where, SHARES)
    if normalise or len(sets) > 1:
        sets = [one.normalised() for one in sets]
    train_and_print(TrainingData(tuple(sets)), settings, out, overwrite, form)
