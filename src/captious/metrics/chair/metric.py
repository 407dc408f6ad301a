"""CHAIR: the share of a caption's objects that are not in the image (Rohrbach et al. 2018)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from captious.corpus import Corpus
from captious.corpus.columns import FloatArray
from captious.corpus.findings import Place
from captious.errors import UnknownNameError
from captious.metrics.base import Need, reference_count_label
from captious.metrics.batch import Batch
from captious.metrics.chair.words import Mention, mentions, objects_of, places
from captious.metrics.count_share import CountShare
from captious.metrics.object_bags import ALL, check_sources, object_counts, require_objects, wanted_sources
from captious.metrics.registry import register

NONE, AUTO = "none", "auto"
OBJECT = "object"  # the kind of its findings
# The columns of its statistics.
MENTIONED, INVENTED, CAPTIONS, FAULTY, THERE, NAMED = range(6)


class Counted(NamedTuple):
    """A caption: what it mentions, and what is in its image."""

    mentions: list[Mention]
    there: frozenset[str]

    @property
    def invented(self) -> list[Mention]:
        """The mentions of objects that are not in the image."""
        return [one for one in self.mentions if one.object not in self.there]


@dataclass(frozen=True)
class ChairMetric(CountShare):
    """What CHAIR's values share: mentions, and the objects of the image.

    An object is in the image if its labels (of people, of detectors) or a reference name it; the released
    program takes both. `objects` names the sources of labels, `none` leaves them out; `references=none`
    leaves the references out.
    """

    citation: ClassVar[str] = "Rohrbach et al. 2018"
    needs: ClassVar[frozenset[Need]] = frozenset({"objects"})

    objects: str = ALL
    references: str = AUTO

    def __post_init__(self) -> None:
        if self.references not in (AUTO, NONE):
            raise UnknownNameError(f"references of {self.name}", self.references, (AUTO, NONE))
        if self.objects == NONE:
            object.__setattr__(self, "needs", frozenset({"references"}))

    def languages(self) -> tuple[str, ...]:
        """English: the word list is."""
        return ("en",)

    def check(self, corpus: Corpus, knowledge: None) -> None:
        """Refuse a corpus without objects, unless `objects=none`."""
        if self.objects != NONE:
            require_objects(self.name, corpus)
            check_sources(corpus, wanted_sources(self.objects))

    def counted(self, batch: Batch) -> list[Counted]:
        """Mentions and objects of each example."""
        return batch.once(("chair", self.objects, self.references), lambda: list(self._count(batch)))

    def _count(self, batch: Batch) -> Iterator[Counted]:
        corpus = batch.corpus
        said: dict[int, list[Mention]] = {}
        there: dict[tuple[int, int], frozenset[str]] = {}
        images, sets = corpus.image_of.tolist(), corpus.references_of.tolist()
        for row, text in enumerate(batch.candidate_text.tolist()):
            if text not in said:
                said[text] = mentions(corpus.captions[row])
            scene = (images[row], sets[row])
            if scene not in there:
                there[scene] = self._there(corpus, *scene)
            yield Counted(said[text], there[scene])

    def _there(self, corpus: Corpus, image: int, references: int) -> frozenset[str]:
        found: set[str] = set()
        if self.objects != NONE and corpus.objects is not None:
            labels = object_counts(corpus.objects[image], wanted_sources(self.objects))
            found.update(*map(objects_of, labels))
        if self.references != NONE and references >= 0:
            found.update(one.object for text in corpus.references[references] for one in mentions(text))
        return frozenset(found)

    def statistics(self, batch: Batch, knowledge: None) -> FloatArray:
        """Mentions, invented ones; captions, faulty ones; objects in the image, those that are named."""
        rows = []
        for one in self.counted(batch):
            invented = len(one.invented)
            named = len(one.there.intersection(mention.object for mention in one.mentions))
            rows.append((len(one.mentions), invented, 1, invented > 0, len(one.there), named))
        return np.array(rows, dtype=np.float64).reshape(-1, 6)

    def facts(self, corpus: Corpus, knowledge: None) -> dict[str, str]:
        """What tells which objects are in the image, and the word list."""
        used = self.references != NONE and len(corpus.references) > 0
        objects = NONE if self.objects == NONE else "+".join(wanted_sources(self.objects)) or ALL
        return {
            "refs": reference_count_label(corpus) if used else NONE,
            "objects": objects,
            "words": "coco80-pattern",
        }


@register("chair")
@dataclass(frozen=True)
class Chair(ChairMetric):
    """CHAIRi: mentions of objects that are not in the image / mentions of objects; 0 is best.

    >>> corpus = Corpus.from_lists(["a dog and a puppy on a surfboard"], objects={"0": ["dog", "skateboard"]})
    >>> float(Chair().score_examples(Batch(corpus), None)[0])  # dog, puppy; surfboard is invented
    0.333...
    """

    columns: ClassVar[tuple[int, int]] = (INVENTED, MENTIONED)
    title: ClassVar[str] = "CHAIRi"
    summary: ClassVar[str] = "share of a caption's COCO objects that are not in the image"
    higher_is_better: ClassVar[bool] = False

    def findings(self, batch: Batch, knowledge: None) -> list[list[Place]]:
        """Each word that names an object that is not in the image; the evidence is the object."""
        found = []
        for caption, one in zip(batch.corpus.captions, self.counted(batch), strict=True):
            invented = one.invented
            spans = places(caption, invented) if invented else []
            found.append(
                [Place(*span, OBJECT, evidence=of.object) for span, of in zip(spans, invented, strict=True)]
            )
        return found


@register("chair_s")
@dataclass(frozen=True)
class ChairSentences(ChairMetric):
    """CHAIRs: the share of captions with an object that is not in the image."""

    columns: ClassVar[tuple[int, int]] = (FAULTY, CAPTIONS)
    title: ClassVar[str] = "CHAIRs"
    summary: ClassVar[str] = "whether a caption has a COCO object that is not in the image"
    higher_is_better: ClassVar[bool] = False


@register("chair_recall")
@dataclass(frozen=True)
class ChairRecall(ChairMetric):
    """The share of the objects in the image that the caption names, as later programs add it."""

    columns: ClassVar[tuple[int, int]] = (NAMED, THERE)
    title: ClassVar[str] = "CHAIR recall"
    summary: ClassVar[str] = "share of the COCO objects in the image that the caption names"

    def findings(self, batch: Batch, knowledge: None) -> list[list[Place]]:
        """Each object in the image that the caption does not name, as missing."""
        found = []
        for one in self.counted(batch):
            missing = sorted(one.there.difference(mention.object for mention in one.mentions))
            found.append([Place(None, None, OBJECT, evidence=name) for name in missing])
        return found


@register("chair_objects")
@dataclass(frozen=True)
class ChairObjects(ChairMetric):
    """How many mentions of objects that are not in the image a caption has, for filters."""

    columns: ClassVar[tuple[int, int]] = (INVENTED, CAPTIONS)
    title: ClassVar[str] = "CHAIR objects"
    summary: ClassVar[str] = "number of a caption's COCO objects that are not in the image"
    bounds: ClassVar[tuple[float, float]] = (0.0, float("inf"))
    percent: ClassVar[bool] = False
    higher_is_better: ClassVar[bool] = False
