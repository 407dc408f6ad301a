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
    compare: own.CompareMetrics = False,
    seed: options.Seed = options.DEFAULT_SEED,
    jobs: options.Jobs = 1,
    form: options.OutputFormat = Format.table,
) -> None:
    """Measure how far metrics follow human judgments, under a benchmark's named protocol.

    Example: captious meta flickr8k-expert --data DIR --metrics bleu4,cider
    """
    from captious.benchmarks.given import Given
    from captious.benchmarks.result import Settings
    from captious.cli import meta_tables
    from captious.cli.output import emit, note, progress_bar

    settings = Settings(
        coefficients=tuple(meta_tables.words(coefficient)) or None,
        level=level or None,
        interval=interval,  # type: ignore[arg-type]
        resamples=resamples,
        confidence=confidence,
        seed=seed,
        compare=compare,
    )
    choices = {"human": human, "leaked": leaked, "subset": subset}
    given = Given(objects, images, reference_count)
    with progress_bar() as progress:
        loaded, found = meta_tables.load(
            benchmark, data, metrics, scores, choices, given, jobs=jobs, progress=progress
        )
        results = meta_tables.evaluate_aspects(loaded, found, meta_tables.words(aspect), settings)
    for line in loaded.notes:
        note(line)
    emit(meta_tables.tables(results, form), meta_tables.payload(results), form)
