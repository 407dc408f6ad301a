"""Meta-evaluation: a benchmark's captions are scored, and each metric is judged by the humans."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from captious.benchmarks.correlations import correlations
from captious.benchmarks.parts import groups_of, part_of
from captious.benchmarks.preference import accuracies
from captious.benchmarks.protocol import Preferences, RatedExamples
from captious.benchmarks.result import INTERVALS, MetaResult, MetaSettings
from captious.benchmarks.score_files import read_scores
from captious.benchmarks.scores import BenchmarkScores, compute_scores, metrics_for
from captious.engine import Progress
from captious.errors import InputError, UnknownNameError
from captious.metrics import find
from captious.metrics.registry import is_folder


def benchmark_scores(
    data: RatedExamples | Preferences,
    metrics: Sequence[str],
    file: Path | None = None,
    *,
    jobs: int = 1,
    progress: Progress | None = None,
) -> BenchmarkScores:
    """The scores of our metrics on a benchmark, and of others' metrics in a file.

    With a file, a name that is no metric of ours is a column of it; where no such name is given,
    all its columns are taken.
    """
    if file is None:
        return _computed(data, metrics, jobs, progress)
    ours = [name for name in metrics if is_folder(name) or find(name.partition("[")[0])]
    theirs = [name for name in metrics if name not in ours]
    computed = _computed(data, ours, jobs, progress) if ours else BenchmarkScores({}, {})
    return computed.join(read_scores(file, data, theirs or None))


def _computed(
    data: RatedExamples | Preferences, names: Sequence[str], jobs: int, progress: Progress | None
) -> BenchmarkScores:
    return compute_scores(data, metrics_for(names, data.protocol.documents), jobs=jobs, progress=progress)


def evaluate(
    data: RatedExamples | Preferences, scores: BenchmarkScores, settings: MetaSettings | None = None
) -> MetaResult:
    """Judge every metric's scores by the benchmark's human judgments.

    >>> import numpy as np
    >>> from captious.benchmarks.protocol import Protocol, rated_examples
    >>> from captious.corpus import Corpus
    >>> corpus = Corpus.from_lists(["a", "b", "c", "d"], [["a"]] * 4)
    >>> data = rated_examples(Protocol("mine"), corpus, {"overall": [[1], [2], [3], [4]]}, list("abcd"))
    >>> mine = BenchmarkScores({"mine": np.array([[1.0, 3.0, 2.0, 4.0]])}, {"mine": "mine"})
    >>> found = evaluate(data, mine, MetaSettings(coefficients=("pearson",), resamples=0))
    >>> round(found.results["mine"]["pearson"].value, 3)
    0.8
    """
    settings = settings or MetaSettings()
    if not scores.arrays:
        raise InputError("no metric to judge. Name one with --metrics, or give --scores FILE.")
    if settings.interval not in INTERVALS:
        raise UnknownNameError("interval", settings.interval, INTERVALS)
    if isinstance(data, Preferences):
        return accuracies(data, scores, settings)
    return correlations(data, scores, settings)


def evaluate_aspects(
    loaded: RatedExamples | Preferences, scores: BenchmarkScores, aspects: list[str], settings: MetaSettings
) -> list[MetaResult]:
    """One result for each aspect that was asked for, or one for the protocol's own."""
    if not aspects:
        return [evaluate(loaded, scores, settings)]
    return [evaluate(loaded, scores, replace(settings, aspect=aspect)) for aspect in aspects]


def evaluate_parts(
    loaded: RatedExamples | Preferences,
    scores: BenchmarkScores,
    column: str,
    aspects: list[str],
    settings: MetaSettings,
) -> dict[str, list[MetaResult]]:
    """Results for each value of a column, by the scores that the captions have among all."""
    if isinstance(loaded, Preferences):
        raise InputError(f"--by: {loaded.protocol.name} has its own categories. Leave it out.")
    found = {}
    for value, rows in groups_of(loaded, column).items():
        if len(rows) > 1:
            data, own = part_of(loaded, scores, rows)
            found[value] = evaluate_aspects(data, own, aspects, settings)
    if not found:
        raise InputError(f"--by {column}: no value has two captions, which a correlation needs.")
    return found


def payload(results: list[MetaResult], parts: dict[str, list[MetaResult]] | None = None) -> dict[str, Any]:
    """The first result's shape; with several aspects, all results by aspect beside it; `parts` by value."""
    found = results[0].to_dict()
    if len(results) > 1:
        found["aspects"] = {result.protocol["aspect"]: result.to_dict()["results"] for result in results}
    if parts:
        found["by"] = {value: payload(own) for value, own in parts.items()}
    return found
