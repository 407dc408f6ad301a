"""Metrics against ratings: the coefficients of a benchmark's protocol, with intervals and tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any, NamedTuple, cast, get_args

import numpy as np

from captious.benchmarks.meta_evaluation.result import (
    Difference,
    IntervalBy,
    MetaResult,
    MetaSettings,
    Value,
    described,
)
from captious.benchmarks.protocol import Protocol, RatedExamples
from captious.benchmarks.scores import BenchmarkScores
from captious.corpus.columns import FloatArray
from captious.errors import InputError, StatisticsError, UnknownNameError
from captious.stats.correlation import METHODS, Correlation, Level, Method, correlate
from captious.stats.intervals import analytic_interval, resampled_correlations
from captious.stats.metric_difference import williams_test
from captious.stats.resample import Interval
from captious.stats.significance import Resampled


class _Columns(NamedTuple):
    """Rows of a correlation: scores by metric, human values, groups of the level, clusters."""

    scores: FloatArray
    human: FloatArray
    groups: list[str] | None
    clusters: Sequence[Any] | None


def correlations(data: RatedExamples, scores: BenchmarkScores, settings: MetaSettings) -> MetaResult:
    """Correlate every metric with the ratings, as protocol and settings say."""
    if not scores.arrays:
        raise InputError(f"{', '.join(scores.findings)}: gives findings, but no scores to correlate.")
    protocol = _as_asked(data.protocol, settings)
    columns = _columns(data, scores, protocol, settings.interval)
    results: dict[str, dict[str, Value]] = {name: {} for name in scores.arrays}
    differences: list[Difference] = []
    for method in cast("tuple[Method, ...]", protocol.coefficients):
        points, found = resampled_correlations(
            columns.scores,
            columns.human,
            method=method,
            level=_level(protocol),
            groups=columns.groups,
            clusters=columns.clusters,
            resamples=0 if settings.interval == "analytic" else settings.resamples,
            seed=settings.seed,
        )
        for place, (name, point) in enumerate(zip(results, points, strict=True)):
            low, high = _ends(point, method, settings, found.interval(place, protocol.confidence))
            results[name][method] = Value(point.value, low, high, point.n, point.reason)
        if settings.compare:
            differences += _differences(list(results), method, columns, found, protocol)
    return MetaResult(
        benchmark=protocol.name,
        protocol=described(protocol, settings),
        n=len(columns.human),
        results=results,
        signatures=scores.signatures,
        notes=data.notes,
        differences=differences,
    )


def _as_asked(protocol: Protocol, settings: MetaSettings) -> Protocol:
    if protocol.task == "spans":  # the scores that follow from findings are ratings like others
        protocol = replace(protocol, task="correlation", coefficients=Protocol("").coefficients)
    methods = settings.coefficients or protocol.coefficients
    unknown = next((name for name in methods if name not in METHODS), None)
    if unknown is not None:
        raise UnknownNameError("coefficient", unknown, METHODS)
    level = settings.level or protocol.level
    if level not in get_args(Level):
        raise UnknownNameError("level", level, get_args(Level))
    if settings.interval == "analytic" and level == "image":
        raise InputError('--interval "analytic": not available at level image. Use cluster.')
    return replace(
        protocol,
        coefficients=methods,
        level=level,
        aspect=settings.aspect or protocol.aspect,
        confidence=settings.confidence or protocol.confidence,
    )


def _level(protocol: Protocol) -> Level:
    level: Level = protocol.level  # type: ignore[assignment]
    return level


def _columns(
    data: RatedExamples, scores: BenchmarkScores, protocol: Protocol, interval: IntervalBy
) -> _Columns:
    examples, human = data.rows(protocol.aspect)
    if len(human) < 2:
        raise InputError(
            f'{protocol.name}: aspect "{protocol.aspect}" has {len(human)} judgments. '
            "A correlation needs at least two."
        )
    corpus = data.corpus
    images = [corpus.image_ids[i] for i in corpus.image_of[examples].tolist()]
    systems = [corpus.systems[i] for i in corpus.system_of[examples].tolist()]
    if protocol.level == "system" and len(set(systems)) < 2:
        raise InputError(f'{protocol.name}: --level "system" needs several systems, but there is only one.')
    matrix = np.stack([rows.mean(axis=0)[examples] for rows in scores.arrays.values()])
    groups = {"item": None, "system": systems, "image": images}[protocol.level]
    # At the image level an image is what is averaged over, so it is what is drawn.
    whole = interval == "cluster" or protocol.level == "image"
    return _Columns(matrix, human, groups, images if whole else examples.tolist())


def _ends(point: Correlation, method: Method, settings: MetaSettings, drawn: Interval) -> tuple[float, float]:
    if settings.interval == "analytic":
        try:
            return analytic_interval(point.value, point.n, method, drawn.level)
        except StatisticsError:
            return float("nan"), float("nan")  # the weighted tau has none
    return drawn.low, drawn.high


def _differences(
    names: list[str], method: Method, columns: _Columns, found: Resampled, protocol: Protocol
) -> list[Difference]:
    differences = []
    for a, b in combinations(range(len(names)), 2):
        test = found.difference(a, b, protocol.confidence)
        p_williams = float("nan")
        if method == "pearson" and protocol.level == "item" and not np.isnan(test.difference):
            between = correlate(columns.scores[a], columns.scores[b], method="pearson").value
            p_williams = williams_test(test.score_a, test.score_b, between, len(columns.human)).p_two_sided
        differences.append(
            Difference(
                names[a], names[b], method, test.difference, test.low, test.high, test.p_value, p_williams
            )
        )
    return differences
