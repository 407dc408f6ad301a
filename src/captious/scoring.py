"""`score` and `compute`: a corpus in, every metric's scores out."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, Literal, overload

import numpy as np

from captious.arguments import check_arguments
from captious.corpus import Corpus, CorpusScore, MetricScores, Scores
from captious.corpus.scores import sums_by_image
from captious.corpus.shards import ShardedCorpus
from captious.corpus.types import listed, require_texts
from captious.engine import Progress, Run, run_metrics
from captious.engine.shards import ShardedScores, score_shards
from captious.engine.shards.choice import EngineName, engine_of
from captious.errors import CaptiousWarning, InputError
from captious.groups import expand, missing_for, usual
from captious.metrics import Metric, known_metrics, resolve_all
from captious.metrics.scripts import warn_of_script
from captious.stats.resample import DEFAULT_SEED

_SAMPLE = 100  # captions that tell which metrics of a group can run over shards

__all__ = ["assemble", "available_metrics", "compute", "missing_for", "score"]


@overload
def score(
    corpus: Corpus,
    metrics: str | Sequence[str | Metric] | None = None,
    *,
    resamples: int = 0,
    level: float = 0.95,
    seed: int = DEFAULT_SEED,
    jobs: int = 1,
    progress: Progress | None = None,
    out: None = None,
    engine: Literal["local"] = "local",
    address: str = "",
) -> Scores: ...
@overload
def score(
    corpus: ShardedCorpus,
    metrics: str | Sequence[str | Metric] | None = None,
    *,
    resamples: int = 0,
    level: float = 0.95,
    seed: int = DEFAULT_SEED,
    jobs: int = 1,
    progress: Progress | None = None,
    out: str | PathLike[str] | None = None,
    engine: EngineName = "local",
    address: str = "",
    overwrite: bool = False,
) -> ShardedScores: ...
def score(
    corpus: Corpus | ShardedCorpus,
    metrics: str | Sequence[str | Metric] | None = None,
    *,
    resamples: int = 0,
    level: float = 0.95,
    seed: int = DEFAULT_SEED,
    jobs: int = 1,
    progress: Progress | None = None,
    out: str | PathLike[str] | None = None,
    engine: EngineName = "local",
    address: str = "",
    overwrite: bool = False,
) -> Scores | ShardedScores:
    """Score every example of `corpus` with every metric, or group of metrics (`groups.expand`).

    Without `metrics` the classic ones run, or those that need no references where there are none.
    Of a group, what cannot run here is left out with a warning that names it.

    With `resamples` (1,000 is usual) each system's corpus value gets a percentile bootstrap
    interval over images (Efron 1979; Koehn 2004), drawn from the examples' sufficient statistics.

    Shards (`captious.open_shards`) are scored block by block, their captions' scores written to the
    folder `out`, on this machine or, with `engine="ray"`, on the Ray cluster at `address`; intervals
    are then of the Poisson bootstrap. The result is a `ShardedScores`, which holds the corpus's values.
    Finished scores in `out` of shards or metrics that are not given again are replaced only with
    `overwrite`.

    >>> corpus = Corpus.from_lists(
    ...     ["A cat on a mat.", "Two dogs."],
    ...     [["A cat sits on a mat."], ["Two dogs play.", "A pair of dogs."]])
    >>> scores = score(corpus, ["bleu1", "rouge_l"])
    >>> round(scores["bleu1"].score, 3)
    0.751
    >>> scores["rouge_l"].signature
    'rouge_l|refs:1-2|tok:ptb|variant:coco|beta:1.2|v:0.1.0'
    """
    check_arguments(score, locals())
    if isinstance(corpus, ShardedCorpus):
        if out is None:
            raise InputError(
                "scores of shards go to a folder.", python="Give out=FOLDER.", command="Give --out FOLDER."
            )
        found = resolve_all(_chosen(metrics, corpus.sample(_SAMPLE)))
        where = engine_of(engine, jobs, address, list(found.values()))
        draws: dict[str, Any] = {"resamples": resamples, "level": level, "seed": seed}
        return score_shards(corpus, found, out, where, **draws, overwrite=overwrite, progress=progress)
    if out is not None:
        raise InputError(
            "out= is for shards. Open them with captious.open_shards, or leave it out and write "
            "score(…).to_pandas() to a file."
        )
    if len(corpus) == 0:
        raise InputError("the corpus has no captions to score.")
    asked = resolve_all(_chosen(metrics, corpus))
    _refuse_missing_references(corpus, asked)
    warn_of_script(asked, corpus.captions)
    runs = run_metrics(corpus, list(asked.values()), jobs=jobs, progress=progress)
    return assemble(corpus, asked, runs, resamples=resamples, level=level, seed=seed)


def assemble(
    corpus: Corpus,
    asked: Mapping[str, Metric],
    runs: Sequence[Run],
    *,
    resamples: int = 0,
    level: float = 0.95,
    seed: int = DEFAULT_SEED,
) -> Scores:
    """Corpus values, intervals and signatures from what the engine gave for each metric of `asked`."""
    found = {}
    for (name, metric), run in zip(asked.items(), runs, strict=True):
        values = metric.example_scores(run.statistics)
        scored = corpus.system_of[~np.isnan(values)]
        counts = np.bincount(scored, minlength=len(corpus.systems)).tolist()
        sums = sums_by_image(corpus, run.statistics)
        systems = {
            system: CorpusScore(float(metric.corpus_score(sums[system].sum(axis=0))), None, None, n)
            for system, n in zip(corpus.systems, counts, strict=True)
            if system in sums
        }
        found[name] = MetricScores(
            name=name,
            signature=metric.signature(corpus, run.knowledge),
            values=values,
            statistics=run.statistics,
            systems=systems,
            metric=metric,
            percent=metric.percent,
            details=metric.details(run.statistics),
            title=metric.title,
            notes=tuple(metric.notes(corpus, run.knowledge)),
            unscored=metric.unscored(run.knowledge),
        )
    scores = Scores(corpus, found, level)
    return scores.with_intervals(resamples, level=level, seed=seed) if resamples else scores


def compute(
    predictions: Any,
    references: Any = None,
    metrics: str | Sequence[str | Metric] | None = None,
    *,
    jobs: int = 1,
) -> dict[str, float]:
    """Corpus scores of parallel lists, in the manner of Hugging Face's `evaluate`.

    Lists, tuples, Series and arrays of texts; or dicts from image id to caption and to references.

    >>> compute(["a cat"], [["a cat", "the cat"]], metrics=["bleu1"])["bleu1"]
    0.999999999...
    """
    check_arguments(compute, locals())
    if isinstance(predictions, Mapping):
        corpus = Corpus.from_dict(predictions, references)
    else:
        corpus = Corpus.from_lists(*_parallel(predictions, references))
    scores = score(corpus, metrics, jobs=jobs)
    return {name: scores[name].score for name in scores}


def _parallel(predictions: Any, references: Any) -> tuple[list[str], list[list[str]] | None]:
    predictions, references = listed(predictions), listed(references)
    require_texts(predictions, "predictions")
    if references is None:
        return predictions, None
    if isinstance(references, str) or not isinstance(references, Sequence):
        raise InputError("references must be a list with one entry, or list, for each prediction.")
    sets = [[own] if isinstance(own, str) else listed(own) for own in references]
    for place, own in enumerate(sets):
        require_texts(own, f"references of prediction {place + 1}")
    return predictions, [list(own) for own in sets]


def _chosen(metrics: str | Sequence[str | Metric] | None, corpus: Corpus) -> list[str | Metric]:
    chosen = expand(usual(corpus) if metrics is None else metrics, corpus)
    for line in chosen.reasons():
        warnings.warn(line, CaptiousWarning, stacklevel=3)
    if chosen.left_out and not chosen.metrics:
        raise InputError("no metric can run here on these captions. Name one in metrics=.")
    return chosen.metrics


def available_metrics(needs: frozenset[str] = frozenset({"references"})) -> list[str]:
    """Names of the metrics that ask for no more than `needs` and can run here as things are."""
    check_arguments(available_metrics, locals())
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
