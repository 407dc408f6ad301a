"""Compare systems by sharded scores: differences of all captions, tests of single images on a sample."""

from __future__ import annotations

import os
from dataclasses import replace

import numpy as np

from captious.corpus.significance import Comparison, MetricComparison, significance
from captious.engine.shards.read import SAMPLE_IMAGES, Sampled, sampled
from captious.errors import InputError
from captious.stats.significance import DEFAULT_TRIALS, Resampled


def compare_shards(
    place: str | os.PathLike[str],
    *,
    metrics: list[str] | None = None,
    images: int = SAMPLE_IMAGES,
    resamples: int | None = None,
    trials: int = DEFAULT_TRIALS,
    level: float = 0.95,
    seed: int = 12345,
) -> tuple[Comparison, str]:
    """Every pair of systems in a folder of scores, and a note on the sample.

    Differences, their intervals and the bootstrap's p-values are of all captions: the weights of the
    Poisson bootstrap are the same for both systems of a pair. Wins, ties, losses and approximate
    randomisation look at single images, and are of the images in the sample. The resamples were drawn
    when the captions were scored: `resamples` uses the first of them, and more than there are is refused.
    """
    found = sampled(place, images, metrics)
    drawn = max(len(own[name].drawn) for own in found.totals.sums.values() for name in found.scores)
    if not drawn:
        raise InputError(f"{place}: was scored without resamples. Score it again with --resamples 1000.")
    if resamples is not None and resamples > drawn:
        raise InputError(
            f"{place}: only {drawn:,} resamples were drawn when it was scored. "
            f"Leave --resamples out, or score it again with --resamples {resamples}."
        )
    draws = resamples or drawn
    counts = {own[name].scored for own in found.totals.sums.values() for name in found.scores}
    compared = significance(found.scores, resamples=draws, trials=trials, level=level, seed=seed)
    pairs = {name: _of_all(found, name, compared.metrics[name], draws, level) for name in found.scores}
    note = found.note
    if len(counts) > 1:
        note += " The systems describe different numbers of images; each uses all of its own."
    return replace(compared, metrics=pairs), note.strip()


def _of_all(
    found: Sampled, name: str, compared: MetricComparison, draws: int, level: float
) -> MetricComparison:
    metric = found.scores[name].metric
    systems = list(found.totals.sums)
    sums = [found.totals.sums[system][name] for system in systems]
    points = np.array([float(metric.corpus_score(own.total)) for own in sums])
    resampled = Resampled(points, np.stack([metric.corpus_score(own.drawn[:draws]) for own in sums]))
    pairs = []
    for pair in compared.pairs:
        test = resampled.difference(systems.index(pair.a), systems.index(pair.b), level)
        pairs.append(
            pair._replace(difference=test.difference, low=test.low, high=test.high, p_bootstrap=test.p_value)
        )
    return replace(compared, pairs=pairs)
