"""Which of two captions is better: how often a metric prefers what humans prefer."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import NamedTuple

import numpy as np

from captious.benchmarks.protocol import Preferences, Protocol
from captious.benchmarks.result import Difference, MetaResult, Settings, Value, described
from captious.benchmarks.scores import BenchmarkScores
from captious.corpus.columns import FloatArray
from captious.errors import InputError
from captious.stats.resample import bootstrap_sums, cluster_sums, percentile_interval
from captious.stats.significance import centred_p_value


def accuracies(data: Preferences, scores: BenchmarkScores, settings: Settings) -> MetaResult:
    """Accuracy in each category of pairs, and the mean over categories.

    A metric that scores both captions alike is right by half. Intervals draw images, or pairs.
    """
    if settings.aspect or settings.coefficients or settings.level:
        raise InputError(
            f"{data.protocol.name} asks which of two captions is better; it has no aspect, "
            "coefficient or level. Leave those options out."
        )
    if settings.interval == "analytic":
        raise InputError(f"--interval analytic: {data.protocol.name} has none. Use cluster or item.")
    protocol = replace(data.protocol, confidence=settings.confidence or data.protocol.confidence)
    categories = list(dict.fromkeys(data.category))
    place = np.array([categories.index(name) for name in data.category])
    corpus = data.corpora[0]
    images = corpus.image_of[data.first]
    clusters = images if settings.interval == "cluster" else np.arange(len(place))
    one_hot = np.eye(len(categories))[place]
    right = {name: _share_right(data, rows) for name, rows in scores.arrays.items()}
    statistics = np.hstack([one_hot, *(one_hot * own[:, None] for own in right.values())])
    labels, index = np.unique(clusters, return_inverse=True)
    draws = None
    if settings.resamples:
        by_cluster = cluster_sums(statistics, index, len(labels))
        draws = bootstrap_sums(by_cluster, settings.resamples, settings.seed)
    totals = statistics.sum(axis=0)
    shares = [_shares(totals, draws, 1 + k, len(categories)) for k in range(len(right))]
    counts = [len(place), *totals[: len(categories)].astype(int).tolist()]
    results = {
        name: _by_category(categories, own, counts, protocol.confidence)
        for name, own in zip(right, shares, strict=True)
    }
    return MetaResult(
        benchmark=protocol.name,
        protocol=described(protocol, settings),
        n=len(place),
        results=results,
        signatures=scores.signatures,
        notes=data.notes,
        differences=_differences(list(right), shares, protocol) if settings.compare else [],
    )


def _share_right(data: Preferences, rows: FloatArray) -> FloatArray:
    """For each pair the share of draws in which the metric prefers what humans prefer."""
    gain = rows[:, data.first] - rows[:, data.second]
    preferred = np.where(data.label == 0, gain, -gain)
    return np.asarray(np.where(preferred > 0, 1.0, np.where(preferred == 0, 0.5, 0.0)).mean(axis=0))


class _Shares(NamedTuple):
    """The mean accuracy and that of each category: on the data, and on each resample."""

    points: FloatArray
    draws: FloatArray | None


def _shares(totals: FloatArray, draws: FloatArray | None, block: int, k: int) -> _Shares:
    """Accuracies of one metric from counts of pairs and sums of right answers."""

    def of(sums: FloatArray) -> FloatArray:
        with np.errstate(invalid="ignore", divide="ignore"):
            each = sums[..., block * k : (block + 1) * k] / sums[..., :k]
        return np.concatenate([each.mean(axis=-1, keepdims=True), each], axis=-1)

    return _Shares(of(totals), of(draws) if draws is not None else None)


def _by_category(
    categories: list[str], shares: _Shares, counts: list[int], confidence: float
) -> dict[str, Value]:
    found = {}
    for place, name in enumerate(["accuracy", *categories]):
        point = float(shares.points[place])
        low = high = float("nan")
        if shares.draws is not None:
            interval = percentile_interval(shares.draws[:, place], point, confidence)
            low, high = interval.low, interval.high
        found[name] = Value(point, low, high, counts[place])
    return found


def _differences(names: list[str], shares: list[_Shares], protocol: Protocol) -> list[Difference]:
    found = []
    for a, b in combinations(range(len(names)), 2):
        difference = float(shares[a].points[0] - shares[b].points[0])
        low = high = p_value = float("nan")
        ours, theirs = shares[a].draws, shares[b].draws
        if ours is not None and theirs is not None:
            sample = ours[:, 0] - theirs[:, 0]
            interval = percentile_interval(sample, difference, protocol.confidence)
            low, high = interval.low, interval.high
            p_value = centred_p_value(sample, difference)
        found.append(Difference(names[a], names[b], "accuracy", difference, low, high, p_value, float("nan")))
    return found
