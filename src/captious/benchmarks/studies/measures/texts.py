"""Captions without judgments: statistics of a data set, and one caption of each image against the others."""

from __future__ import annotations

import numpy as np

from captious.benchmarks.data_files import MissingDataError
from captious.benchmarks.studies.asked import Asked, Cells, Measured, around, measure, one_run
from captious.benchmarks.studies.measures.scores import corpus_scores
from captious.corpus import Corpus
from captious.corpus.describe import MeanSd, Sample, describe, load_captions
from captious.errors import InputError

SAMPLE = Sample(4500, 5, 5, 0)  # ObjectNet Captions, Table 1, with five draws
COLUMNS = ("tokens", "bigrams", "3-grams", "4-grams")


@measure("statistics")
def statistics(asked: Asked) -> Cells:
    """Distinct tokens and n-grams of samples of 4,500 images with 5 captions each."""
    if asked.is_own:
        raise InputError("it describes captions, not judgments: captious data stats FILE.")
    captions = load_captions(asked.path(asked.data.captions))
    (row,) = asked.table.rows
    found = describe(row, captions, SAMPLE)
    return {(row, name): _over_draws(value) for name, value in zip(COLUMNS, found.unique, strict=True)}


def _over_draws(value: MeanSd) -> Measured:
    # The sample of the paper is one of such draws.
    return around(value.mean, value.sd**2, f"by which {SAMPLE.images:,} images are drawn")


@measure("held out")
def held_out(asked: Asked, draws: int = 3) -> Cells:
    """People against people: one caption of each image, drawn at random, against the others."""
    if asked.is_own:
        raise InputError("it needs the captions of people: captious score on a caption that is held out.")
    captions = load_captions(asked.path(asked.data.captions))
    (row,) = asked.table.rows
    ways: dict[str, list[float]] = {}
    for draw in range(draws):
        rng = np.random.default_rng(draw)
        kept = [(own, int(rng.integers(len(own)))) for own in captions if len(own) > 1]
        corpus = Corpus.from_lists(
            [own[place] for own, place in kept], [own[:place] + own[place + 1 :] for own, place in kept]
        )
        for name, value in corpus_scores(asked, corpus).items():
            ways.setdefault(name, []).append(value)
    return {(row, name): one_run(own, "by which caption is held out") for name, own in ways.items()}


@measure("by command")
def by_command(asked: Asked, command: str, why: str) -> Cells:
    """Nothing that is measured here: a scale in words, or what another command trains and computes."""
    raise MissingDataError(f"{why}: {command}")
