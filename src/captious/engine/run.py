"""Run metrics over a corpus: once through in this process, or one shard a process.

A shard is a run of whole images, so that examples of one image stay together. Each process keeps
its own batch from the first step to the last: it tokenises its texts once, sends what it
collected (`Metric.collect`), receives the merged result (`Metric.merge`) and returns statistics.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

import numpy as np

from captious.corpus import Corpus
from captious.corpus.columns import FloatArray, IntArray
from captious.corpus.findings import Place
from captious.engine.workers import Worker
from captious.errors import CaptiousError, InputError
from captious.metrics import Batch, Metric
from captious.metrics.base import refuse_too_long
from captious.metrics.languages import refuse_languages
from captious.progress import Report as Progress
from captious.progress import reporting_to

Found = list[Sequence[Place] | None]


class Run(NamedTuple):
    """What one metric gave: statistics of every example, what it knew of the corpus, and findings."""

    statistics: FloatArray
    knowledge: Any
    found: Found | None = None


def run_metrics(
    corpus: Corpus,
    metrics: Sequence[Metric],
    *,
    jobs: int = 1,
    progress: Progress | None = None,
    findings: bool = False,
) -> list[Run]:
    """Statistics of every example for each metric, in the order of `metrics`, and on request findings.

    `jobs` is the number of processes; the result does not depend on it.
    """
    if jobs < 1:
        raise InputError(f"jobs is {jobs}; it must be at least 1.")
    refuse_too_long(corpus, metrics)
    refuse_languages(corpus, metrics)
    rows = shards(corpus, jobs)
    if len(rows) < 2:
        return _run_here(corpus, metrics, progress, findings)
    return _run_apart(corpus, metrics, rows, progress, findings)


def statistics_of(metric: Metric, batch: Batch, knowledge: Any) -> FloatArray:
    """A metric's statistics of a batch; refused, by the metric's name, where they cannot be right.

    There must be a row of finite numbers for each example. Ours are; another package's may not be.
    """
    returned = metric.statistics(batch, knowledge)
    try:
        found = np.asarray(returned, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"{metric.name} did not return a table of numbers ({error}). {_whose(metric)}"
        ) from None
    if found.ndim != 2 or len(found) != len(batch):
        values = len(found) if found.ndim else 1
        what = f"{values:,} values" if found.ndim == 2 else f"an array of shape {found.shape}"
        raise InputError(f"{metric.name} returned {what} for {len(batch):,} captions. {_whose(metric)}")
    bad = np.flatnonzero(~np.isfinite(found).all(axis=1))
    if len(bad):
        metric.refuse_gaps(batch, bad)
    return found


def findings_of(metric: Metric, batch: Batch, knowledge: Any, asked: bool) -> Found | None:
    """A metric's findings in each caption of a batch, where they are asked for and it gives any."""
    if not (asked and metric.gives_findings):
        return None
    found = list(metric.findings(batch, knowledge))
    if len(found) != len(batch):
        raise InputError(
            f"{metric.name} returned findings in {len(found):,} captions of {len(batch):,}. {_whose(metric)}"
        )
    return found


def _whose(metric: Metric) -> str:
    return f"Leave the metric out, or fix {type(metric).__module__}."


def shards(corpus: Corpus, jobs: int) -> list[IntArray]:
    """Rows of the corpus in at most `jobs` parts of about equal size, whole images each."""
    if jobs == 1 or len(corpus) < jobs:
        return [np.arange(len(corpus))]
    order = np.argsort(corpus.image_of, kind="stable")
    images = corpus.image_of[order]
    wanted = np.linspace(0, len(order), jobs + 1).astype(np.int64)[1:-1]
    cuts = np.searchsorted(images, images[wanted], side="left")
    return [np.sort(part) for part in np.split(order, cuts) if len(part)]


def _run_here(
    corpus: Corpus, metrics: Sequence[Metric], progress: Progress | None, findings: bool
) -> list[Run]:
    batch = Batch(corpus)
    runs = []
    for done, metric in enumerate(metrics):
        metric.prepare(progress)
        if progress:
            progress(metric.name, done, len(metrics))
        with reporting_to(_inside(metric, progress)):
            knowledge = metric.merge([metric.collect(batch)])
            metric.check(corpus, knowledge)
            statistics = statistics_of(metric, batch, knowledge)
            runs.append(Run(statistics, knowledge, findings_of(metric, batch, knowledge, findings)))
    if progress:
        progress("", len(metrics), len(metrics))
    return runs


def _inside(metric: Metric, progress: Progress | None) -> Progress | None:
    """Progress of a metric's own work, under its name."""
    if progress is None:
        return None
    return lambda what, done, total: progress(f"{metric.name}, {what}", done, total)


def _run_apart(
    corpus: Corpus, metrics: Sequence[Metric], rows: list[IntArray], progress: Progress | None, findings: bool
) -> list[Run]:
    for metric in metrics:  # once, not in every process
        metric.prepare(progress)
    workers = [Worker(_work, corpus, part, metrics, findings) for part in rows]
    pipes = [worker.pipe for worker in workers]
    try:
        return [
            _one_metric(corpus, metric, rows, pipes, progress, (done, len(metrics)))
            for done, metric in enumerate(metrics)
        ]
    finally:
        for worker in workers:
            worker.end()
        if progress:
            progress("", len(metrics), len(metrics))


def _one_metric(
    corpus: Corpus,
    metric: Metric,
    rows: list[IntArray],
    pipes: Sequence[Connection],
    progress: Progress | None,
    place: tuple[int, int],
) -> Run:
    if progress:
        progress(metric.name, *place)
    knowledge = metric.merge(_gather(pipes))
    metric.check(corpus, knowledge)
    for pipe in pipes:
        pipe.send(knowledge)
    parts, finds = zip(*_gather(pipes), strict=True)
    if len({part.shape[1] for part in parts}) > 1:
        raise InputError(f"{metric.name} returned rows of different lengths. {_whose(metric)}")
    statistics = np.empty((len(corpus), parts[0].shape[1]))
    found: Found | None = None if finds[0] is None else [None] * len(corpus)
    for part, numbers, places in zip(rows, parts, finds, strict=True):
        statistics[part] = numbers
        if found is not None:
            for row, own in zip(part.tolist(), places, strict=True):
                found[row] = own
    return Run(statistics, knowledge, found)


def _gather(pipes: Iterable[Connection]) -> list[Any]:
    answers = []
    for pipe in pipes:
        try:
            answer = pipe.recv()
        except EOFError:
            raise InputError(
                "a worker process ended early, often because memory ran out. Try again with fewer",
                python="jobs.",
                command="--jobs.",
            ) from None
        if isinstance(answer, CaptiousError):
            raise answer
        answers.append(answer)
    return answers


def _work(
    pipe: Connection, corpus: Corpus, rows: IntArray, metrics: Sequence[Metric], findings: bool
) -> None:
    """What a worker does: answer twice for every metric, in order."""
    try:
        batch = Batch(corpus.select(rows).compact())
        for metric in metrics:
            pipe.send(metric.collect(batch))
            knowledge = pipe.recv()
            statistics = statistics_of(metric, batch, knowledge)
            pipe.send((statistics, findings_of(metric, batch, knowledge, findings)))
    except CaptiousError as error:
        pipe.send(error)
    except EOFError:
        return  # the parent gave up, and has said why
