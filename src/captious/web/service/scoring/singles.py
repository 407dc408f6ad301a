"""Requests of one caption each, the usual ones, answered from one run without a corpus for each.

The statistics of a single caption are those of its corpus, so that values for all requests come from one
call of the metric. Signatures differ by the number of references alone, since metrics that may be joined
know nothing else of a corpus.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import orjson

from captious.corpus import Corpus
from captious.corpus.columns import FloatArray
from captious.corpus.types import NO_REFERENCES, Ragged
from captious.engine import run_metrics
from captious.metrics import Metric
from captious.text.remembered import Remembered
from captious.web.service.requests import SYSTEM, ScoreRequest
from captious.web.service.scoring.answer import NO_SCORE

MOST_FACTS = 256


class Facts(Remembered[tuple[tuple[str, ...], int], orjson.Fragment]):
    """What is said of the metrics of a request, by their names and the number of references."""

    def __init__(self) -> None:
        super().__init__(MOST_FACTS)


def score_singles(
    requests: Sequence[ScoreRequest], metrics: Mapping[str, Metric], facts: Facts
) -> list[bytes]:
    """The JSON of each request; the same as `answer.score_answer` makes of it alone."""
    runs = run_metrics(corpus_of(requests), list(metrics.values()))
    columns = [
        _Column(name, metric, run.statistics)
        for (name, metric), run in zip(metrics.items(), runs, strict=True)
    ]
    names = tuple(metrics)
    found = []
    for row, request in enumerate(requests):
        key = names, len(request.references[0]) if request.references is not None else 0
        told = facts.get(key)
        if told is None:
            told = facts[key] = _facts(request, metrics, [run.knowledge for run in runs])
        system = request.systems[0]
        body = {
            "systems": {system: {one.name: one.totals[row] for one in columns}},
            "metrics": told,
            "notes": list(request.notes),
            "examples": [_example(request, columns, row)],
        }
        found.append(orjson.dumps(body))
    return found


def corpus_of(requests: Sequence[ScoreRequest]) -> Corpus:
    """One corpus of all requests, each caption an image of its own; `read_request` has checked them."""
    each = np.arange(len(requests))
    lists = [request.references[0] if request.references else [] for request in requests]
    objects = None
    if requests[0].objects is not None:
        objects = Ragged.from_lists((one.objects or {}).get(one.images[0], []) for one in requests)
    counts = np.array([len(texts) for texts in lists])
    return Corpus(
        captions=[request.captions[0] for request in requests],
        systems=[SYSTEM],
        system_of=np.zeros(len(requests), dtype=np.int64),
        image_ids=[str(place) for place in range(len(requests))],
        image_of=each,
        references=Ragged.from_lists(texts for texts in lists if texts),
        references_of=np.where(counts > 0, np.cumsum(counts > 0) - 1, NO_REFERENCES),
        objects=objects,
    )


class _Column:
    """One metric's values for all requests: each caption's score, and that of its corpus."""

    def __init__(self, name: str, metric: Metric, statistics: FloatArray) -> None:
        self.name, self.statistics = name, statistics
        self.values: list[float] = metric.example_scores(statistics).tolist()
        self.whole = not any(map(math.isnan, self.values))
        self.totals = [
            {"score": total, "n": int(not math.isnan(value))}
            for total, value in zip(metric.single_scores(statistics), self.values, strict=True)
        ]
        self.details = {detail: of.tolist() for detail, of in metric.details(statistics).items()}


def _example(request: ScoreRequest, columns: Sequence[_Column], row: int) -> dict[str, object]:
    found: dict[str, object] = {
        "image": request.images[0],
        "system": request.systems[0],
        "scores": {one.name: one.values[row] for one in columns},
    }
    if request.statistics:
        found["statistics"] = {one.name: one.statistics[row].tolist() for one in columns}
    errors = {one.name: NO_SCORE for one in columns if not one.whole and math.isnan(one.values[row])}
    if errors:
        found["errors"] = errors
    details = {
        one.name: {detail: of[row] for detail, of in one.details.items()} for one in columns if one.details
    }
    if details:
        found["details"] = details
    return found


def _facts(
    request: ScoreRequest, metrics: Mapping[str, Metric], knowledge: Sequence[object]
) -> orjson.Fragment:
    """What is said of the metrics, as JSON."""
    corpus = corpus_of([request])
    return orjson.Fragment(
        orjson.dumps(
            {
                name: {
                    "signature": metric.signature(corpus, known),
                    "title": metric.title,
                    "percent": metric.percent,
                    "higher_is_better": metric.higher_is_better,
                    "notes": metric.notes(corpus, known),
                }
                for (name, metric), known in zip(metrics.items(), knowledge, strict=True)
            }
        )
    )
