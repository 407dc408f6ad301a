"""Tables of the report: the table of systems and the twin of every chart."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from captious.corpus import MetricScores
from captious.corpus.columns import FloatArray
from captious.report.study import Study, higher_is_better, number_text, shown_score
from captious.stats.resample import cluster_sums
from captious.stats.significance import resampled
from captious.tables import Cell, Number, Table


class Estimated(NamedTuple):
    """A value with the ends of its interval, NaN where none was asked for."""

    value: float
    low: float
    high: float


JudgedMeans = dict[str, dict[str, Estimated]]


def interval_text(low: float, high: float, digits: int) -> str:
    """`[1.23, 4.56]`, or nothing where there is no interval."""
    if np.isnan(low) or np.isnan(high):
        return ""
    return f"[{number_text(low, digits)}, {number_text(high, digits)}]"


def system_table(study: Study, judged: JudgedMeans) -> Table:
    """Systems down; captions, the main aspect, every metric and the other aspects across."""
    systems = study.systems
    columns = [_count_column(study, systems)]
    header = ["system", "captions"]
    main, *others = judged_aspects(study) or [""]
    if main:
        columns.append(_aspect_column(judged[main], systems))
    for metric in study.scores.metrics.values():
        columns.append(_metric_column(metric, systems))
    columns += [_aspect_column(judged[aspect], systems) for aspect in others]
    header += [f"judged {aspect_text(main)}"] if main else []
    header += [*map(study.printed, study.scores), *(f"judged {aspect_text(aspect)}" for aspect in others)]
    rows = [[system, *cells] for system, *cells in zip(systems, *columns, strict=True)]
    return Table("Scores of each system", header, rows, "\n".join(_system_notes(study)))


def judged_aspects(study: Study) -> list[str]:
    """Aspects that were judged, the main one first."""
    return list(study.judged.means) if study.judged else []


def aspect_text(aspect: str) -> str:
    """An aspect's name in words."""
    return aspect.replace("_", " ")


def judged_means(study: Study) -> JudgedMeans:
    """Mean judgment by aspect and system, with bootstrap intervals over images (Efron 1979)."""
    found: JudgedMeans = {aspect: {} for aspect in judged_aspects(study)}
    if study.judged is None:
        return found
    columns = np.stack(list(study.judged.means.values()), axis=1)
    for system in study.systems:
        rows = study.corpus.rows_of(system)
        means = _means_over_images(study, columns[rows], study.corpus.image_of[rows])
        for aspect, estimated in zip(found, means, strict=True):
            if not np.isnan(estimated.value):
                found[aspect][system] = estimated
    return found


def _means_over_images(study: Study, columns: FloatArray, image_of: np.ndarray) -> list[Estimated]:
    """Mean of each column over its rows that have a value; all columns share their draws."""
    present = ~np.isnan(columns)
    statistics = np.hstack([np.where(present, columns, 0.0), present.astype(np.float64)])
    images, places = np.unique(image_of, return_inverse=True)
    sums = cluster_sums(statistics, places, len(images))
    k = columns.shape[1]
    with np.errstate(invalid="ignore", divide="ignore"):
        found = resampled(sums, lambda summed: summed[..., :k] / summed[..., k:], study.resamples, study.seed)
    intervals = [found.interval(column, study.level) for column in range(k)]
    return [Estimated(one.value, one.low, one.high) for one in intervals]


def _count_column(study: Study, systems: list[str]) -> list[Cell]:
    first = next(iter(study.scores.metrics.values()))
    return [Number(first.systems[s].n, f"{first.systems[s].n:,}") for s in systems]


def _aspect_column(found: dict[str, Estimated], systems: list[str]) -> list[Cell]:
    texts = {s: number_text(e.value, 2) for s, e in found.items()}
    best = max(found.values(), key=lambda e: e.value).value
    several = len(set(texts.values())) > 1
    cells: list[Cell] = []
    for system in systems:
        if system not in found:
            cells.append("–")
            continue
        value, low, high = found[system]
        is_best = several and texts[system] == number_text(best, 2)
        cells.append(Number(value, texts[system], interval_text(low, high, 2), is_best))
    return cells


def _metric_column(metric: MetricScores, systems: list[str]) -> list[Cell]:
    sign = 1 if higher_is_better(metric.name) else -1
    best = sign * max(sign * value.score for value in metric.systems.values())
    texts = {s: shown_score(metric, value.score) for s, value in metric.systems.items()}
    several = len(set(texts.values())) > 1
    cells: list[Cell] = []
    for system in systems:
        score = metric.systems[system]
        detail = ""
        if score.low is not None and score.high is not None:
            ends = shown_score(metric, score.low), shown_score(metric, score.high)
            detail = f"[{ends[0]}, {ends[1]}]"
        is_best = several and texts[system] == shown_score(metric, best)
        cells.append(Number(score.score, texts[system], detail, is_best))
    return cells


def _system_notes(study: Study) -> list[str]:
    first = next(iter(study.scores.metrics.values()))
    notes = ["Bold: best value in each column."]
    if next(iter(first.systems.values())).low is not None:
        notes.append(f"Brackets: {study.level:.0%} intervals, {study.scores.drawn}.")
    judged = study.judged
    if judged and judged.derived:
        notes.append("Judged total: mean of precision and recall plus penalties (THumB, Kasai et al. 2022).")
    return notes
