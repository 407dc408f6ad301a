"""What a request gets back: corpus values, signatures, and a score or a reason for each example."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import orjson

from captious.corpus import MetricScores, Scores
from captious.corpus.columns import IntArray
from captious.corpus.finding_files import columns_of
from captious.corpus.findings import Findings
from captious.web.service.requests import ScoreRequest

Failures = dict[str, dict[int, str]]
"""Metric -> row -> why it has no score."""
FINDING_KEYS = ("start", "end", "text", "kind", "severity", "confidence", "note", "evidence")
NO_SCORE = "the metric has no score for this caption."
PICTURES = "captious-pictures-"  # begins the name of the folder in which pictures lie while they are scored
_PATH = re.compile(rf"\S*{PICTURES}\S*?(?=:|\s|$)")


def score_answer(
    request: ScoreRequest,
    names: Iterable[str],
    scores: Mapping[str, tuple[Scores, IntArray]],
    failures: Failures,
    notes: Sequence[str],
) -> bytes:
    """The JSON of one request, metrics in the order of `names`; numbers that do not exist are null."""
    systems: dict[str, dict[str, Any]] = {system: {} for system in dict.fromkeys(request.systems)}
    metrics: dict[str, Any] = {}
    examples: list[dict[str, Any]] = [
        {"image": image, "system": system, "scores": {}}
        for image, system in zip(request.images, request.systems, strict=True)
    ]
    for name in names:
        reasons = failures.get(name, {})
        if name not in scores:
            metrics[name] = {
                "signature": None,
                "title": "",
                "percent": True,
                "higher_is_better": True,
                "notes": [],
            }
            _put(examples, name, range(len(examples)), [None] * len(examples), reasons)
            continue
        found, rows = scores[name]
        metric = found[name]
        metrics[name] = _facts(metric)
        for system, value in metric.systems.items():
            systems[system][name] = _value(value)
        reasons = {**reasons, **_unscored(request, metric, reasons)}
        _put(examples, name, rows.tolist(), metric.values.tolist(), reasons)
        _put_details(examples, name, rows.tolist(), metric)
        if found.found is not None:
            _put_findings(examples, name, rows, found.found.on(found.corpus))
        if request.statistics:
            for row, own in zip(rows.tolist(), metric.statistics.tolist(), strict=True):
                examples[row].setdefault("statistics", {})[name] = own
    body = {"systems": systems, "metrics": metrics, "notes": list(notes), "examples": examples}
    return orjson.dumps(body)


def _put_findings(examples: list[dict[str, Any]], name: str, rows: IntArray, found: Findings) -> None:
    """Places in each caption that the metric looked at; an empty list where it found nothing."""
    own = [row for row in found.rows() if row.source == name]
    places = dict(zip(found.ids, rows.tolist(), strict=True))
    columns = columns_of(own)
    for row, *values in zip(own, *(columns[key] for key in FINDING_KEYS), strict=True):
        listed = examples[places[row.example]].setdefault("findings", {}).setdefault(name, [])
        if row.kind:
            listed.append(dict(zip(FINDING_KEYS, values, strict=True)))


def _facts(metric: MetricScores) -> dict[str, Any]:
    return {
        "signature": metric.signature,
        "title": metric.title,
        "percent": metric.percent,
        "higher_is_better": metric.metric.higher_is_better,
        "notes": [_without_path(note, "image") for note in metric.notes],
    }


def _without_path(line: str, name: str) -> str:
    """A message about a picture without the path that it has on the server.

    >>> _without_path("/var/x/captious-pictures-ab1/0-3: is broken.", "image 7")
    'image 7: is broken.'
    """
    return _PATH.sub(name, line)


def _value(value: Any) -> dict[str, Any]:
    if value.low is None:
        return {"score": value.score, "n": value.n}
    return dict(value._asdict())


def _unscored(request: ScoreRequest, metric: MetricScores, known: Mapping[int, str]) -> dict[int, str]:
    """Reasons that the metric itself gives for images."""
    return {
        row: _without_path(metric.unscored[image], f"image {image}")
        for row, image in enumerate(request.images)
        if image in metric.unscored and row not in known
    }


def _put(
    examples: list[dict[str, Any]],
    name: str,
    rows: Sequence[int],
    values: Sequence[float | None],
    reasons: Mapping[int, str],
) -> None:
    for row, value in zip(rows, values, strict=True):
        missing = value is None or math.isnan(value)
        examples[row]["scores"][name] = None if missing else value
        if missing and row not in reasons:
            examples[row].setdefault("errors", {})[name] = NO_SCORE
    for row, reason in reasons.items():
        examples[row]["scores"][name] = None
        examples[row].setdefault("errors", {})[name] = reason


def _put_details(
    examples: list[dict[str, Any]], name: str, rows: Sequence[int], metric: MetricScores
) -> None:
    for detail, values in metric.details.items():
        for row, value in zip(rows, values.tolist(), strict=True):
            examples[row].setdefault("details", {}).setdefault(name, {})[detail] = value
