"""Which of two captions is better: how often a metric prefers what humans prefer."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np

from captious.benchmarks.meta_evaluation.result import Difference, MetaResult, MetaSettings, Value, described
from captious.benchmarks.protocol import Preferences
from captious.benchmarks.scores import BenchmarkScores
from captious.corpus.columns import FloatArray
from captious.errors import InputError
from captious.stats.pairwise import preference_credit
from captious.stats.resample import cluster_sums
from captious.stats.significance import PairedTest, Resampled, resampled


def accuracies(data: Preferences, scores: BenchmarkScores, settings: MetaSettings) -> MetaResult:
    """Accuracy in each category of pairs, and the mean over categories.

    A metric that scores both captions alike is right by half. Intervals draw images, or pairs.
    """
    if settings.aspect or settings.coefficients or settings.level:
        raise InputError(
            f"{data.protocol.name} compares two captions; it has no aspect, "
            "coefficient or level. Leave those options out."
        )
    if settings.interval == "analytic":
        raise InputError(
            f'--interval "analytic": not available for {data.protocol.name}. Use cluster or item.'
        )
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
    found = resampled(
        cluster_sums(statistics, index, len(labels)),
        lambda sums: _accuracies(sums, len(categories)),
        settings.resamples,
        settings.seed,
    )
    # Of one category the mean is its accuracy.
    names = ["accuracy", *(categories if len(categories) > 1 else ())]
    width = len(categories) + 1
    counts = [len(place), *one_hot.sum(axis=0).astype(int).tolist()]
    results = {
        metric: {
            name: _value(found, block * width + k, counts[k], protocol.confidence)
            for k, name in enumerate(names)
        }
        for block, metric in enumerate(right)
    }
    differences = [
        _difference(a, b, found.difference(i * width, j * width, protocol.confidence))
        for (i, a), (j, b) in combinations(enumerate(right), 2)
    ]
    return MetaResult(
        benchmark=protocol.name,
        protocol=described(protocol, settings),
        n=len(place),
        results=results,
        signatures=scores.signatures,
        notes=data.notes,
        differences=differences if settings.compare else [],
    )


def _share_right(data: Preferences, rows: FloatArray) -> FloatArray:
    """For each pair the share of draws in which the metric prefers what humans prefer."""
    preferred = np.where(data.label == 0, 1, -1)
    earned = [preference_credit(row[data.first], row[data.second], preferred) for row in rows]
    return np.asarray(np.mean(earned, axis=0))


def _accuracies(sums: FloatArray, k: int) -> FloatArray:
    """Each metric's mean over categories and its accuracy in each, of counts and sums of credit."""
    with np.errstate(invalid="ignore", divide="ignore"):
        each = sums[..., k:].reshape(*sums.shape[:-1], -1, k) / sums[..., None, :k]
    both = np.concatenate([each.mean(axis=-1, keepdims=True), each], axis=-1)
    return both.reshape(*sums.shape[:-1], -1)


def _value(found: Resampled, place: int, n: int, confidence: float) -> Value:
    interval = found.interval(place, confidence)
    return Value(interval.value, interval.low, interval.high, n)


def _difference(a: str, b: str, test: PairedTest) -> Difference:
    return Difference(a, b, "accuracy", test.difference, test.low, test.high, test.p_value, float("nan"))
