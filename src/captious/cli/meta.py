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
    subset: own.Subset = None,
    objects: own.Objects = None,
    images: own.Images = None,
    reference_count: own.ReferenceCount = None,
    where: own.Where = None,
    by: own.By = "",
    compare: own.CompareMetrics = False,
    seed: options.Seed = options.DEFAULT_SEED,
    jobs: options.Jobs = 1,
    download: options.Download = False,
    form: options.OutputFormat = Format.table,
) -> None:
    """Measure how far metrics follow human judgments, under a benchmark's named protocol.

    Example: captious meta flickr8k-expert --data DIR --metrics bleu4,cider
    """
    from captious.benchmarks.extra_inputs import ExtraInputs
    from captious.benchmarks.meta_evaluation import (
        benchmark_scores,
        evaluate_aspects,
        evaluate_parts,
        payload,
    )
    from captious.benchmarks.protocol import Preferences
    from captious.benchmarks.registry import load_benchmark
    from captious.benchmarks.result import MetaSettings
    from captious.cli import inputs, meta_tables
    from captious.cli.output import emit, note, progress_bar
    from captious.groups import expand

    settings = MetaSettings(
        coefficients=tuple(meta_tables.words(coefficient)) or None,
        level=level or None,
        interval=interval,  # type: ignore[arg-type]
        resamples=resamples,
        confidence=confidence,
        seed=seed,
        compare=compare,
    )
    choices = {"human": human, "leaked": leaked, "subset": subset}
    given = ExtraInputs(objects, images, reference_count)
    with progress_bar() as progress:
        loaded = load_benchmark(benchmark, data, given, where=where or (), by=by, **choices)
        corpus = loaded.corpora[0] if isinstance(loaded, Preferences) else loaded.corpus
        # With a file of scores a name may be a column of it, and none means all its columns.
        wanted = expand(metrics, corpus).metrics if scores else inputs.metrics(metrics, corpus=corpus)
        names = [str(name) for name in wanted]
        found = benchmark_scores(loaded, names, scores, jobs=jobs, progress=progress)
        aspects = meta_tables.words(aspect)
        results = evaluate_aspects(loaded, found, aspects, settings)
        parts = evaluate_parts(loaded, found, by, aspects, settings) if by else {}
    for line in loaded.notes:
        note(line)
    tables = [*meta_tables.tables(results, form), *meta_tables.by_value(by, parts)]
    emit(tables, payload(results, parts), form)
