"""`captious demo`: everything at once on a small bundled sample."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from captious.cli import options
from captious.cli.output import Format


def demo(
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for the report.")] = Path(
        "demo-report"
    ),
    form: options.OutputFormat = Format.table,
) -> None:
    """Score the bundled sample with every metric that runs here, and write a report.

    Example: captious demo --out demo-report
    """
    from captious import scoring
    from captious.cli import tables
    from captious.cli.output import emit, progress_bar
    from captious.corpus.load import load_corpus
    from captious.data import demo_files

    files = demo_files()
    corpus = load_corpus(
        files.systems, [files.references], images=files.images, objects=files.objects
    )
    names = scoring.available_metrics(frozenset({"references", "objects", "image"}))
    with progress_bar() as progress:
        scores = scoring.score(
            corpus, names, resamples=options.DEFAULT_RESAMPLES, progress=progress
        )
    emit(tables.score_table(scores, options.DEFAULT_LEVEL), scores.to_dict(), form)
