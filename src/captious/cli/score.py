"""`captious score`: every metric for one or several systems, with intervals."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from captious.cli import options, remote, shards
from captious.cli.output import Format

if TYPE_CHECKING:
    from captious.corpus import Scores
    from captious.metrics import Asked
    from captious.tables import Table


def score(
    candidates: options.CandidatePlaces,
    references: options.ReferencePlaces = None,
    name: options.Names = None,
    metrics: options.Metrics = "",
    images: options.Images = None,
    objects: options.Objects = None,
    df: options.DocumentFrequencies = None,
    long: options.Long = None,
    any_language: options.AnyLanguage = False,
    system_encoder: options.SystemEncoders = None,
    download: options.Download = False,
    items: Annotated[
        Path | None,
        typer.Option(
            "--items", metavar="FILE", help="Write per-caption scores to a .csv, .jsonl or .parquet file."
        ),
    ] = None,
    findings: Annotated[
        Path | None,
        typer.Option(
            "--findings",
            metavar="FILE",
            help="Write what is wrong in each caption, and where, to a .csv, .jsonl or .parquet file.",
        ),
    ] = None,
    baseline: options.Baseline = "",
    spread: options.Beside = options.Spread.interval,
    cite: options.Cite = False,
    fail_under: options.FailUnder = None,
    worst: Annotated[
        int,
        typer.Option(
            "--worst", metavar="N", min=0, help="Also list the N captions with the lowest scores, and why."
        ),
    ] = 0,
    common: options.Common = False,
    duplicates: options.Duplicates = "error",
    columns: options.Columns = "",
    resamples: options.Resamples = options.DEFAULT_RESAMPLES,
    level: options.Level = options.DEFAULT_LEVEL,
    seed: options.Seed = options.DEFAULT_SEED,
    jobs: options.Jobs = 1,
    out: shards.Out = "",
    overwrite: shards.Overwrite = False,
    engine: shards.Engine = shards.EngineChoice.local,
    address: shards.Address = "",
    block: shards.BlockRows = shards.DEFAULT_BLOCK,
    dry_run: shards.DryRun = False,
    csv_safe: options.CsvSafe = False,
    form: options.OutputFormat = Format.table,
    server: remote.Server = "",
    token_file: remote.TokenFile = None,
) -> None:
    """Score captions with automatic metrics. Use --out for large, sharded data sets.

    Example: captious score --candidates m2.json --references captions.json --metrics bleu4,cider
    """
    from captious import scoring
    from captious.cli import inputs
    from captious.cli.output import note, progress_bar
    from captious.corpus import score_tables

    remote.refuse_without_server(server, token_file)
    least = inputs.limits(fail_under or [])
    named = [] if server else inputs.known(metrics)
    if shards.is_sharded(candidates, out, engine, dry_run):
        alone = {
            "--images": images,
            "--objects": objects,
            "--items": items,
            "--findings": findings,
            "--common": common,
            "--server": server,
            "--system-encoder": system_encoder,
            "--baseline": baseline,
            "--cite": cite,
            "--fail-under": fail_under,
            "--worst": worst,
        }
        corpus_of_shards = shards.opened(candidates, references, name, duplicates, block, alone)
        wanted = inputs.metrics(named, df, corpus_of_shards.sample(100), long, any_language)
        if dry_run:
            shards.dry_run(corpus_of_shards, wanted, resamples, jobs, form)
            return
        every = {"resamples": resamples, "level": level, "seed": seed, "jobs": jobs, "overwrite": overwrite}
        shards.score(corpus_of_shards, wanted, out, engine, address, form, csv_safe, **every)
        return
    shards.refuse_without_shards(overwrite, address, block)
    for path in filter(None, (items, findings)):
        from captious.corpus.write import check_item_path

        check_item_path(path, [*map(Path, candidates), *map(Path, references or [])])
    corpus = inputs.load(candidates, references, name, images, objects, common, duplicates, columns)
    corpus = inputs.with_encoders(corpus, system_encoder or [])
    draws: dict[str, Any] = {"resamples": resamples, "level": level, "seed": seed}
    if server:
        chosen = {
            "df": str(df) if df else None,
            "long": long,
            "any_language": "yes" if any_language else None,
        }
        scores = remote.score_at(
            server, token_file, corpus, metrics, chosen, **draws, findings=findings is not None
        )
    else:
        wanted = inputs.metrics(named, df, corpus, long, any_language)
        with progress_bar() as progress:
            scores = scoring.score(
                corpus,
                wanted,
                **draws,
                jobs=jobs,
                progress=progress,
                findings=_asked(findings, wanted, worst),
            )
    for line in score_tables.unscored_lines(scores):
        note(line)
    if baseline:
        beside: Any = spread.value if resamples else "none"
        paper = scores.paper(baseline, spread=beside, **draws | {"resamples": max(1, resamples)})
        _print(scores, paper.table(), paper.to_dict(), worst, cite, form, csv_safe)
    else:
        turn = form in (Format.table, Format.markdown)
        table = score_tables.score_table(scores, level, turn=turn, spread=spread.value)
        _print(scores, table, scores.to_dict(), worst, cite, form, csv_safe)
    _write(scores, items, findings, csv_safe)  # after the table, which a full disk must not take away
    if failed := inputs.below(scores, least):
        for line in failed:
            note(line)
        raise typer.Exit(1)


def _print(
    scores: Scores,
    table: Table,
    payload: dict[str, Any],
    worst: int,
    cite: bool,
    form: Format,
    csv_safe: bool,
) -> None:
    from captious.cli.output import emit, print_cited
    from captious.corpus import score_tables

    tables = [score_tables.score_rows(scores, payload) if form is Format.csv else table]
    if worst:
        lowest = score_tables.worst_table(scores, worst)
        payload |= {"worst": lowest.to_records()}
        tables = [lowest] if form is Format.csv else [*tables, lowest]
    if cite and form is Format.json:
        payload |= {"bibtex": scores.to_bibtex()}
    emit(tables, payload, form, csv_safe=csv_safe)
    print_cited(scores, cite, form)


def _write(scores: Scores, items: Path | None, findings: Path | None, csv_safe: bool) -> None:
    from captious.cli.output import note

    if items:
        from captious.corpus.write import write_items

        write_items(scores, items, csv_safe=csv_safe)
        note(f"wrote {len(scores.corpus):,} rows to {items}")
    if findings:
        scores.findings.write(findings)
        note(f"wrote {len(scores.findings):,} findings to {findings}")


def _asked(findings: Path | None, wanted: list[Asked], worst: int) -> bool:
    """Whether findings are wanted: for a file, or as reasons, where a metric gives any."""
    from captious.metrics import resolve

    return findings is not None or (worst > 0 and any(resolve(one).gives_findings for one in wanted))
