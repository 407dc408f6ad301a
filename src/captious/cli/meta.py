"""`captious meta`: how far metrics follow human judgments."""

from __future__ import annotations

from captious.cli import benchmark_options as own
from captious.cli import options
from captious.cli.output import Format


def meta(
    benchmark: own.Benchmark,
    data: own.Data = None,
    metrics: options.Metrics = "",
    scores: own.ScoresFile = None,
    aspect: own.Aspects = "",
    coefficient: own.Coefficients = "",
    level: own.CorrelationLevel = "",
    interval: own.IntervalKind = "cluster",
    resamples: options.Resamples = options.DEFAULT_RESAMPLES,
    confidence: own.Confidence = None,
    human: own.Human = None,
    leaked: own.Leaked = None,
    release: own.Release = None,
    subset: own.Subset = None,
    objects: own.Objects = None,
    images: own.Images = None,
    reference_count: own.ReferenceCount = None,
    where: own.Where = None,
    by: own.By = "",
    unseen: own.Unseen = False,
    compare: own.CompareMetrics = False,
    published: own.Published = False,
    figure: own.Figure = None,
    seed: options.Seed = options.DEFAULT_SEED,
    jobs: options.Jobs = 1,
    download: options.Download = False,
    form: options.OutputFormat = Format.table,
) -> None:
    """Measure how well metrics agree with human judgments.

    The judgments are those of a benchmark or your own.

    Example: captious meta flickr8k-expert --data DIR --metrics bleu4,cider
    """
    from captious import benchmarks
    from captious.benchmarks.meta_evaluation.result import MetaSettings
    from captious.charts.render import check_figure
    from captious.cli.inputs import asked, known, words
    from captious.cli.output import emit, note, progress_bar

    named = asked(metrics) if scores else known(metrics)  # a name may be a column of the file of scores
    settings = MetaSettings(
        coefficients=tuple(words(coefficient)) or None,
        level=level or None,
        interval=interval,  # type: ignore[arg-type]
        resamples=resamples,
        confidence=confidence,
        seed=seed,
        compare=compare,
    )
    if figure:
        check_figure(figure)
    with progress_bar() as progress:
        found = benchmarks.meta(
            benchmark,
            named,
            data=data,
            scores=scores,
            aspects=words(aspect),
            settings=settings,
            objects=objects,
            images=images,
            reference_count=reference_count,
            where=where or (),
            by=by,
            unseen=unseen,
            jobs=jobs,
            progress=progress,
            human=human,
            leaked=leaked,
            release=release,
            subset=subset,
        )
    for line in found.notes:
        note(line)
    if published or figure:
        table = found.published()
        if figure:
            found.figure(figure)
            note(f"wrote {figure}")
        emit(table, found.to_dict() | {"published": table.to_records()}, form)
        return
    shown = {Format.csv: lambda: [found.long_table()], Format.latex: found.latex_tables}
    emit(shown.get(form, found.tables)(), found.to_dict(), form)
