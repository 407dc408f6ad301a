"""Correlations of all metrics and judged aspects over examples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from captious.charts.render import listed
from captious.corpus.columns import FloatArray
from captious.report.study import Study, number_text
from captious.report.tables import aspect_text, interval_text
from captious.stats.correlation import correlate
from captious.stats.intervals import resampled_correlations
from captious.tables import Cell, Number, Table


class Column(NamedTuple):
    """A column of the matrix: a metric's scores or the mean judgments of an aspect."""

    name: str
    label: str
    is_metric: bool
    values: FloatArray


@dataclass(frozen=True, eq=False)
class Matrix:
    """Correlation of every two columns; NaN where undefined. `n` counts the shared examples."""

    columns: list[Column]
    values: FloatArray
    n: np.ndarray


class WithJudgments(NamedTuple):
    """A metric's correlation with one aspect, with its interval over images."""

    metric: str
    aspect: str
    value: float
    low: float
    high: float
    n: int


def columns_of(study: Study) -> list[Column]:
    """Judged aspects first, then metrics, the one that follows the main aspect best first."""
    metrics = [Column(name, study.printed(name), True, study.oriented(name)) for name in study.scores]
    if study.judged is None:
        return metrics
    aspects = [
        Column(name, f"judged {aspect_text(name)}", False, values)
        for name, values in study.judged.means.items()
    ]
    main = aspects[0].values
    metrics.sort(key=lambda column: -np.nan_to_num(_pair(study, column.values, main)[0], nan=-2))
    return [*aspects, *metrics]


def correlation_matrix(study: Study) -> Matrix:
    """Correlate every two columns over the examples that both have a value for."""
    columns = columns_of(study)
    size = len(columns)
    values, n = np.full((size, size), np.nan), np.zeros((size, size), dtype=np.int64)
    for i in range(size):
        for j in range(i, size):
            found = _pair(study, columns[i].values, columns[j].values)
            values[i, j] = values[j, i] = found[0]
            n[i, j] = n[j, i] = found[1]
    return Matrix(columns, values, n)


def with_judgments(study: Study, matrix: Matrix) -> list[WithJudgments]:
    """Every metric against every aspect, with intervals that draw whole images."""
    metrics = [column for column in matrix.columns if column.is_metric]
    return [
        one for aspect in matrix.columns if not aspect.is_metric for one in _against(study, metrics, aspect)
    ]


def _against(study: Study, metrics: list[Column], aspect: Column) -> list[WithJudgments]:
    """All metrics against one aspect; those with values for the same examples share their draws."""
    found: dict[str, WithJudgments] = {}
    groups: dict[bytes, list[Column]] = {}
    for metric in metrics:
        both = ~np.isnan(aspect.values) & ~np.isnan(metric.values)
        groups.setdefault(both.tobytes(), []).append(metric)
    for mask, members in groups.items():
        both = np.frombuffer(mask, dtype=bool)
        x = np.stack([metric.values[both] for metric in members])
        y = aspect.values[both]
        points, drawn = resampled_correlations(
            x,
            y,
            method=study.method,
            clusters=study.corpus.image_of[both],
            resamples=study.resamples if y.size > 1 else 0,
            seed=study.seed,
        )
        for place, (metric, point) in enumerate(zip(members, points, strict=True)):
            interval = drawn.interval(place, study.level)
            found[metric.name] = WithJudgments(
                metric.name, aspect.name, point.value, interval.low, interval.high, point.n
            )
    return [found[metric.name] for metric in metrics]


def best_metric(matrix: Matrix) -> str:
    """The metric that correlates best with the main aspect, or the first if there are no judgments."""
    return next(column.name for column in matrix.columns if column.is_metric)


def matrix_finding(study: Study, matrix: Matrix) -> str:
    """Say which metric correlates best with the judgments, and which two columns agree most."""
    metrics = [i for i, column in enumerate(matrix.columns) if column.is_metric]
    sentences = []
    if study.judged is not None:
        main = matrix.columns[0].label
        order = [i for i in metrics if not np.isnan(matrix.values[0, i])]
        if order:
            names = [matrix.columns[i].label for i in order]
            values = [number_text(matrix.values[0, i], 2) for i in order]
            if len(order) == 1:
                sentences.append(f"{names[0]} and the {main}: {study.method_name} {values[0]}.")
            else:
                sentences.append(
                    f"{names[0]} correlates best with the {main} ({study.method_name} "
                    f"{values[0]}), {names[-1]} worst ({values[-1]})."
                )
    pairs = [
        (matrix.values[i, j], i, j)
        for i in metrics
        for j in metrics
        if i < j and not np.isnan(matrix.values[i, j])
    ]
    if pairs:
        value, i, j = max(pairs)
        alike = listed([matrix.columns[i].label, matrix.columns[j].label])
        sentences.append(
            f"The two most similar metrics are {alike} ({study.method_name} {number_text(value, 2)})."
        )
    return " ".join(sentences) or "No correlation can be computed."


def matrix_table(study: Study, matrix: Matrix) -> Table:
    """The matrix as numbers."""
    rows: list[list[Cell]] = [
        [column.label, *(Number(value, number_text(value, 2)) for value in row)]
        for column, row in zip(matrix.columns, matrix.values.tolist(), strict=True)
    ]
    header = ["", *(column.label for column in matrix.columns)]
    return Table(f"{study.method_name} of every pair of columns", header, rows)


def intervals_table(study: Study, found: list[WithJudgments]) -> Table:
    """Metrics down, aspects across, each with its interval."""
    metrics = list(dict.fromkeys(one.metric for one in found))
    aspects = list(dict.fromkeys(one.aspect for one in found))
    cells = {
        (one.metric, one.aspect): Number(
            one.value, number_text(one.value, 3), interval_text(one.low, one.high, 3)
        )
        for one in found
    }
    rows: list[list[Cell]] = [
        [study.printed(metric), *(cells[metric, aspect] for aspect in aspects)] for metric in metrics
    ]
    header = ["metric", *(f"judged {aspect_text(aspect)}" for aspect in aspects)]
    caption = f"{study.method_name} with the judgments, {study.level:.0%} intervals over images"
    return Table(caption, header, rows)


def intervals_finding(study: Study, found: list[WithJudgments]) -> str:
    """Say how well the best metric correlates with the judgments, and which others are in its interval."""
    main = [one for one in found if one.aspect == found[0].aspect and not np.isnan(one.value)]
    if not main:
        return "No correlation with the judgments can be computed."
    best = max(main, key=lambda one: one.value)
    aspect = f"judged {aspect_text(best.aspect)}"
    text = f"{study.printed(best.metric)} has the highest {study.method_name} with {aspect}"
    text += f" ({number_text(best.value, 3)}"
    text += f", interval {interval_text(best.low, best.high, 3)})" if not np.isnan(best.low) else ")"
    inside = [study.printed(one.metric) for one in main if one is not best and one.value >= best.low]
    if inside:
        verb = "is" if len(inside) == 1 else "are"
        text += f"; {listed(inside)} {verb} within its interval"
    return f"{text}. Based on {best.n:,} judged captions."


def _pair(study: Study, x: FloatArray, y: FloatArray) -> tuple[float, int]:
    both = ~np.isnan(x) & ~np.isnan(y)
    found = correlate(x[both], y[both], method=study.method)
    return found.value, int(both.sum())
