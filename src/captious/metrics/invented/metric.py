"""`invented`: the places of a caption that nothing supports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np

from captious.corpus import Corpus
from captious.corpus.columns import FloatArray
from captious.corpus.findings import Place
from captious.corpus.types import NO_REFERENCES
from captious.errors import InputError
from captious.metrics.base import Metric, Need, reference_count_label
from captious.metrics.batch import Batch
from captious.metrics.invented.evidence import (
    Claim,
    Evidence,
    by_sentence,
    claims,
    evidence_of,
    sentence_wrong,
)
from captious.metrics.invented.places import places_of
from captious.metrics.invented.prior import Prior, Sentence, describe, opened_prior
from captious.metrics.invented.reading import Reading, read
from captious.metrics.invented.words import lexicon
from captious.metrics.registry import register
from captious.text.synsets import wordnet

THRESHOLD = 0.6


class Judged(NamedTuple):
    """A caption with its claims and the evidence about its image."""

    reading: Reading
    claims: list[Claim]
    evidence: Evidence

    def sentences(self) -> list[Sentence]:
        """What a prior reads."""
        return describe(self.reading, self.claims, self.evidence, lexicon())

    def wrong(self) -> list[float]:
        """How likely it is, by the evidence alone, that each sentence is wrong."""
        return [sentence_wrong(several) for several in by_sentence(self.reading, self.claims)]

    def places(self, sure: Sequence[float], threshold: float, *, whole: bool) -> list[Place]:
        """The places of sentences that are sure enough; of several sentences whole ones, with `whole`."""
        own = by_sentence(self.reading, self.claims)
        whole = whole and len(own) > 1
        return [
            place
            for number, confidence in enumerate(sure)
            if confidence >= threshold
            for place in places_of(self.reading, number, own[number], THRESHOLD, confidence, whole)
        ]

    def share(self, places: Sequence[Place]) -> float:
        """The share of the caption in places, weighted by their confidence."""
        marked = sum(
            (place.end - place.start) * place.confidence
            for place in places
            if place.start is not None and place.end is not None
        )
        return min(1.0, marked / max(1, len(self.reading.caption.strip())))


@register("invented")
@dataclass(frozen=True)
class Invented(Metric):
    """Share of the caption in places that nothing supports, weighted by how sure that is.

    Things, colours, numbers and places that a caption names are looked up in the objects of the image and in
    the references (or a second caption). A sentence is wrong with p = 1 - prod_k (1 - p_k) over its claims k,
    and gives findings if p is at least `threshold`. With n_f characters in finding f of confidence c_f, a
    caption of n characters scores sum_f c_f n_f / n.

    Without `prior`, nothing was learnt from marked captions. `prior` is a file of `captious train invented`:
    it knows how the captioners of its training data write, and replaces p by the probability that raters mark
    some of the sentence.

    >>> corpus = Corpus.from_lists(
    ...     ["A man sits on a bench. There is a giraffe."], image_ids=["1"],
    ...     objects={"1": ["person", "bench"]})
    >>> ((place,),) = Invented().findings(Batch(corpus), None)
    >>> corpus.captions[0][place.start : place.end], place.kind, place.evidence
    ('There is a giraffe', 'object', 'no giraffe among the objects')
    """

    title: ClassVar[str] = "Invented"
    summary: ClassVar[str] = (
        "share of the caption that neither objects nor references support; marks the places"
    )
    citation: ClassVar[str] = "captious"
    needs: ClassVar[frozenset[Need]] = frozenset()
    needs_one_of: ClassVar[tuple[Need, ...]] = ("objects", "references")
    higher_is_better: ClassVar[bool] = False

    prior: str = ""
    threshold: float = 0.0  # 0: 0.6, or that of the prior

    def __post_init__(self) -> None:
        if not 0 <= self.threshold <= 1:
            raise InputError(f"invented: threshold is {self.threshold:g}; it must be from 0 to 1.")

    def languages(self) -> tuple[str, ...]:
        """English: its words and synonyms are."""
        return ("en",)

    def ready(self) -> None:
        """Raise if the file of the prior is missing or something else."""
        self.model()

    def model(self) -> Prior | None:
        """The prior, if it has one."""
        return opened_prior(Path(self.prior).expanduser()) if self.prior else None

    def seen_images(self) -> frozenset[str]:
        """The images whose marked captions the prior was fitted to."""
        model = self.model()
        return model.images if model else frozenset()

    def check(self, corpus: Corpus, knowledge: Any) -> None:
        """Refuse captions about whose image nothing is known."""
        if corpus.objects is None and (corpus.references_of == NO_REFERENCES).any():
            raise InputError(
                "invented compares captions with objects or references, but there are none.",
                python="Make the corpus with objects= or references=.",
                command="Give --objects FILE or --references FILE.",
            )

    def judged(self, batch: Batch) -> list[Judged]:
        """Every caption of a batch with its claims."""
        return batch.once(("invented", "judged"), lambda: _judged(batch))

    def findings(self, batch: Batch, knowledge: Any) -> list[list[Place]]:
        """The places, each with what speaks against it."""
        return batch.once(("invented", "places", self), lambda: self._findings(batch))

    def _findings(self, batch: Batch) -> list[list[Place]]:
        model, threshold = self.model(), self._threshold()
        found = []
        for one in self.judged(batch):
            sure = model.probabilities(one.sentences()).tolist() if model else one.wrong()
            found.append(one.places(sure, threshold, whole=model is not None))
        return found

    def _threshold(self) -> float:
        model = self.model()
        return self.threshold or (model.threshold if model else THRESHOLD)

    def score_examples(self, batch: Batch, knowledge: Any) -> FloatArray:
        """The weighted share of each caption; 0 where it has no word."""
        both = zip(self.judged(batch), self.findings(batch, knowledge), strict=True)
        return np.array([one.share(places) for one, places in both], dtype=np.float64)

    def facts(self, corpus: Corpus, knowledge: Any) -> dict[str, str]:
        """References, whether objects are known, the mode, the threshold, and the tables of words."""
        model = self.model()
        return {
            "refs": reference_count_label(corpus),
            "objects": "no" if corpus.objects is None else "yes",
            "mode": f"prior:{model.digest}" if model else "evidence",
            "threshold": f"{self._threshold():g}",
            "words": lexicon().digest,
            "synonyms": f"{wordnet().name}:{wordnet().digest}",
        }


def _judged(batch: Batch) -> list[Judged]:
    table, corpus = lexicon(), batch.corpus
    read_before: dict[int, Reading] = {}

    def reading(text: int) -> Reading:
        if text not in read_before:
            read_before[text] = read(batch.texts[text], table)
        return read_before[text]

    offsets = corpus.references.offsets.tolist()
    rows = batch.reference_text.tolist()
    known: dict[tuple[int, int], Evidence] = {}
    found = []
    keys = zip(corpus.image_of.tolist(), corpus.references_of.tolist(), strict=True)
    for text, key in zip(batch.candidate_text.tolist(), keys, strict=True):
        if key not in known:
            image, several = key
            objects: Sequence[str] | None = corpus.objects[image] if corpus.objects is not None else None
            texts = rows[offsets[several] : offsets[several + 1]] if several != NO_REFERENCES else []
            known[key] = evidence_of(objects, [reading(one) for one in texts], table)
        one = reading(text)
        found.append(Judged(one, claims(one, known[key], table), known[key]))
    return found
