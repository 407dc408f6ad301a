"""Gamma (Mathet, Widlöcher and Métivier 2015), by the package pygamma-agreement."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np

from captious.errors import MissingDependencyError
from captious.stats.estimate import Clusters, Estimate, undefined
from captious.stats.resample import DEFAULT_SEED, Seed, generator
from captious.stats.spans import NO_TWO, MarkedText

SAMPLES = 30  # of chance, the package's default


def gamma_agreement(
    texts: Sequence[MarkedText],
    *,
    samples: int = SAMPLES,
    resamples: int = 0,
    clusters: Clusters = None,
    level: float = 0.95,
    seed: Seed = DEFAULT_SEED,
) -> Estimate:
    """Return gamma = 1 - disorder / expected disorder of the best alignment of the raters' marks.

    Two marks differ in place by ((|start - start'| + |end - end'|) / (length + length'))^2 and in kind by 1,
    both with weight 1; a mark without a partner costs 1. What is expected comes from `samples` random
    continua. The texts that all raters read are strung together. There is no interval: `resamples` and
    `clusters` are not used. Needs pygamma-agreement (`captious[gamma]`).
    """
    raters = max((len(one.by) for one in texts), default=0)
    kept = [one for one in texts if len(one.by) == raters]
    if raters < 2:
        return undefined(NO_TWO, 0, raters, level)
    marked = sum(any(one.by[rater] for one in kept) for rater in range(raters))
    if marked < raters:
        return undefined("a rater marked nothing in the captions that all read", len(kept), raters, level)
    try:
        from pyannote.core import Segment
        from pygamma_agreement import CombinedCategoricalDissimilarity, Continuum
    except ImportError:
        raise MissingDependencyError("gamma needs pygamma-agreement", "gamma") from None
    continuum = Continuum()
    start = 0
    for one in kept:
        for rater, marks in enumerate(one.by):
            for mark in marks:
                continuum.add(f"{rater:06d}", Segment(start + mark.start, start + mark.end), mark.kind or "-")
        start += len(one.text) + 1
    np.random.seed(int(generator(seed).integers(2**32)))
    with _quiet():
        found = continuum.compute_gamma(
            CombinedCategoricalDissimilarity(alpha=1, beta=1), n_samples=samples, fast=True
        )
    nan = float("nan")
    return Estimate(float(found.gamma), nan, nan, level, len(kept), raters, 0, 0, "")


@contextmanager
def _quiet() -> Iterator[None]:
    """Without what the package's solver prints to standard output, and its warnings."""
    import logging

    held = os.dup(1)
    logging.disable(logging.WARNING)
    try:
        with open(os.devnull, "w") as nowhere:  # noqa: PTH123 - a device
            os.dup2(nowhere.fileno(), 1)
        yield
    finally:
        os.dup2(held, 1)
        os.close(held)
        logging.disable(logging.NOTSET)
