"""`captious judgments agreement`: how far raters agree."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from captious.cli import options
from captious.cli.output import Format

if TYPE_CHECKING:
    from captious.benchmarks import AgreementReport, SpanAgreement


def agreement(
    ratings: Annotated[
        Path,
        typer.Argument(
            metavar="RATINGS",
            help="File of judgments: rows with rater and rating (CSV, JSONL, Parquet), one column "
            "per rating (VICR), Flickr8k's expert file; or file of findings (places in captions).",
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
    kind: Annotated[
        str | None, typer.Option("--kind", metavar="NAME", help="Findings only: use those of one kind.")
    ] = None,
    weights: Annotated[
        str,
        typer.Option(
            "--weights",
            metavar="SEVERITY=N,…",
            help="Findings only: what each severity costs in a caption's score.",
        ),
    ] = "minor=1,major=5",
    gamma: Annotated[
        bool,
        typer.Option(
            "--gamma", help="Findings only: also Mathet's gamma, which needs captious[gamma]; slow."
        ),
    ] = False,
    resamples: options.Resamples = options.DEFAULT_RESAMPLES,
    level: options.Level = options.DEFAULT_LEVEL,
    seed: options.Seed = options.DEFAULT_SEED,
    form: options.OutputFormat = Format.table,
) -> None:
    """Measure how well raters agree.

    Prints percent agreement, kappa, alpha, W and ICC, with intervals; for findings, F1 and alpha_u.

    Example: captious judgments agreement ratings.csv --aspect precision --scale 1-5
    """
    from captious import benchmarks
    from captious.cli import scales
    from captious.cli.inputs import refuse_options
    from captious.cli.output import emit
    from captious.corpus.finding_formats import holds_findings

    draws: dict[str, Any] = {"resamples": resamples, "level": level, "seed": seed}
    report: AgreementReport | SpanAgreement
    if holds_findings(ratings):
        given = {"--aspect": aspect, "--merge": merge, "--scale": scale, "--virtual-raters": virtual_raters}
        refuse_options(given, "is for ratings, and this file contains findings")
        report = benchmarks.span_agreement(
            ratings, kind=kind, weights=scales.weights(weights), gamma=gamma, **draws
        )
    else:
        refuse_options({"--kind": kind, "--gamma": gamma}, "is for findings, and this file contains none")
        report = benchmarks.agreement(
            ratings,
            own=own,
            aspect=aspect,
            merged=scales.merged(merge),
            scale=scales.scale(scale),
            virtual=virtual_raters,
            **draws,
        )
    tables = [report.table()] if form is Format.csv else report.tables()
    emit(tables, {"file": ratings.name, **report.to_dict()}, form)
