"""How far metrics follow humans: correlations or accuracies under a benchmark's protocol."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any, NamedTuple, cast, get_args

import numpy as np

from captious.benchmarks.preference import accuracies
from captious.benchmarks.protocol import Judged, Preferences, Protocol
from captious.benchmarks.result import (
    INTERVALS,
    Difference,
    IntervalBy,
    MetaResult,
    Settings,
    Value,
    described,
)
from captious.benchmarks.scores import BenchmarkScores
from captious.corpus.columns import FloatArray
from captious.errors import InputError, StatisticsError, UnknownNameError
from captious.stats.correlation import METHODS, Level, Method, correlate
from captious.stats.intervals import analytic_interval, bootstrap_correlations
from captious.stats.metric_difference import williams_test
from captious.stats.resample import percentile_interval
from captious.stats.significance import centred_p_value


def evaluate(
    data: Judged | Preferences, scores: BenchmarkScores, settings: Settings | None = None
) -> MetaResult:
    """Judge every metric's scores by the benchmark's human judgments.

    >>> from captious.benchmarks.protocol import judged
    >>> from captious.corpus import Corpus
    >>> corpus = Corpus.from_lists(["a", "b", "c", "d"], [["a"]] * 4)
    >>> data = judged(Protocol("mine"), corpus, {"overall": [[1], [2], [3], [4]]}, list("abcd"))
    >>> mine = BenchmarkScores({"mine": np.array([[1.0, 3.0, 2.0, 4.0]])}, {"mine": "mine"})
    >>> found = evaluate(data, mine, Settings(coefficients=("pearson",), resamples=0))
    >>> round(found.results["mine"]["pearson"].value, 3)
    0.8
    """
    settings = settings or Settings()
    if not scores.arrays:
        raise InputError("no metric to judge. Name one with --metrics, or give --scores FILE.")
    if settings.interval not in INTERVALS:
        raise UnknownNameError("interval", settings.interval, INTERVALS)
    if isinstance(data, Preferences):
        return accuracies(data, scores, settings)
    return _correlations(data, scores, settings)


class _Columns(NamedTuple):
    """Rows of a correlation: scores by metric, human values, groups of the level, clusters."""

    scores: FloatArray
    human: FloatArray
    groups: list[str] | None
    clusters: Sequence[Any] | None


def _correlations(data: Judged, scores: BenchmarkScores, settings: Settings) -> MetaResult:
    protocol = _as_asked(data.protocol, settings)
    columns = _columns(data, scores, protocol, settings.interval)
    results: dict[str, dict[str, Value]] = {name: {} for name in scores.arrays}
    differences: list[Difference] = []
    for method in protocol.coefficients:
        points = [
            correlate(row, columns.human, method=method, level=_level(protocol), groups=columns.groups)
            for row in columns.scores
        ]
        draws = _draws(columns, method, protocol, settings)
        for place, (name, point) in enumerate(zip(results, points, strict=True)):
            low, high = _ends(
                point.value, point.n, method, protocol, settings, None if draws is None else draws[place]
            )
            results[name][method] = Value(point.value, low, high, point.n, point.reason)
        if settings.compare:
            values = [point.value for point in points]
            differences += _differences(list(results), values, method, columns, draws, protocol)
    return MetaResult(
        benchmark=protocol.name,
        protocol=described(protocol, settings),
        n=len(columns.human),
        results=results,
        signatures=scores.signatures,
        notes=data.notes,
        differences=differences,
    )


def _as_asked(protocol: Protocol, settings: Settings) -> Protocol:
    methods = settings.coefficients or protocol.coefficients
    unknown = next((name for name in methods if name not in METHODS), None)
    if unknown is not None:
        raise UnknownNameError("coefficient", unknown, METHODS)
    level = settings.level or protocol.level
    if level not in get_args(Level):
        raise UnknownNameError("level", level, get_args(Level))
    if settings.interval == "analytic" and level == "image":
        raise InputError("--interval analytic: there is none at level image. Use cluster.")
    return replace(
        protocol,
        coefficients=cast("tuple[Method, ...]", methods),
        level=level,
        aspect=settings.aspect or protocol.aspect,
        confidence=settings.confidence or protocol.confidence,
    )


def _level(protocol: Protocol) -> Level:
    level: Level = protocol.level  # type: ignore[assignment]
    return level


def _columns(data: Judged, scores: BenchmarkScores, protocol: Protocol, interval: IntervalBy) -> _Columns:
    examples, human = data.rows(protocol.aspect)
    if len(human) < 2:
        raise InputError(
            f'{protocol.name}: aspect "{protocol.aspect}" has {len(human)} judgments. '
            "A correlation needs two."
        )
    corpus = data.corpus
    images = [corpus.image_ids[i] for i in corpus.image_of[examples].tolist()]
    systems = [corpus.systems[i] for i in corpus.system_of[examples].tolist()]
    if protocol.level == "system" and len(set(systems)) < 2:
        raise InputError(f"{protocol.name}: --level system needs several systems; found one.")
    matrix = np.stack([rows.mean(axis=0)[examples] for rows in scores.arrays.values()])
    groups = {"item": None, "system": systems, "image": images}[protocol.level]
    # At the image level an image is what is averaged over, so it is what is drawn.
    whole = interval == "cluster" or protocol.level == "image"
    return _Columns(matrix, human, groups, images if whole else examples.tolist())


def _draws(columns: _Columns, method: Method, protocol: Protocol, settings: Settings) -> FloatArray | None:
    if settings.interval == "analytic" or settings.resamples == 0:
        return None
    return bootstrap_correlations(
        columns.scores,
        columns.human,
        method=method,
        level=_level(protocol),
        groups=columns.groups,
        clusters=columns.clusters,
        resamples=settings.resamples,
        seed=settings.seed,
    )


def _ends(
    value: float, n: int, method: Method, protocol: Protocol, settings: Settings, draws: FloatArray | None
) -> tuple[float, float]:
    if settings.interval == "analytic":
        try:
            return analytic_interval(value, n, method, protocol.confidence)
        except StatisticsError:
            return float("nan"), float("nan")  # the weighted tau has none
    if draws is None or np.isnan(value):
        return float("nan"), float("nan")
    interval = percentile_interval(draws, value, protocol.confidence)
    return interval.low, interval.high


def _differences(
    names: list[str],
    values: list[float],
    method: Method,
    columns: _Columns,
    draws: FloatArray | None,
    protocol: Protocol,
) -> list[Difference]:
    nan = float("nan")
    found = []
    for a, b in combinations(range(len(names)), 2):
        difference = values[a] - values[b]
        low, high, p_bootstrap, p_williams = nan, nan, nan, nan
        if draws is not None and not np.isnan(difference):
            sample = draws[a] - draws[b]
            interval = percentile_interval(sample, difference, protocol.confidence)
            low, high = interval.low, interval.high
            p_bootstrap = centred_p_value(sample, difference)
        if method == "pearson" and protocol.level == "item" and not np.isnan(difference):
            between = correlate(columns.scores[a], columns.scores[b], method="pearson").value
            test = williams_test(values[a], values[b], between, len(columns.human))
            p_williams = test.p_two_sided
        found.append(Difference(names[a], names[b], method, difference, low, high, p_bootstrap, p_williams))
    return found
