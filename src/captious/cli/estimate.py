"""`captious estimate`: human means from few ratings, with a metric beside them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from captious.cli import benchmark_options as own
from captious.cli import options
from captious.cli.output import Format


def estimate(
    ratings: Annotated[
        Path,
        typer.Argument(
            metavar="RATINGS",
            help="File of judgments of some of the captions, a random sample of each system's.",
            show_default=False,
        ),
    ],
    candidates: options.OptionalCandidates = None,
    references: options.OptionalReferences = None,
    name: options.Names = None,
    metrics: options.Metrics = "",
    scores: own.ScoresFile = None,
    images: options.Images = None,
    objects: options.Objects = None,
    aspect: Annotated[
        str | None, typer.Option("--aspect", metavar="NAME", help="Aspect to use, if there are several.")
    ] = None,
    unseen: own.Unseen = False,
    level: options.Level = options.DEFAULT_LEVEL,
    seed: options.Seed = options.DEFAULT_SEED,
    jobs: options.Jobs = 1,
    download: options.Download = False,
    form: options.OutputFormat = Format.table,
) -> None:
    """Estimate human means from few ratings.

    A metric's scores of all captions narrow the intervals where it agrees with people; the output says
    where it does not (prediction-powered inference, PPI++).

    Example: captious estimate ratings.csv --candidates a.json --references refs.json --metrics captious
    """
    from captious import benchmarks, corpus
    from captious.cli.inputs import asked, known, load
    from captious.cli.output import emit, note, progress_bar

    captions: corpus.Corpus | None = None
    if candidates:
        captions = load(candidates, references, name, images, objects)
    with progress_bar() as progress:
        found = benchmarks.estimate(
            ratings,
            captions,
            (asked(metrics) if scores else known(metrics)) or None,
            scores=scores,
            aspect=aspect,
            unseen=unseen,
            level=level,
            seed=seed,
            jobs=jobs,
            progress=progress,
        )
    tables = found.tables()
    for line in tables[0].notes if form is Format.csv else ():
        note(line)
    emit(tables[:1] if form is Format.csv else tables, found.to_dict(), form)
