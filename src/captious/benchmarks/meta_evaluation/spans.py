"""Metrics against people on places: do a metric's findings touch what raters marked, and the reverse?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from captious.benchmarks.meta_evaluation.result import Difference, MetaResult, MetaSettings, Value, described
from captious.benchmarks.protocol import RatedExamples
from captious.benchmarks.scores import BenchmarkScores
from captious.corpus import Findings
from captious.corpus.columns import FloatArray, IntArray
from captious.errors import InputError, UnknownNameError
from captious.stats.average_precision import resampled_average_precision
from captious.stats.intervals import resampled_correlations
from captious.stats.resample import cluster_sums
from captious.stats.significance import Resampled, resampled
from captious.stats.span_f1 import best_iou, touching
from captious.stats.spans import Mark, covered

MEASURES = {
    "precision": "share of the metric's findings that touch a rater's span",
    "recall": "share of raters' spans that a finding of the metric touches",
    "f1": "harmonic mean of precision and recall",
    "f1_iou": "mean over captions of the F1 of best IoUs in words, 0 where either has no span (MHALO)",
    "average_precision": "characters by the metric's confidence; those without a finding come last",
    "spearman": "of the shares of characters marked in each caption, by the metric and by raters",
}
SUMS = ("precision", "recall", "f1", "f1_iou")
WIDTH = 6  # findings that touch, findings, spans that are touched, spans, sum of F1-IoU, captions


class _Rows(NamedTuple):
    """A caption read by a rater and by the metric: its place, and both their marks."""

    example: int
    gold: Sequence[Mark]
    found: Sequence[Mark]
    confidences: Sequence[float]


def span_measures(data: RatedExamples, scores: BenchmarkScores, settings: MetaSettings) -> MetaResult:
    """Compare every metric's findings with those of the raters, each rater being as right as another."""
    gold = data.findings
    if gold is None:
        raise InputError(f"{data.protocol.name}: contains no findings, only ratings. Choose another aspect.")
    if settings.level or settings.interval == "analytic":
        raise InputError(
            "--level and --interval analytic: not available for findings, only for scores. Leave them out."
        )
    if not scores.findings:
        raise InputError(
            f"no findings are given by {', '.join(scores.arrays)}. Name a metric that does, give a file of "
            "findings as --scores, or compare scores with --aspect mqm."
        )
    wanted = settings.coefficients or tuple(MEASURES)
    for name in wanted:
        if name not in MEASURES:
            raise UnknownNameError("coefficient", name, MEASURES)
    protocol = replace(
        data.protocol,
        aspect="spans",
        coefficients=wanted,
        confidence=settings.confidence or data.protocol.confidence,
    )
    read = sorted(set.intersection(*({e for e, _ in own.looked} for own in scores.findings.values())))
    if not read:
        raise InputError(
            f"{data.protocol.name}: no caption was read by every metric. Evaluate fewer metrics."
        )
    pairs = {name: _pairs(gold, found, read) for name, found in scores.findings.items()}
    found = _resampled(data, pairs, read, settings)
    counts = {name: _counts(rows) for name, rows in pairs.items()}
    results = {
        metric: {
            name: _value(found[name], place, counts[metric][name], protocol.confidence) for name in wanted
        }
        for place, metric in enumerate(pairs)
    }
    differences = [
        _difference(a, b, name, found[name], (i, j), protocol.confidence)
        for name in wanted
        for (i, a), (j, b) in combinations(enumerate(pairs), 2)
    ]
    silent = [name for name in scores.arrays if name not in pairs]
    notes = (f"{', '.join(silent)}: gives no findings and is left out here.",) if silent else ()
    return MetaResult(
        benchmark=protocol.name,
        protocol={**described(protocol, settings), **{name: MEASURES[name] for name in wanted}},
        n=len(read),
        results=results,
        signatures={name: scores.signatures.get(name, name) for name in pairs},
        notes=(*data.notes, *notes),
        differences=differences if settings.compare else [],
    )


def _pairs(gold: Findings, found: Findings, read: Sequence[int]) -> list[_Rows]:
    """Every rater of the captions that all metrics read, beside one metric."""
    marks: list[tuple[list[Mark], list[float]]] = [([], []) for _ in gold.keys]
    columns = (found.example_of, found.starts, found.ends, found.confidences)
    for example, start, end, sure in zip(*(column.tolist() for column in columns), strict=True):
        if start >= 0:
            marks[example][0].append(Mark(start, end))
            marks[example][1].append(1.0 if np.isnan(sure) else sure)
    by = gold.marked_texts()
    return [_Rows(example, own, *marks[example]) for example in read for own in by[example].by]


def _resampled(
    data: RatedExamples, pairs: dict[str, list[_Rows]], read: Sequence[int], settings: MetaSettings
) -> dict[str, Resampled]:
    """Every measure of every metric, on the data and on the same resamples of images."""
    captions = data.corpus.captions
    images = data.corpus.image_of[read]
    drawn, places = np.unique(images if settings.interval == "cluster" else read, return_inverse=True)
    n = len(drawn)
    index = np.zeros(len(captions), dtype=np.int64)
    index[read] = places
    asked: dict[str, Any] = {"resamples": settings.resamples, "seed": settings.seed}
    blocks = []
    for rows in pairs.values():
        statistics = np.array([_statistics(captions[one.example], one) for one in rows])
        blocks.append(cluster_sums(statistics.reshape(-1, WIDTH), index[[one.example for one in rows]], n))
    sums = resampled(np.hstack(blocks), _measures, **asked)
    found = {
        name: Resampled(sums.points[place :: len(SUMS)], sums.draws[place :: len(SUMS)])
        for place, name in enumerate(SUMS)
    }
    areas = [_area(captions, rows, index, asked) for rows in pairs.values()]
    found["average_precision"] = Resampled(
        np.concatenate([one.points for one in areas]), np.concatenate([one.draws for one in areas])
    )
    return found | {"spearman": _shares(captions, pairs, index, asked)}


def _statistics(text: str, one: _Rows) -> list[float]:
    iou = 0.0
    if one.gold and one.found:
        precision = best_iou(text, one.found, one.gold) / len(one.found)
        recall = best_iou(text, one.gold, one.found) / len(one.gold)
        iou = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    hits, held = touching(one.found, one.gold), touching(one.gold, one.found)
    return [hits, len(one.found), held, len(one.gold), iou, 1.0]


def _measures(sums: FloatArray) -> FloatArray:
    """Precision, recall, F1 and F1-IoU of each metric, of summed statistics."""
    hits, found, held, spans, iou, n = np.moveaxis(sums.reshape(*sums.shape[:-1], -1, WIDTH), -1, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        precision, recall = hits / found, held / spans
        both = np.where(hits + held > 0, 2 * precision * recall / (precision + recall), 0.0)
        f1 = np.where((found > 0) & (spans > 0), both, np.nan)
        values = np.stack([precision, recall, f1, iou / n], axis=-1)
    return values.reshape(*sums.shape[:-1], -1)


def _area(captions: list[str], rows: list[_Rows], index: IntArray, asked: dict[str, Any]) -> Resampled:
    """Average precision of characters, each as sure as the surest finding that holds it."""
    labels, values, owners = [], [], []
    for one in rows:
        length = len(captions[one.example])
        sure = np.full(length, -1.0)
        for mark, confidence in zip(one.found, one.confidences, strict=True):
            sure[mark.start : mark.end] = np.maximum(sure[mark.start : mark.end], confidence)
        labels.append(covered(one.gold, length))
        values.append(sure)
        owners.append(np.full(length, index[one.example]))
    return resampled_average_precision(
        np.concatenate(labels), np.concatenate(values), np.concatenate(owners), **asked
    )


def _shares(
    captions: list[str], pairs: dict[str, list[_Rows]], index: IntArray, asked: dict[str, Any]
) -> Resampled:
    """Spearman's correlation of the shares that the metric and the raters marked, over captions."""
    points, draws = [], []
    for rows in pairs.values():
        shares: dict[int, tuple[float, list[float]]] = {}
        for one in rows:
            length = max(1, len(captions[one.example]))
            own = float(covered(one.found, length).sum()) / length
            shares.setdefault(one.example, (own, []))[1].append(
                float(covered(one.gold, length).sum()) / length
            )
        metric = [own for own, _ in shares.values()]
        human = [float(np.mean(gold)) for _, gold in shares.values()]
        _, found = resampled_correlations(
            [metric], human, method="spearman", clusters=index[list(shares)], **asked
        )
        points.append(found.points)
        draws.append(found.draws)
    return Resampled(np.concatenate(points), np.concatenate(draws))


def _counts(rows: list[_Rows]) -> dict[str, int]:
    """What a measure is over: findings, spans or captions."""
    captions = len({one.example for one in rows})
    found, spans = sum(len(one.found) for one in rows), sum(len(one.gold) for one in rows)
    return dict.fromkeys(MEASURES, captions) | {"precision": found, "recall": spans}


def _value(found: Resampled, place: int, n: int, confidence: float) -> Value:
    one = found.interval(place, confidence)
    reason = "nothing was marked, or the same in every caption" if np.isnan(one.value) else ""
    return Value(one.value, one.low, one.high, n, reason)


def _difference(
    a: str, b: str, name: str, found: Resampled, places: tuple[int, int], confidence: float
) -> Difference:
    test = found.difference(*places, confidence)
    return Difference(a, b, name, test.difference, test.low, test.high, test.p_value, float("nan"))
