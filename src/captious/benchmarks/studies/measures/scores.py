"""Metrics: their averages by system, and their correlation with judgments."""

from __future__ import annotations

import numpy as np

from captious.benchmarks.meta_evaluation.evaluate import evaluate
from captious.benchmarks.meta_evaluation.result import MetaSettings
from captious.benchmarks.meta_evaluation.score_files import read_scores
from captious.benchmarks.protocol import RatedExamples
from captious.benchmarks.scores import BenchmarkScores
from captious.benchmarks.studies.asked import Asked, Cells, Measured, measure
from captious.benchmarks.studies.measures.judgments import DRAWS, aspects_of
from captious.corpus import Corpus
from captious.corpus.load import load_corpus
from captious.engine import run_metrics
from captious.metrics import Metric, resolve

SEEDS = (1, 2, 3)


@measure("score")
def score(asked: Asked, human: str = "") -> Cells:
    """The mean of a metric over the captions of each system."""
    if not any(list(map(asked.is_ready, asked.table.columns))):
        # What lacks is told with the photographs that do.
        asked.examples(human)
        return {}
    data = asked.examples(human)
    one = not asked.is_own and len(asked.table.rows) == len(data.corpus.systems) == 1
    names = {system: asked.table.rows[0] if one else system for system in data.corpus.systems}
    return {
        (names[system], name): Measured(float(array[0, data.corpus.rows_of(system)].mean()))
        for name, array in asked.scores(data, asked.table.columns).items()
        for system in data.corpus.systems
    }


@measure("corpus score")
def corpus_score(asked: Asked) -> Cells:
    """The score of a metric over the whole corpus of each system."""
    if asked.is_own:
        corpus = asked.examples().corpus
        systems = {name: corpus.select(corpus.rows_of(name)) for name in corpus.systems}
    else:
        captions = asked.path(asked.data.captions)
        systems = {asked.table.rows[0]: load_corpus(captions, asked.path(asked.data.references))}
    return {
        (system, name): Measured(value)
        for system, corpus in systems.items()
        for name, value in corpus_scores(asked, corpus).items()
    }


def corpus_scores(asked: Asked, corpus: Corpus) -> dict[str, float]:
    """The corpus score of the table's metrics that can be computed."""
    metrics: dict[str, Metric] = {
        name: resolve(asked.spec(name)) for name in asked.table.columns if asked.is_ready(name)
    }
    runs = run_metrics(corpus, list(metrics.values()), progress=asked.room.progress)
    return {
        name: float(metric.corpus_score(run.statistics.sum(axis=0)))
        for (name, metric), run in zip(metrics.items(), runs, strict=True)
    }


@measure("correlation")
def correlation(
    asked: Asked,
    coefficient: str = "pearson",
    human: str = "",
    references: int = 0,
    subset: str = "",
    metrics_in: str = "rows",
) -> Cells:
    """The correlation of each metric with each aspect, over captions; metrics are in rows or in columns."""
    across = metrics_in == "columns"
    wanted, aspects = (
        (asked.table.columns, asked.table.rows) if across else (asked.table.rows, asked.table.columns)
    )
    # Before the data, so that weights and photographs that are missing are told together.
    names = [name for name in wanted if asked.data.scores or asked.is_ready(name)]
    data = asked.examples(human, references, subset)
    if asked.data.scores:
        scores = read_scores(asked.golden(asked.data.scores), data, list(map(asked.spec, names)))
        arrays = {name: scores.arrays[asked.spec(name)] for name in names}
    else:
        arrays = asked.scores(data, names)
    found: Cells = {}
    for aspect in aspects_of(asked, data, aspects):
        for name, value in _coefficients(data, arrays, aspect, coefficient).items():
            found[(aspect, name) if across else (name, aspect)] = Measured(value)
    return found


def _coefficients(
    data: RatedExamples, arrays: dict[str, np.ndarray], aspect: str, coefficient: str
) -> dict[str, float]:
    if not arrays:
        return {}
    settings = MetaSettings(aspect=aspect, coefficients=(coefficient,), resamples=0)
    results = evaluate(data, BenchmarkScores(arrays, {}), settings).results
    return {name: found[coefficient].value for name, found in results.items()}


@measure("correlation interval")
def correlation_interval(
    asked: Asked, coefficient: str = "pearson", aspect: str = "total", human: str = ""
) -> Cells:
    """How far the ends of the correlation's interval are; whole images are drawn, with several seeds."""
    data = asked.examples(human)
    arrays = asked.scores(data, asked.table.rows)
    if not arrays:
        return {}
    aspect = aspect if aspect in data.judgments.aspects else data.protocol.aspect
    ways: dict[tuple[str, str], list[float]] = {}
    for seed in SEEDS:
        settings = MetaSettings(aspect=aspect, coefficients=(coefficient,), resamples=DRAWS, seed=seed)
        for name, found in evaluate(data, BenchmarkScores(arrays, {}), settings).results.items():
            value = found[coefficient]
            # From the value itself, and from the value as it is printed.
            for centre in (value.value, round(value.value, 2)):
                ways.setdefault((name, "below"), []).append(centre - value.low)
                ways.setdefault((name, "above"), []).append(value.high - centre)
    reason = f"by the seed of {DRAWS:,} draws and whether the value is rounded first"
    return {cell: Measured(own[0], min(own), max(own), reason) for cell, own in ways.items()}
