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
            metavar="RATINGS",
            help="File of judgments: rows with rater and rating (CSV, JSONL, Parquet), one column "
            "per rating (VICR), or Flickr8k's expert file.",
            show_default=False,
        ),
    ],
    aspect: Annotated[
        str | None, typer.Option("--aspect", metavar="NAME", help="Aspect to use, if there are several.")
    ] = None,
    merge: Annotated[
        str, typer.Option("--merge", metavar="A=B", help="Merge categories: 4=5 counts every 5 as a 4.")
    ] = "",
    scale: Annotated[
        str,
        typer.Option(
            "--scale", metavar="LOW-HIGH", help="Refuse ratings outside this scale, for example 1-5."
        ),
    ] = "",
    virtual_raters: Annotated[
        bool, typer.Option("--virtual-raters", help="Also draw three sorted ratings per item, 20 times.")
    ] = False,
    own: Annotated[
        str,
        typer.Option(
            "--own",
            metavar="keep|drop",
            help="Flickr8k only: keep or drop pairs of an image and one of its own captions.",
        ),
    ] = "keep",
    resamples: options.Resamples = options.DEFAULT_RESAMPLES,
    level: options.Level = options.DEFAULT_LEVEL,
    seed: options.Seed = options.DEFAULT_SEED,
    form: options.OutputFormat = Format.table,
) -> None:
    """Measure how well raters agree.

    Prints percent agreement, kappa, alpha, W and ICC, with intervals.

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
