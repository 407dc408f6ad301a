"""`captious compare`: does one system beat another?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from captious.cli import options
from captious.cli.output import Format

if TYPE_CHECKING:
    from captious.comparison import Comparison


def compare(
    candidates: options.OptionalCandidates = None,
    references: options.OptionalReferences = None,
    name: options.Names = None,
    metrics: options.Metrics = "",
    images: options.Images = None,
    objects: options.Objects = None,
    df: options.DocumentFrequencies = None,
    long: options.Long = None,
    any_language: options.AnyLanguage = False,
    system_encoder: options.SystemEncoders = None,
    download: options.Download = False,
    common: options.Common = False,
    duplicates: options.Duplicates = "error",
    columns: options.Columns = "",
    resamples: Annotated[
        int | None,
        typer.Option(
            "--resamples",
            metavar="N",
            min=1,
            max=options.MOST_DRAWS,
            help="Bootstrap resamples. With --scores: at most those drawn when scoring.",
            show_default=str(options.DEFAULT_RESAMPLES),
        ),
    ] = None,
    trials: Annotated[
        int,
        typer.Option(
            "--trials",
            metavar="N",
            min=1,
            max=options.MOST_DRAWS,
            help="Trials of approximate randomisation.",
        ),
    ] = options.DEFAULT_TRIALS,
    level: options.Level = options.DEFAULT_LEVEL,
    seed: options.Seed = options.DEFAULT_SEED,
    jobs: options.Jobs = 1,
    baseline: options.Baseline = "",
    spread: options.Beside = options.Spread.interval,
    cite: options.Cite = False,
    scores: options.ShardedScores = "",
    form: options.OutputFormat = Format.table,
) -> None:
    """Test which system is better.

    Prints differences with intervals, two significance tests and clusters of equal systems.

    Example: captious compare --candidates a.json b.json --references refs.json --metrics cider
    """
    from captious import comparison
    from captious.cli import inputs
    from captious.cli.output import note, progress_bar
    from captious.corpus import score_tables
    from captious.errors import InputError

    if scores:
        from captious.engine.shards.compare import compare_shards

        inputs.refuse_beside_scores(
            candidates=candidates,
            references=references,
            name=name,
            images=images,
            objects=objects,
            df=df,
            long=long,
            system_encoder=system_encoder,
            common=common,
        )
        named = inputs.words(metrics) or None
        sharded, said = compare_shards(
            scores, metrics=named, resamples=resamples, trials=trials, level=level, seed=seed
        )
        if said:
            note(said)
        _print(sharded, baseline, spread, cite, form)
        return
    if not candidates:
        raise InputError("there is nothing to compare. Give --candidates or --scores.")
    asked = inputs.known(metrics)
    corpus = inputs.load(candidates, references, name, images, objects, common, duplicates, columns)
    corpus = inputs.with_encoders(corpus, system_encoder or [])
    wanted = inputs.metrics(asked, df, corpus, long, any_language)
    with progress_bar() as progress:
        found = comparison.compare(
            corpus,
            wanted,
            resamples=resamples or options.DEFAULT_RESAMPLES,
            trials=trials,
            level=level,
            seed=seed,
            jobs=jobs,
            progress=progress,
        )
    for line in score_tables.unscored_lines(found.scores):
        note(line)
    _print(found, baseline, spread, cite, form)


def _print(found: Comparison, baseline: str, spread: options.Spread, cite: bool, form: Format) -> None:
    """A ranking and the pairs of each metric; for a paper, one table of each and what it needs beside it."""
    from captious.cli.output import emit, print_cited
    from captious.corpus.score_tables import compare_rows, compare_tables, paper_tables

    payload = found.to_dict()
    if baseline:
        payload |= {"paper": found.paper(baseline, spread=spread.value).to_dict()}
    if cite and form is Format.json:
        payload |= {"bibtex": found.scores.to_bibtex()}
    if form is Format.csv:
        emit(compare_rows(found), payload, form)
    elif form is Format.table and not baseline:
        emit(compare_tables(found), payload, form)
    else:
        emit(paper_tables(found, baseline, spread.value), payload, form)
    print_cited(found.scores, cite, form)
