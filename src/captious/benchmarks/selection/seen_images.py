"""Examples left out for all metrics alike: images that one was trained on, or could not read."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from captious.benchmarks.protocol import Preferences
from captious.benchmarks.scores import BenchmarkScores
from captious.benchmarks.selection.extra_inputs import Data, of_images
from captious.corpus.ids import loose_id
from captious.errors import InputError, one_line
from captious.metrics import Asked, resolve_all
from captious.metrics.seen import seen_by

NAMED = 3


def without_unread_images(data: Data, scores: BenchmarkScores) -> tuple[Data, BenchmarkScores]:
    """The benchmark and its scores without the images that some metric has no score for.

    >>> from captious.benchmarks.protocol import Protocol, rated_examples
    >>> from captious.corpus import Corpus
    >>> corpus = Corpus.from_lists(["a dog", "a cat"], image_ids=["1.jpg", "2.jpg"])
    >>> data = rated_examples(Protocol("mine"), corpus, {"overall": [[4], [1]]}, ["a", "b"])
    >>> found, kept = without_unread_images(data, BenchmarkScores({"m": np.array([[0.5, np.nan]])}, {}))
    >>> found.ids, kept.arrays["m"].tolist(), found.notes[0].partition(" are")[0]
    (['a'], [[0.5]], '1 examples of 1 images that m could not read ("2.jpg")')
    """
    unread = {name: np.isnan(values).any(0) for name, values in scores.arrays.items()}
    blind = [name for name, rows in unread.items() if rows.any()]
    if not blind:
        return data, scores
    corpus = data.corpora[0] if isinstance(data, Preferences) else data.corpus
    read = np.ones(len(corpus.image_ids), dtype=bool)
    for name in blind:
        read[corpus.image_of[unread[name]]] = False
    lost = [corpus.image_ids[image] for image in np.flatnonzero(~read).tolist()]
    named = ", ".join(f'"{one_line(image, 60)}"' for image in lost[:NAMED])
    lacking = f"that {' and '.join(blind)} could not read ({named}{', …' if len(lost) > NAMED else ''})"
    rows = np.flatnonzero(read[corpus.image_of])
    arrays = {name: values[:, rows] for name, values in scores.arrays.items()}
    findings = {name: own.select(rows) for name, own in scores.findings.items()}
    return of_images(data, read, lacking), BenchmarkScores(arrays, scores.signatures, findings)


def without_seen_images(data: Data, asked: Sequence[Asked], *, drop: bool) -> Data:
    """The benchmark if no metric was trained on its images, or with `drop` without these images."""
    images = (data.corpora[0] if isinstance(data, Preferences) else data.corpus).image_ids
    seen = seen_by(resolve_all(asked), images) if asked else {}
    if not seen:
        return data
    if not drop:
        name, own = next(iter(seen.items()))
        raise InputError(
            f"{name} was trained on {len(own):,} of the {len(images):,} images, so its agreement with their "
            "judgments would be too high.",
            python="Set unseen=True to leave these images out for all metrics.",
            command="Add --unseen to leave these images out for all metrics.",
        )
    every = frozenset[str]().union(*seen.values())
    kept = np.array([loose_id(image) not in every for image in images])
    if not kept.any():
        raise InputError(
            f"{' and '.join(seen)}: trained on all {len(images):,} images, so none is left to test."
        )
    return of_images(data, kept, f"that {' and '.join(seen)} was trained on")
