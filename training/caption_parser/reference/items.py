"""The five sets of items that the reference implementation has scored, as corpora."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from captious.benchmarks.datasets.flickr8k import load_expert
from captious.benchmarks.datasets.karpathy import load_karpathy_m2
from captious.benchmarks.datasets.mean_scores import load_capeval1k, load_nebula
from captious.benchmarks.datasets.thumb import load_thumb
from captious.benchmarks.protocol import RatedExamples
from captious.corpus import Corpus
from captious.metrics import Batch
from captious.metrics.spice import Counts, SceneGraph
from captious.metrics.spice.score import compare_graphs
from captious.text.scene_graph import Tuple


class ItemSet(NamedTuple):
    """Examples with the ids that the golden items have, and human judgments where there are any."""

    corpus: Corpus
    keys: list[str]
    judged: RatedExamples | None = None


def _of(data: RatedExamples) -> ItemSet:
    return ItemSet(data.corpus, data.keys(), data)


def _karpathy_m2(folder: Path) -> ItemSet:
    corpus = load_karpathy_m2(folder)
    return ItemSet(corpus, [corpus.image_ids[image] for image in corpus.image_of.tolist()])


# The name of the golden file, and what loads its examples.
SETS: dict[str, Callable[[Path], ItemSet]] = {
    "thumb": lambda folder: _of(load_thumb(folder, human="with", leaked="keep")),
    "flickr8k_expert": lambda folder: _of(load_expert(folder)),
    "karpathy_m2": _karpathy_m2,
    "nebula": lambda folder: _of(load_nebula(folder)),
    "capeval1k": lambda folder: _of(load_capeval1k(folder)),
}


class Captions(NamedTuple):
    """A corpus by its distinct captions, each as its tokens."""

    batch: Batch
    tokens: list[str]

    @classmethod
    def of(cls, corpus: Corpus) -> Captions:
        """Tokenise every distinct caption once."""
        batch = Batch(corpus)
        table = batch.tokens("ptb")
        return cls(batch, [" ".join(table.words(row)) for row in range(len(batch.texts))])

    def holds_for_all(self, test: Callable[[str], bool]) -> NDArray[np.bool_]:
        """For each example, whether a test holds for its candidate and all its references."""
        passed = np.array([test(tokens) for tokens in self.tokens], dtype=bool)
        found = passed[self.batch.candidate_text]
        examples, texts = self.batch.pairs()
        found[examples[~passed[texts]]] = False
        return found


def counts_from_tuples(captions: Captions, tuples: Mapping[str, list[Tuple]]) -> dict[int, Counts]:
    """Counts of each example all of whose captions have tuples, from tuples by caption.

    >>> corpus = Corpus.from_lists(["A dog.", "A cat."], [["a dog"], ["a dog"]])
    >>> counts_from_tuples(Captions.of(corpus), {"a dog": [("dog",)]})
    {0: Counts(matched=1, invented=0, missed=0)}
    """
    batch, tokens = captions
    offsets, rows = batch.corpus.references.offsets.tolist(), batch.reference_text.tolist()
    sets, own = batch.corpus.references_of.tolist(), batch.candidate_text.tolist()
    merged: dict[int, SceneGraph] = {}
    found = {}
    for example in np.flatnonzero(captions.holds_for_all(tuples.__contains__)).tolist():
        number = sets[example]
        if number not in merged:
            theirs = rows[offsets[number] : offsets[number + 1]]
            merged[number] = SceneGraph.of([tuples[tokens[row]] for row in theirs])
        candidate = SceneGraph.of([tuples[tokens[own[example]]]])
        found[example] = compare_graphs(candidate, merged[number])
    return found
