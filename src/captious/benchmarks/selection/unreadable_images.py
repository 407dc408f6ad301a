"""Examples whose photograph a metric could not read: left out for all metrics alike, by name."""

from __future__ import annotations

import numpy as np

from captious.benchmarks.protocol import Preferences
from captious.benchmarks.scores import BenchmarkScores
from captious.benchmarks.selection.extra_inputs import Data, of_images
from captious.errors import one_line

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
