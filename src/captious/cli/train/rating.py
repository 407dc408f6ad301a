"""`captious train rating`: the rating model of Scott et al. 2023, 3.4, on your data."""

from __future__ import annotations

from typing import Annotated

import typer

from captious.cli import benchmark_options, options
from captious.cli.output import Format
from captious.cli.train import options as own


def rating(
    judgments: own.Judgments,
    features: own.Features = "",
    quick: Annotated[
        bool,
        typer.Option(
            "--quick", help="Train in minutes, not hours: rate 1e-3, at most 400 epochs, early stopping."
        ),
    ] = False,
    epochs: Annotated[
        int | None,
        typer.Option("--epochs", metavar="N", min=1, help="Epochs. Default: 4,000, as in the paper."),
    ] = None,
    rate: Annotated[
        float | None,
        typer.Option("--rate", metavar="X", help="Learning rate. Default: 1e-5, as in the paper."),
    ] = None,
    patience: Annotated[
        int | None,
        typer.Option(
            "--patience",
            metavar="N",
            min=0,
            help="Stop after this many epochs without progress. Default: never.",
        ),
    ] = None,
    each: Annotated[
        bool,
        typer.Option(
            "--each", help="Train a model on each data set and test every model on every test part (Table 4)."
        ),
    ] = False,
    pool: Annotated[
        list[str] | None,
        typer.Option(
            "--pool",
            metavar="NAME=SET+SET",
            help="With --each: also a model of several data sets together; repeatable.",
        ),
    ] = None,
    seeds: own.Seeds = 5,
    split: own.Split = "",
    aspect: own.Aspect = "",
    scale: own.Scale = "",
    candidates: own.Candidates = None,
    references: own.References = None,
    images: options.Images = None,
    objects: options.Objects = None,
    data: benchmark_options.Data = None,
    beside: own.Beside = "",
    out: own.Out = None,
    overwrite: own.Overwrite = False,
    licence: own.Licence = "",
    resamples: options.Resamples = options.DEFAULT_RESAMPLES,
    seed: options.Seed = options.DEFAULT_SEED,
    form: options.OutputFormat = Format.table,
) -> None:
    """Train the rating model.

    It is a network over joint embeddings that predicts the rating.

    Example: captious train rating --judgments game.jsonl --features vilbert.joint
    """
    from dataclasses import replace

    from captious.cli.train.data import Typed, rated_sets
    from captious.cli.train.run import pools_typed, train_and_print, train_each_and_print
    from captious.errors import InputError
    from captious.learn import TrainingData
    from captious.learn.recipes import QUICK, RATING_MODEL, RATING_SHARES, rating_settings
    from captious.metrics import split_list

    typed = {"epochs": epochs, "rate": rate, "patience": patience}
    given = {name: value for name, value in typed.items() if value is not None}
    learner = replace(QUICK if quick else RATING_MODEL, **given)  # type: ignore[arg-type]
    where = Typed(candidates, references, images, objects, data, aspect, scale, split)
    sets = rated_sets(judgments, where, RATING_SHARES)
    same = len({one.scale for one in sets}) == 1
    chosen = TrainingData(tuple(sets if same else (one.normalised() for one in sets)))
    settings = rating_settings(chosen, features=tuple(split_list(features)), learner=learner)
    settings = replace(
        settings,
        seeds=seeds,
        resamples=resamples,
        seed=seed,
        licence=licence,
        beside=tuple(split_list(beside)),
    )
    if each:
        train_each_and_print(chosen, settings, pools_typed(pool or []), out, overwrite, form)
        return
    if pool:
        raise InputError("--pool needs --each.")
    train_and_print(chosen, settings, out, overwrite, form)
