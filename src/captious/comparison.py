"""`compare`: does system A beat system B, or did the sample of images decide it?"""

from __future__ import annotations

from collections.abc import Sequence

from captious.arguments import check_arguments
from captious.corpus import Corpus
from captious.corpus.given import Given
from captious.corpus.significance import Comparison, MetricComparison, Pair, refuse_different_images
from captious.engine import Progress
from captious.metrics import Asked
from captious.scoring import as_corpus, refuse_references_as_metrics, score
from captious.stats.resample import DEFAULT_RESAMPLES, DEFAULT_SEED
from captious.stats.significance import DEFAULT_TRIALS

__all__ = ["Comparison", "MetricComparison", "Pair", "compare"]


def compare(
    corpus: Corpus | Given,
    metrics: Asked | Sequence[Asked] | None = None,
    *,
    references: Given | None = None,
    resamples: int = DEFAULT_RESAMPLES,
    trials: int = DEFAULT_TRIALS,
    level: float = 0.95,
    seed: int = DEFAULT_SEED,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Comparison:
    """Score all systems and test every pair of them. Same as `score(…).significance()`.

    `corpus` is a `Corpus` of several systems, or their captions by system, with `references`, as
    `load_corpus` takes them.

    >>> references = [[f"a man rides horse number {i}"] for i in range(40)]
    >>> good = [f"a man rides horse {i}" for i in range(40)]
    >>> poor = ["a horse" for _ in range(40)]
    >>> found = compare({"good": good, "poor": poor}, ["rouge_l"], references=references)
    >>> pair = found.metrics["rouge_l"].pairs[0]
    >>> pair.a, pair.wins, pair.losses, pair.p_randomisation < 0.001
    ('good', 40, 0, True)
    """
    refuse_references_as_metrics(metrics)
    check_arguments(compare, locals())
    corpus = as_corpus(corpus, references)
    refuse_different_images(corpus)
    scores = score(corpus, metrics, resamples=resamples, level=level, seed=seed, jobs=jobs, progress=progress)
    return scores.significance(resamples=resamples, trials=trials, level=level, seed=seed)
