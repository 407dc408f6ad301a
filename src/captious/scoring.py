"""`score` and `compute`: a corpus in, every metric's scores out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from captious.corpus import Corpus, CorpusScore, MetricScores, Scores
from captious.corpus.columns import FloatArray
from captious.corpus.types import require_texts
from captious.engine import Progress, run_metrics
from captious.errors import InputError
from captious.groups import CLASSIC, expand, missing_for
from captious.metrics import Metric, known_metrics, resolve_all
from captious.metrics.scripts import warn_of_script
from captious.stats.resample import DEFAULT_SEED, bootstrap_sums, cluster_sums, percentile_interval

__all__ = ["CLASSIC", "available_metrics", "compute", "missing_for", "score", "sums_by_image"]


def score(
    corpus: Corpus,
    metrics: str | Sequence[str | Metric] = CLASSIC,
    *,
    resamples: int = 0,
    level: float = 0.95,
    seed: int = DEFAULT_SEED,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Scores:
    """Score every example of `corpus` with every metric, or group of metrics (`groups.expand`).

    With `resamples` (1,000 is usual) each system's corpus value gets a percentile bootstrap
    interval over images (Efron 1979; Koehn 2004), drawn from the examples' sufficient statistics.

    >>> corpus = Corpus.from_lists(
    ...     ["A cat on a mat.", "Two dogs."],
    ...     [["A cat sits on a mat."], ["Two dogs play.", "A pair of dogs."]])
    >>> scores = score(corpus, ["bleu1", "rouge_l"])
    >>> round(scores["bleu1"].score, 3)
    0.751
    >>> scores["rouge_l"].signature
    'rouge_l|refs:1-2|tok:ptb|variant:coco|beta:1.2|v:0.1.0'
    """
    if len(corpus) == 0:
        raise InputError("the corpus has no captions to score.")
    asked = resolve_all(expand(metrics, corpus).metrics)
    _refuse_missing_references(corpus, asked)
    warn_of_script(asked, corpus.captions)
    runs = run_metrics(corpus, list(asked.values()), jobs=jobs, progress=progress)
    sums = {
        (name, system): by_image
        for name, run in zip(asked, runs, strict=True)
        for system, by_image in sums_by_image(corpus, run.statistics).items()
    }
    draws = _resample(sums, resamples, seed) if resamples else {}
    found = {}
    for (name, metric), run in zip(asked.items(), runs, strict=True):
        values = metric.example_scores(run.statistics)
        scored = corpus.system_of[~np.isnan(values)]
        counts = np.bincount(scored, minlength=len(corpus.systems)).tolist()
        systems = {}
        for system, n in zip(corpus.systems, counts, strict=True):
            if (name, system) in sums:
                value = float(metric.corpus_score(sums[name, system].sum(axis=0)))
                drawn = draws.get((name, system))
                systems[system] = _with_interval(metric, value, drawn, level, n)
        found[name] = MetricScores(
            name=name,
            signature=metric.signature(corpus, run.knowledge),
            values=values,
            statistics=run.statistics,
            systems=systems,
            percent=metric.percent,
            details=metric.details(run.statistics),
            title=metric.title,
            notes=tuple(metric.notes(corpus, run.knowledge)),
            unscored=metric.unscored(run.knowledge),
        )
    return Scores(corpus, found)


def compute(
    predictions: Sequence[str],
    references: Sequence[Sequence[str]] | Sequence[str],
    metrics: Sequence[str | Metric] = CLASSIC,
    *,
    jobs: int = 1,
) -> dict[str, float]:
    """Corpus scores of parallel lists, in the manner of Hugging Face's `evaluate`.

    >>> compute(["a cat"], [["a cat", "the cat"]], metrics=["bleu1"])["bleu1"]
    0.999999999...
    """
    require_texts(predictions, "predictions")
    if isinstance(references, str) or not isinstance(references, Sequence):
        raise InputError("references must be a list with one entry, or list, for each prediction.")
    lists = [[entry] if isinstance(entry, str) else list(entry) for entry in references]
    corpus = Corpus.from_lists(predictions, lists)
    scores = score(corpus, metrics, jobs=jobs)
    return {name: scores[name].score for name in scores}


def available_metrics(needs: frozenset[str] = frozenset({"references"})) -> list[str]:
    """Names of the metrics that ask for no more than `needs` and can run here as things are."""
    names = []
    for name, metric in known_metrics().items():
        if metric.needs <= needs and not missing_for(name):
            names.append(name)
    return names


def _refuse_missing_references(corpus: Corpus, asked: Mapping[str, Metric]) -> None:
    for name, metric in asked.items():
        if "references" in metric.needs and not len(corpus.references):
            raise InputError(
                f"{name} needs references, and there are none.",
                python='Make the corpus with references, or ask for metrics="free", those that need none.',
                command="Give --references FILE, or --metrics free for those that need none.",
            )


def sums_by_image(corpus: Corpus, statistics: FloatArray) -> dict[str, FloatArray]:
    """For each system, statistics summed by image, images in the order of the corpus."""
    sums = {}
    for index, system in enumerate(corpus.systems):
        rows = np.flatnonzero(corpus.system_of == index)
        if len(rows):
            images, places = np.unique(corpus.image_of[rows], return_inverse=True)
            sums[system] = cluster_sums(statistics[rows], places, len(images))
    return sums


def _resample(
    sums: Mapping[tuple[str, str], FloatArray], resamples: int, seed: int
) -> dict[tuple[str, str], FloatArray]:
    """Resampled sums of every block; blocks over equally many images share their draws."""
    drawn: dict[tuple[str, str], FloatArray] = {}
    for size in sorted({len(block) for block in sums.values() if len(block) > 1}):
        keys = [key for key, block in sums.items() if len(block) == size]
        together = bootstrap_sums(np.hstack([sums[key] for key in keys]), resamples, seed)
        ends = np.cumsum([sums[key].shape[1] for key in keys])[:-1]
        drawn |= dict(zip(keys, np.split(together, ends, axis=1), strict=True))
    return drawn


def _with_interval(
    metric: Metric, value: float, drawn: FloatArray | None, level: float, n: int
) -> CorpusScore:
    if drawn is None:
        return CorpusScore(value, None, None, n)  # not asked for, or a single image
    interval = percentile_interval(metric.corpus_score(drawn), value, level)
    return CorpusScore(value, interval.low, interval.high, n)
