"""SPICE (Anderson et al. 2016) as a metric: captions in, scores and explanations out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from captious.corpus import Corpus
from captious.corpus.columns import FloatArray
from captious.metrics.base import Metric, reference_count_label
from captious.metrics.batch import Batch
from captious.metrics.registry import register
from captious.metrics.spice.graph import SceneGraph
from captious.metrics.spice.score import Explanation, compare_graphs, explain_tuples
from captious.metrics.spice.sources import tuple_source
from captious.text.ptb.tokenise import tokenise_many
from captious.text.scene_graph import Tuple
from captious.text.synsets import wordnet


@register("spice")
@dataclass(frozen=True)
class Spice(Metric):
    """SPICE: F-score over the objects, attributes and relations that captions name.

    Each caption becomes a scene graph; the references' graphs are merged; words match by lemma or
    by a shared WordNet synset. A caption without any tuple scores 0. The corpus score is the mean
    of the examples' scores.

    `parser` says where tuples come from: `caption` (the parser inside the package),
    `caption:FILE` (the same with other weights), `spacy`, or `corenlp-tuples:FILE`, tuples
    computed elsewhere.

    >>> from captious.corpus import Corpus
    >>> batch = Batch(Corpus.from_lists(["a red bus"], [["a bus on a street"]]))
    >>> Spice().score_examples(batch, None).round(3).tolist()
    [0.4]
    """

    summary: ClassVar[str] = "scene graphs: objects, attributes, relations; without Java"
    citation: ClassVar[str] = "Anderson et al. 2016"

    parser: str = "caption"

    def ready(self) -> None:
        """Raise where the parser or the file of tuples is not here."""
        _ = tuple_source(self.parser).name

    def score_examples(self, batch: Batch, knowledge: Any) -> FloatArray:
        """F-score of each example."""
        if not len(batch):
            return np.zeros(0)
        batch.pairs()  # refuses examples without references
        tuples = batch.once(("spice_tuples", self.parser), lambda: self._tuples(batch))
        graphs = batch.once(("spice_graphs", self.parser), lambda: _merged(batch, tuples))
        candidates = [SceneGraph.of([tuples[text]]) for text in batch.candidate_text.tolist()]
        sets = batch.corpus.references_of.tolist()
        return np.array(
            [
                compare_graphs(candidate, graphs[number]).f
                for candidate, number in zip(candidates, sets, strict=True)
            ]
        )

    def _tuples(self, batch: Batch) -> list[list[Tuple]]:
        tokens = batch.tokens("ptb")
        return tuple_source(self.parser).tuples([tokens.words(row) for row in range(len(tokens))])

    def facts(self, corpus: Corpus, knowledge: Any) -> dict[str, str]:
        """References, tokenisation, parser with its weights, and synonym table."""
        return {
            "refs": reference_count_label(corpus),
            "tok": "ptb",
            "parser": tuple_source(self.parser).name,
            "synonyms": f"{wordnet().name}:{wordnet().digest}",
        }


class SceneExplanation(NamedTuple):
    """A candidate's tuples, each reference's tuples, and how they compare."""

    candidate: list[Tuple]
    references: list[list[Tuple]]
    comparison: Explanation


def explain(candidate: str, references: Sequence[str], parser: str = "caption") -> SceneExplanation:
    """Why a caption gets its SPICE: which tuples matched, were invented, or were missed.

    >>> told = explain("a red bus", ["a bus on a street"])
    >>> told.candidate
    [('bus', 'red'), ('bus',)]
    >>> told.comparison.missed
    [(('street',),), (('bus',), ('street',), ('on',))]
    """
    own, *theirs = tuple_source(parser).tuples(list(tokenise_many([candidate, *references])))
    return SceneExplanation(own, theirs, explain_tuples(own, theirs))


def _merged(batch: Batch, tuples: list[list[Tuple]]) -> dict[int, SceneGraph]:
    """Merged graph of each reference set in use."""
    offsets = batch.corpus.references.offsets.tolist()
    rows = batch.reference_text.tolist()
    return {
        number: SceneGraph.of(tuples[row] for row in rows[offsets[number] : offsets[number + 1]])
        for number in batch.used_reference_sets.tolist()
    }
