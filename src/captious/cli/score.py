"""`captious score`: every metric for one or several systems, with intervals."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from captious.cli import options, remote
from captious.cli.output import Format


def score(
    candidates: options.Candidates,
    references: options.OptionalReferences = None,
    name: options.Names = None,
    metrics: options.Metrics = "",
    images: options.Images = None,
    objects: options.Objects = None,
    df: options.DocumentFrequencies = None,
    long: options.Long = None,
    system_encoder: options.SystemEncoders = None,
    download: options.Download = False,
    items: Annotated[
        Path | None, typer.Option("--items", help="Write per-example scores here: .csv, .jsonl or .parquet.")
    ] = None,
    common: options.Common = False,
    duplicates: options.Duplicates = "error",
    resamples: options.Resamples = options.DEFAULT_RESAMPLES,
    level: options.Level = options.DEFAULT_LEVEL,
    seed: options.Seed = options.DEFAULT_SEED,
    jobs: options.Jobs = 1,
    csv_safe: options.CsvSafe = False,
    form: options.OutputFormat = Format.table,
    server: remote.Server = "",
    token_file: remote.TokenFile = None,
) -> None:
    """Score captions with automatic metrics.

    Example: captious score --candidates m2.json --references captions.json --metrics bleu4,cider
    """
    from captious import scoring
    from captious.cli import inputs
    from captious.cli.output import emit, note, progress_bar
    from captious.corpus import score_tables

    if items:
        from captious.corpus.write import check_item_path

        check_item_path(items, [*candidates, *(references or [])])
    if not server:
        inputs.refuse_unknown(metrics)
    corpus = inputs.load(candidates, references, name, images, objects, common, duplicates)
    corpus = inputs.with_encoders(corpus, system_encoder or [])
    draws = {"resamples": resamples, "level": level, "seed": seed}
    if server:
        chosen = {"df": str(df) if df else None, "long": long}
        scores = remote.score_at(server, token_file, corpus, metrics, chosen, **draws)  # type: ignore[arg-type]
    else:
        wanted = inputs.metrics(metrics, df, corpus, long)
        with progress_bar() as progress:
            scores = scoring.score(corpus, wanted, **draws, jobs=jobs, progress=progress)  # type: ignore[arg-type]
    for line in score_tables.unscored_lines(scores):
        note(line)
    table = score_tables.score_rows(scores) if form is Format.csv else scores.table()
    emit(table, scores.to_dict(), form, csv_safe=csv_safe)
    if items:  # after the table, which a full disk must not take away
        from captious.corpus.write import write_items

        write_items(scores, items, csv_safe=csv_safe)
        note(f"wrote {len(corpus):,} rows to {items}")
