"""`captious meta`: how far metrics follow human judgments."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from captious.cli import options
from captious.cli.benchmark_options import Data
from captious.cli.output import Format


def meta(
    benchmark: Annotated[
        str,
        typer.Argument(help="A benchmark's name (flickr8k-expert, flickr8k-cf, composite, "
                       "pascal-50s, thumb, nebula, capeval1k, vicr) or a file of judgments.",
                       show_default=False),
    ],
    data: Data = None,
    metrics: options.Metrics = "",
    scores: Annotated[
        Path | None,
        typer.Option("--scores", help="Scores computed elsewhere, long (system,id,metric,score) or "
                     "wide: CSV, TSV, JSONL, Parquet, also .gz."),
    ] = None,
    aspect: Annotated[
        str, typer.Option("--aspect", help="Aspects, separated by commas; else the protocol's.")
    ] = "",
    coefficient: Annotated[
        str,
        typer.Option("--coefficient", help="kendall_c, kendall_b, pearson, spearman, "
                     "kendall_weighted, separated by commas; else the protocol's."),
    ] = "",
    level: Annotated[
        str, typer.Option("--level", help="Correlate over: item, system or image.")
    ] = "",
    interval: Annotated[
        str,
        typer.Option("--interval", help="Draw whole images (cluster), captions (item), or no draw "
                     "(analytic)."),
    ] = "cluster",
    resamples: options.Resamples = options.DEFAULT_RESAMPLES,
    confidence: Annotated[
        float | None,
        typer.Option("--confidence", min=0.5, max=0.9999, help="Else the protocol's."),
    ] = None,
    human: Annotated[
        str | None, typer.Option("--human", help="thumb: with or without the Human captions.")
    ] = None,
    leaked: Annotated[
        str | None,
        typer.Option("--leaked", help="thumb: keep or drop references that are Human captions."),
    ] = None,
    subset: Annotated[str | None, typer.Option("--subset", help="composite: one subset.")] = None,
    compare: Annotated[
        bool, typer.Option("--compare", help="Also test the difference of every two metrics.")
    ] = False,
    seed: options.Seed = options.DEFAULT_SEED,
    jobs: options.Jobs = 1,
    form: options.OutputFormat = Format.table,
) -> None:  # fmt: skip
    """Measure how far metrics follow human judgments, under a benchmark's named protocol.

    Example: captious meta flickr8k-expert --data DIR --metrics bleu4,cider
    """
    from captious.benchmarks.result import Settings
    from captious.cli import meta_tables
    from captious.cli.output import emit, note, progress_bar

    choices = {"human": human, "leaked": leaked, "subset": subset}
    with progress_bar() as progress:
        loaded, found = meta_tables.load(
            benchmark, data, metrics, scores, choices, jobs=jobs, progress=progress
        )
        results = meta_tables.evaluate_aspects(
            loaded,
            found,
            [name.strip() for name in aspect.split(",") if name.strip()],
            Settings(
                coefficients=tuple(c.strip() for c in coefficient.split(",") if c.strip()) or None,
                level=level or None,
                interval=interval,  # type: ignore[arg-type]
                resamples=resamples,
                confidence=confidence,
                seed=seed,
                compare=compare,
            ),
        )
    for line in loaded.notes:
        note(line)
    emit(meta_tables.tables(results, form), meta_tables.payload(results), form)
