"""SPICE (Anderson et al. 2016) as a metric: captions in, scores and explanations out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from captious.corpus import Corpus
from captious.corpus.columns import FloatArray
from captious.corpus.findings import Place
from captious.errors import UnknownNameError
from captious.metrics.base import Limit, Metric, reference_count_label
from captious.metrics.batch import Batch
from captious.metrics.registry import register
from captious.metrics.spice.graph import SceneGraph
from captious.metrics.spice.places import tuple_places
from captious.metrics.spice.score import Explanation, compare_categories, compare_graphs, explain_tuples
from captious.metrics.spice.sources import text_source, tuple_source
from captious.text.ptb.tokenise import tokenise_many
from captious.text.scene_graph import Tuple, clauses
from captious.text.synsets import wordnet

# What SPICE's own program calls all tuples and each of `CATEGORIES`, in their order.
SUBSETS = ("All", "Object", "Relation", "Attribute", "Color", "Cardinality", "Size")

SENTENCE, DISCOURSE = "sentence", "discourse"
GRAPHS = (SENTENCE, DISCOURSE)
_SENTENCE = 60  # characters; what is shorter hardly has several


@register("spice")
@dataclass(frozen=True)
class Spice(Metric):
    """SPICE: F-score over the objects, attributes and relations that captions name.

    Each caption becomes a scene graph; the references' graphs are merged; words match by lemma or
    by a shared WordNet synset. A caption without any tuple scores 0. The corpus score is the mean
    of the examples' scores.

    `parser` says where tuples come from: `caption` (the parser inside the package),
    `caption:FILE` (the same with other weights), `spacy`, or `corenlp-tuples:FILE`, tuples
    computed elsewhere. `graph` says how several sentences are read: `sentence`, as one, is what SPICE
    does; `discourse` resolves what later sentences refer to and leaves out what is no object.

    >>> from captious.corpus import Corpus
    >>> batch = Batch(Corpus.from_lists(["a red bus"], [["a bus on a street"]]))
    >>> Spice().score_examples(batch, None).round(3).tolist()
    [0.4]
    """

    title: ClassVar[str] = "SPICE"
    summary: ClassVar[str] = "scene graphs (English): objects, attributes, relations; without Java"
    citation: ClassVar[str] = "Anderson et al. 2016"

    longest: ClassVar[Limit | None] = Limit(5_000, "words")

    parser: str = "caption"
    graph: str = SENTENCE
    detail: bool = False  # sub-scores of each example beside the score, which stays the same

    def __post_init__(self) -> None:
        if self.graph not in GRAPHS:
            raise UnknownNameError("graph of spice", self.graph, GRAPHS)

    def languages(self) -> tuple[str, ...]:
        """English: the parser and the synonyms are."""
        return ("en",)

    def ready(self) -> None:
        """Raise if the parser or the file of tuples is missing."""
        _ = (text_source if self.graph == DISCOURSE else tuple_source)(self.parser).name

    def notes(self, corpus: Corpus, knowledge: Any) -> list[str]:
        """Suggest `graph=discourse` for texts of several sentences."""
        if self.graph == DISCOURSE:
            return []
        several = sum(len(text) > _SENTENCE and len(clauses(text)) > 1 for text in corpus.captions)
        if several * 10 < max(len(corpus), 1):
            return []
        return [
            f"spice reads a caption as one sentence; {several:,} of {len(corpus):,} have several. "
            "spice[graph=discourse] reads the sentences of a text together."
        ]

    def statistics(self, batch: Batch, knowledge: Any) -> FloatArray:
        """F-score and 1; with `detail` also the counts of all tuples and of each category."""
        if not self.detail:
            return super().statistics(batch, knowledge)
        rows = [
            [overall.f, 1.0, *(n for counts in (overall, *categories.values()) for n in counts)]
            for overall, categories in map(compare_categories, *self._graphs(batch))
        ]
        return np.array(rows).reshape(len(batch), 2 + 3 * len(SUBSETS))

    def details(self, statistics: FloatArray) -> dict[str, FloatArray]:
        """Precision, recall and F over all tuples and over each category; NaN of no tuples.

        The names are those of SPICE's own program: `All.pr`, `Object.re`, `Color.f`, `Size.fn`.
        """
        found: dict[str, FloatArray] = {}
        for place, subset in enumerate(SUBSETS if self.detail else ()):
            matched, invented, missed = statistics[:, 2 + 3 * place : 5 + 3 * place].T
            with np.errstate(invalid="ignore", divide="ignore"):
                precision, recall = matched / (matched + invented), matched / (matched + missed)
                f = 2 * matched / (2 * matched + invented + missed)
            found |= {f"{subset}.pr": precision, f"{subset}.re": recall, f"{subset}.f": f}
            found[f"{subset}.fn"] = missed
        return found

    def score_examples(self, batch: Batch, knowledge: Any) -> FloatArray:
        """F-score of each example."""
        return np.array([compare_graphs(*pair).f for pair in zip(*self._graphs(batch), strict=True)])

    def findings(self, batch: Batch, knowledge: Any) -> list[list[Place]]:
        """The candidate's tuples that no reference has, each where the caption says it."""
        found = []
        for caption, own, theirs in zip(batch.corpus.captions, *self._graphs(batch), strict=True):
            matches = zip(own.tuples(), own.found_in(theirs), strict=True)
            found.append(tuple_places(caption, (parts for parts, keys in matches if not keys)))
        return found

    def _graphs(self, batch: Batch) -> tuple[list[SceneGraph], list[SceneGraph]]:
        """The graph of each candidate, and the merged graph of its references."""
        if not len(batch):
            return [], []
        batch.pairs()  # refuses examples without references
        source = (self.parser, self.graph)
        tuples = batch.once(("spice_tuples", *source), lambda: self._tuples(batch))
        graphs = batch.once(("spice_graphs", *source), lambda: _merged(batch, tuples))
        candidates = [SceneGraph.of([tuples[text]]) for text in batch.candidate_text.tolist()]
        sets = batch.corpus.references_of.tolist()
        return candidates, [graphs[number] for number in sets]

    def tuples_of(self, texts: Sequence[str]) -> list[list[Tuple]]:
        """Tuples of each text."""
        if self.graph == DISCOURSE:
            return text_source(self.parser).text_tuples(texts)
        return tuple_source(self.parser).tuples(list(tokenise_many(texts)))

    def _tuples(self, batch: Batch) -> list[list[Tuple]]:
        if self.graph == DISCOURSE:
            return self.tuples_of(batch.texts)
        tokens = batch.tokens("ptb")
        return tuple_source(self.parser).tuples([tokens.words(row) for row in range(len(tokens))])

    def facts(self, corpus: Corpus, knowledge: Any) -> dict[str, str]:
        """References, tokenisation, parser with its weights, how sentences are read, and synonyms."""
        return {
            "refs": reference_count_label(corpus),
            "tok": "ptb",
            "parser": tuple_source(self.parser).name,
            **({"graph": self.graph} if self.graph != SENTENCE else {}),
            "synonyms": f"{wordnet().name}:{wordnet().digest}",
        }


class SceneExplanation(NamedTuple):
    """A candidate's tuples, each reference's tuples, and how they compare."""

    candidate: list[Tuple]
    references: list[list[Tuple]]
    comparison: Explanation


def explain(
    candidate: str, references: Sequence[str], parser: str = "caption", graph: str = SENTENCE
) -> SceneExplanation:
    """Why a caption gets its SPICE: which tuples matched, were invented, or were missed.

    >>> told = explain("a red bus", ["a bus on a street"])
    >>> told.candidate
    [('bus', 'red'), ('bus',)]
    >>> told.comparison.missed
    [(('street',),), (('bus',), ('street',), ('on',))]
    """
    own, *theirs = Spice(parser=parser, graph=graph).tuples_of([candidate, *references])
    return SceneExplanation(own, theirs, explain_tuples(own, theirs))


def _merged(batch: Batch, tuples: list[list[Tuple]]) -> dict[int, SceneGraph]:
    """Merged graph of each reference set in use."""
    offsets = batch.corpus.references.offsets.tolist()
    rows = batch.reference_text.tolist()
    return {
        number: SceneGraph.of(tuples[row] for row in rows[offsets[number] : offsets[number + 1]])
        for number in batch.used_reference_sets.tolist()
    }
