"""Anybody's judgments: a file of rows with image, caption, references and rating."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from captious.benchmarks.protocol import Protocol, RatedExamples
from captious.corpus.judged import read_judgments
from captious.errors import InputError

OWN_FILE = Protocol(name="", ratings="mean", source="a file of judgments")


def load_own_file(path: Path) -> RatedExamples:
    """Rows `{"image", "caption", "references", "rating"[, "system", "rater", "aspect", …]}`.

    Rows with the same image and system are ratings of one example, which are averaged.
    """
    judgments, corpus = read_judgments(path)
    if corpus is None:
        raise InputError(
            f'{path}: no captions in it. Each row needs "image", "caption", "rating" and, for most '
            'metrics, "references".'
        )
    places = judgments.places_in(corpus)
    rated = np.unique(places)
    if len(rated) < len(corpus):
        corpus = corpus.select(rated)
        places = np.searchsorted(rated, places)
    aspects = judgments.aspects
    aspect = next((name for name in ("overall", "total") if name in aspects), aspects[0])
    protocol = replace(OWN_FILE, name=path.name, aspect=aspect)
    ids = [corpus.image_ids[image] for image in corpus.image_of.tolist()]
    return RatedExamples(protocol, corpus, judgments.in_order(places, len(corpus)), ids)
