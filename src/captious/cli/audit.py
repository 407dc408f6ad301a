"""`captious judgments audit`: what an error audit found, and how much of HUMANr it explains."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from captious.cli import options
from captious.cli.output import Format


def audit(
    judgments: Annotated[
        Path,
        typer.Argument(
            metavar="JUDGMENTS",
            help="File of judgments of an error audit, as a campaign exports it: rows of image, system, "
            "rater, aspect (one of the seven questions) and rating (1 error, 0 none).",
            show_default=False,
        ),
    ],
    against: Annotated[
        str, typer.Option("--against", metavar="SOURCE", help="Source to compare all others with.")
    ] = "human",
    preferences: Annotated[
        Path | None,
        typer.Option(
            "--preferences",
            metavar="FILE",
            help="File of HUMANr judgments (aspect preference) of the same images.",
        ),
    ] = None,
    resamples: options.Resamples = options.DEFAULT_RESAMPLES,
    trials: Annotated[
        int,
        typer.Option(
            "--trials", metavar="N", min=1, max=options.MOST_DRAWS, help="Trials of the randomisation test."
        ),
    ] = options.DEFAULT_TRIALS,
    level: options.Level = options.DEFAULT_LEVEL,
    seed: options.Seed = options.DEFAULT_SEED,
    form: options.OutputFormat = Format.table,
) -> None:
    """Report error rates by source and question.

    With --preferences, also the share of HUMANr that errors explain.

    Example: captious judgments audit audit.jsonl --preferences humanr.jsonl
    """
    from captious.cli.audited import audited, payload, tables
    from captious.cli.output import emit

    found = audited(
        judgments, preferences, against, resamples=resamples, trials=trials, level=level, seed=seed
    )
    emit(tables(found, form), payload(found), form)
