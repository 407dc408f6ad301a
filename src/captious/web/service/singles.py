"""Requests of one caption each, the usual ones, answered from one run without a corpus for each.

The statistics of a single caption are those of its corpus, so that values for all requests come from one
call of the metric. Signatures differ by the number of references alone, since metrics that may be joined
know nothing else of a corpus.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import orjson

from captious.corpus import Corpus
from captious.corpus.columns import FloatArray
from captious.engine import run_metrics
from captious.metrics import Metric
from captious.metrics.scripts import script_notes
from captious.web.service.answer import NO_SCORE
from captious.web.service.request import ScoreRequest


def score_singles(requests: Sequence[ScoreRequest], metrics: Mapping[str, Metric]) -> list[bytes]:
    """The JSON of each request; the same as `answer.score_answer` makes of it alone."""
    runs = run_metrics(corpus_of(requests), list(metrics.values()))
    facts = _facts(requests, metrics, [run.knowledge for run in runs])
    columns = [
        _Column(name, metric, run.statistics)
        for (name, metric), run in zip(metrics.items(), runs, strict=True)
    ]
    found = []
    for row, request in enumerate(requests):
        notes = list(request.notes)
        if not request.captions[0].isascii():
            notes += script_notes(metrics, request.captions)
        example = {"image": request.images[0], "system": request.systems[0]}
        body = {
            "systems": {request.systems[0]: {one.name: one.corpus_value(row) for one in columns}},
            "metrics": facts[_references(request)],
            "notes": notes,
            "examples": [example | _example(columns, row, statistics=request.statistics)],
        }
        found.append(orjson.dumps(body))
    return found


def corpus_of(requests: Sequence[ScoreRequest]) -> Corpus:
    """One corpus of all requests, each caption an image of its own."""
    objects = None
    if requests[0].objects is not None:
        lists = [(request.objects or {}).get(request.images[0], []) for request in requests]
        objects = dict(zip(map(str, range(len(requests))), lists, strict=True))
    references = None
    if requests[0].references is not None:
        references = [(request.references or [[]])[0] for request in requests]
    return Corpus.from_lists([request.captions[0] for request in requests], references, objects=objects)


class _Column:
    """One metric's values for all requests."""

    def __init__(self, name: str, metric: Metric, statistics: FloatArray) -> None:
        self.name, self.statistics = name, statistics
        self.values: list[float] = metric.example_scores(statistics).tolist()
        self.totals = metric.single_scores(statistics)
        self.details = {detail: of.tolist() for detail, of in metric.details(statistics).items()}

    def corpus_value(self, row: int) -> dict[str, float | int]:
        return {"score": self.totals[row], "n": int(not math.isnan(self.values[row]))}


def _example(columns: Sequence[_Column], row: int, *, statistics: bool) -> dict[str, object]:
    found: dict[str, object] = {"scores": {one.name: one.values[row] for one in columns}}
    details = {
        one.name: {detail: of[row] for detail, of in one.details.items()} for one in columns if one.details
    }
    if statistics:
        found["statistics"] = {one.name: one.statistics[row].tolist() for one in columns}
    errors = {one.name: NO_SCORE for one in columns if math.isnan(one.values[row])}
    return found | ({"errors": errors} if errors else {}) | ({"details": details} if details else {})


def _references(request: ScoreRequest) -> int:
    return len(request.references[0]) if request.references is not None else 0


def _facts(
    requests: Sequence[ScoreRequest], metrics: Mapping[str, Metric], knowledge: Sequence[object]
) -> dict[int, dict[str, object]]:
    """What is said of the metrics, by the number of references."""
    found: dict[int, dict[str, object]] = {}
    for request in requests:
        if _references(request) not in found:
            corpus = corpus_of([request])
            found[_references(request)] = {
                name: {
                    "signature": metric.signature(corpus, known),
                    "title": metric.title,
                    "percent": metric.percent,
                    "higher_is_better": metric.higher_is_better,
                    "notes": metric.notes(corpus, known),
                }
                for (name, metric), known in zip(metrics.items(), knowledge, strict=True)
            }
    return found
