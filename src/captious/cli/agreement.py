"""`captious agreement`: how far raters agree."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from captious.cli import options
from captious.cli.output import Format


def agreement(
    ratings: Annotated[
        Path,
        typer.Argument(
            help="Judgments: rows with rater and rating (CSV, JSONL, Parquet), a column "
            "a rating (VICR), Flickr8k's expert file.",
            show_default=False,
        ),
    ],
    aspect: Annotated[
        str | None, typer.Option("--aspect", help="Which aspect, where there are several.")
    ] = None,
    merge: Annotated[
        str, typer.Option("--merge", help="Count categories as one: 4=5 turns every 5 into a 4.")
    ] = "",
    scale: Annotated[str, typer.Option("--scale", help="Refuse ratings outside, for example 1-5.")] = "",
    virtual_raters: Annotated[
        bool, typer.Option("--virtual-raters", help="Also draw three sorted ratings an item, 20 times.")
    ] = False,
    own: Annotated[
        str,
        typer.Option(
            "--own", help="Flickr8k: keep or drop the pairs of an image with one of its own captions."
        ),
    ] = "keep",
    resamples: options.Resamples = options.DEFAULT_RESAMPLES,
    level: options.Level = options.DEFAULT_LEVEL,
    seed: options.Seed = options.DEFAULT_SEED,
    form: options.OutputFormat = Format.table,
) -> None:
    """Measure how far raters agree: per cent, kappa, alpha, W, ICC, with intervals over images.

    Example: captious agreement ratings.csv --aspect precision --scale 1-5
    """
    from captious import benchmarks
    from captious.cli import scales
    from captious.cli.output import emit

    report = benchmarks.agreement(
        ratings,
        own=own,
        aspect=aspect,
        merged=scales.merged(merge),
        scale=scales.scale(scale),
        virtual=virtual_raters,
        resamples=resamples,
        level=level,
        seed=seed,
    )
    tables = [report.table()] if form is Format.csv else report.tables()
    emit(tables, {"file": ratings.name, **report.to_dict()}, form)
