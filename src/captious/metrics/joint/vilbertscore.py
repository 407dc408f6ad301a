"""ViLBERTScore (Lee et al. 2020): tokens matched by the cosine of image-conditioned vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from captious.corpus import Corpus
from captious.corpus.columns import FloatArray, IntArray
from captious.errors import UnknownNameError
from captious.metrics.base import Limit, Need, reference_count_label
from captious.metrics.batch import Batch
from captious.metrics.image_notes import Noted
from captious.metrics.joint.family import EXAMPLES_A_BLOCK, PairFamily
from captious.metrics.registry import register
from captious.models.encoders.base import ScoredPairs
from captious.models.encoders.long_texts import LONG, window_label
from captious.models.joint.regions import Regions, region_store
from captious.models.joint.vilbert.alignment import known_regions
from captious.models.joint.vilbert.model import LIMIT, Pair, Read, Vilbert, open_vilbert, ready
from captious.models.weights.known import VILBERT_TASKS

PARTS = ("precision", "recall", "f1")
VARIANTS = ("released", "last")
RETRIEVAL = 7  # the task token of caption retrieval on COCO
States = NDArray[np.float32]


class _TextStates(NamedTuple):
    """Vectors of one image's texts by text row, and tokens of each beyond the limit."""

    states: dict[int, States]
    beyond: dict[int, int]


class _Matched(NamedTuple):
    """Precision, recall and F of each example; tokens beyond the limit of each caption and reference."""

    parts: FloatArray
    beyond: IntArray
    references: IntArray
    broken: dict[str, str]


@register("vilbertscore")
@dataclass(frozen=True)
class VilbertScore(PairFamily):
    """BERTScore over ViLBERT's vectors: each token is read together with the image.

    With x_i the vectors of a reference's tokens and y_j those of the candidate's, all of length 1:
    R = mean_i max_j x_i . y_j, P = mean_j max_i x_i . y_j, F = 2 P R / (P + R); the mean over the
    references (Lee et al. 2020). The vectors are those after the last co-attention layer; [CLS] and
    [SEP] do not count, the task token of a multi-task model does, and no cosine is below 0: so does
    the released program, by which Lee et al. and Scott et al. computed what they published.
    `variant=last` takes the last layer, words alone, and cosines as they are.

    >>> VilbertScore(part="recall").task
    7
    """

    title: ClassVar[str] = "ViLBERTScore"
    summary: ClassVar[str] = "F of tokens matched by ViLBERT's image-conditioned vectors"
    citation: ClassVar[str] = "Lee et al. 2020; Scott et al. 2023"
    needs: ClassVar[frozenset[Need]] = frozenset({"references", "image"})
    bounds: ClassVar[tuple[float, float]] = (-1.0, 1.0)
    family: ClassVar[str] = "vilbert"
    longest: ClassVar[Limit | None] = Limit(LIMIT, "tokens", LONG, "truncate")
    dotted: ClassVar[str] = "part"

    part: str = "f1"
    variant: str = VARIANTS[0]
    model: str = VILBERT_TASKS
    regions: str = ""
    task: int = RETRIEVAL
    limit: int = LIMIT

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.part not in PARTS:
            raise UnknownNameError(f"part of {self.name}", self.part, PARTS)
        if self.variant not in VARIANTS:
            raise UnknownNameError(f"variant of {self.name}", self.variant, VARIANTS)

    def ready(self) -> None:
        """The model's weights, the packages that run it, and region features."""
        ready(self.name, self.model, self.regions)

    def vilbert(self) -> Vilbert:
        """The model, opened in this process."""
        self.ready()
        return open_vilbert(self.model, self.task, self.limit, self.device, self.dtype)

    def scored(self, batch: Batch) -> ScoredPairs:
        """The asked part for each example, NaN where its image has no regions; made once for all parts."""
        found = self._matched(batch)
        return ScoredPairs(found.parts[:, PARTS.index(self.part)], found.beyond, found.broken)

    def collect(self, batch: Batch) -> Noted:
        """What could not be read, and which captions and references were too long."""
        found = self._matched(batch)
        images = len(np.unique(batch.corpus.image_of))
        return Noted.of(images, found.broken, [found.beyond, found.references])

    def facts(self, corpus: Corpus, knowledge: Noted) -> dict[str, str]:
        """References, part and variant, the model, the region features, and what was left out."""
        own = self.vilbert().facts()
        where = {name: own.pop(name) for name in ("device", "dtype")}
        first = {"refs": reference_count_label(corpus), "part": self.part, "variant": self.variant}
        regions = {"regions": region_store(self.regions).label}
        return first | own | regions | self.long_facts(knowledge) | where

    def windows(self) -> str:
        """The label of the windows that a long text is read in."""
        return window_label(self.vilbert().limit)

    def _matched(self, batch: Batch) -> _Matched:
        key = (self.name, self.variant, self.model, self.regions, self.task, self.limit, self.long)
        return batch.once((*key, self.device, self.dtype), lambda: self._all(batch))

    def _all(self, batch: Batch) -> _Matched:
        examples, references = batch.pairs()
        firsts = np.searchsorted(examples, np.arange(len(batch) + 1))
        parts = np.full((len(batch), len(PARTS)), np.nan)
        beyond = np.zeros(len(batch), dtype=np.int64)
        broken: dict[str, str] = {}
        too_long: dict[int, int] = {}
        store, model = region_store(self.regions), self.vilbert()
        for rows in batch.blocks(EXAMPLES_A_BLOCK):
            for place in np.unique(batch.corpus.image_of[rows]).tolist():
                own = rows[batch.corpus.image_of[rows] == place].tolist()
                regions = known_regions(store, batch.corpus.image_ids[place], broken)
                if regions is None:
                    continue
                theirs = {row: references[firsts[row] : firsts[row + 1]].tolist() for row in own}
                wanted = {int(batch.candidate_text[row]) for row in own}
                told = self._read(batch, model, regions, sorted(wanted.union(*theirs.values())))
                for row in own:
                    text = int(batch.candidate_text[row])
                    beyond[row] = told.beyond[text]
                    too_long |= {other: told.beyond[other] for other in theirs[row]}
                    found = [self._match(told.states[text], told.states[other]) for other in theirs[row]]
                    parts[row] = np.mean(found, axis=0)
        return _Matched(parts, beyond, np.array(list(too_long.values()), dtype=np.int64), broken)

    def _read(self, batch: Batch, model: Vilbert, regions: Regions, texts: Sequence[int]) -> _TextStates:
        """Vectors of the tokens of each text, read with one image; those of all windows together."""
        cut = model.rows([batch.texts[text] for text in texts], self.long)
        found: dict[int, Read] = dict(model.read([Pair(row, 0) for row in cut.rows], [regions]))
        states: dict[int, list[States]] = {text: [] for text in texts}
        for place, owner in enumerate(cut.owner.tolist()):
            states[texts[owner]].append(self._counted(found[place], model.task is not None))
        beyond = dict(zip(texts, cut.beyond.tolist(), strict=True))
        return _TextStates({text: np.concatenate(own) for text, own in states.items()}, beyond)

    def _counted(self, read: Read, tasks: bool) -> States:
        """Unit vectors of the tokens that count: neither [CLS], nor [SEP], nor a task token."""
        released = self.variant == "released"
        states = (read.met if released else read.words)[2 if tasks and not released else 1 : -1]
        return np.asarray(states / np.linalg.norm(states, axis=1, keepdims=True))

    def _match(self, candidate: States, reference: States) -> tuple[float, float, float]:
        if not len(candidate) or not len(reference):
            return 0.0, 0.0, 0.0
        cosines = candidate.astype(np.float64) @ reference.astype(np.float64).T
        if self.variant == "released":
            cosines = np.maximum(cosines, 0.0)
        precision, recall = float(cosines.max(axis=1).mean()), float(cosines.max(axis=0).mean())
        total = precision + recall
        return precision, recall, 2 * precision * recall / total if total > 0 else 0.0
