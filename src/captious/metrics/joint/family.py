"""Metrics of models that read an image and a caption together: ViLT, BLIP, ViLBERT, VSE++."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import ClassVar

import numpy as np

from captious.corpus import Corpus
from captious.corpus.columns import FloatArray
from captious.errors import UnknownNameError
from captious.metrics.base import Limit, Need
from captious.metrics.batch import Batch
from captious.metrics.image_notes import Noted, OfImages, circularity, rows_with_score
from captious.metrics.registry import register
from captious.models.encoders import opening
from captious.models.encoders.base import PairScorer, ScoredPairs
from captious.models.encoders.long_texts import LONG, window_label
from captious.models.encoders.vector_cache import Keyed, RememberedPairs
from captious.models.joint.blip import open_blip
from captious.models.joint.vilbert.alignment import Aligner
from captious.models.joint.vilbert.model import LIMIT, open_vilbert, ready
from captious.models.joint.vilt import LIMIT as VILT_LIMIT
from captious.models.joint.vilt import open_vilt
from captious.models.joint.vse import open_vse
from captious.models.weights.known import BLIP_ITM, VILBERT, VILT, VSE, needed

EXAMPLES_A_BLOCK = 1024


@dataclass(frozen=True)
class PairFamily(OfImages):
    """A model's number for each caption with its image.

    Options of all: `model`, `long` (error, truncate, chunk: the mean over windows), `device`, `dtype`,
    and `cache` (keep scores on disk; changes the time, not the number).
    """

    neural: ClassVar[bool] = True
    partial: ClassVar[bool] = True
    needs: ClassVar[frozenset[Need]] = frozenset({"image"})
    family: ClassVar[str] = ""

    model: str = ""
    long: str = "truncate"
    device: str = "cpu"
    dtype: str = "float32"
    cache: bool = True

    def languages(self) -> tuple[str, ...]:
        """English, which the published models were trained on."""
        return ("en",)

    def weights(self) -> tuple[str, ...]:
        """The model's weights, and those that they need."""
        return needed(self.model)

    def scorer(self) -> Keyed:
        """The model, opened in this process."""
        raise NotImplementedError

    def scored(self, batch: Batch) -> ScoredPairs:
        """A score for each example, NaN where its image could not be read; made once."""
        options = tuple(getattr(self, field.name) for field in fields(self))

        def make() -> ScoredPairs:
            scorer = self.scorer()
            return score_examples(batch, RememberedPairs(scorer) if self.cache else scorer, self.long)

        return batch.once((self.name, *options), make)

    def collect(self, batch: Batch) -> Noted:
        """What could not be read, and what was too long."""
        found = self.scored(batch)
        return Noted.of(len(np.unique(batch.corpus.image_of)), found.broken, [found.beyond])

    def statistics(self, batch: Batch, knowledge: Noted) -> FloatArray:
        """Score, 1 and tokens beyond the limit of each example; zeros where it has no score."""
        found = self.scored(batch)
        return rows_with_score(found.scores, found.beyond)

    def details(self, statistics: FloatArray) -> dict[str, FloatArray]:
        """Tokens of each caption that are beyond the model's limit."""
        return {"tokens_beyond_limit": statistics[:, 2]}

    def facts(self, corpus: Corpus, knowledge: Noted) -> dict[str, str]:
        """Everything that changes the number, and how many tokens and images were left out."""
        own = self.scorer().facts()
        where = {name: own.pop(name) for name in ("device", "dtype") if name in own}
        return own | self.long_facts(knowledge) | where

    def notes(self, corpus: Corpus, knowledge: Noted) -> list[str]:
        """Long captions, images without a score, systems that share the encoder."""
        return [*super().notes(corpus, knowledge), *circularity(corpus, self.name, self.family)]

    def windows(self) -> str:
        """The label of the windows that a long text is read in."""
        return window_label(self.scorer().limit)


def score_examples(batch: Batch, scorer: PairScorer, long: str) -> ScoredPairs:
    """Every caption with its image; the captions of one image are asked for together, equal ones once."""
    scores = np.full(len(batch), np.nan)
    beyond = np.zeros(len(batch), dtype=np.int64)
    broken: dict[str, str] = {}
    for rows in batch.blocks(EXAMPLES_A_BLOCK):
        places, image_of = np.unique(batch.corpus.image_of[rows], return_inverse=True)
        texts: list[dict[int, int]] = [{} for _ in places]
        for row, image in zip(rows.tolist(), image_of.tolist(), strict=True):
            own = texts[image]
            own.setdefault(int(batch.candidate_text[row]), len(own))
        starts = np.cumsum([0, *map(len, texts)])
        words = [[batch.texts[text] for text in own] for own in texts]
        found = scorer.pairs([batch.image_file(place) for place in places.tolist()], words, long)
        broken |= found.broken
        for row, image in zip(rows.tolist(), image_of.tolist(), strict=True):
            flat = starts[image] + texts[image][int(batch.candidate_text[row])]
            scores[row], beyond[row] = found.scores[flat], found.beyond[flat]
    return ScoredPairs(scores, beyond, broken)


@register("vilbert_alignment")
@dataclass(frozen=True)
class VilbertAlignment(PairFamily):
    """The probability that caption and image belong together, by ViLBERT's pretraining task.

    With (a, n) the logits of "aligned" and "not aligned": e^a / (e^a + e^n). The model is the one
    before it was tuned on twelve tasks (Scott et al. 2023, 4.2). `regions` are the region features.

    >>> VilbertAlignment().task
    -1
    """

    title: ClassVar[str] = "VBAlignment"
    summary: ClassVar[str] = "ViLBERT's probability that caption and image are aligned; no references"
    citation: ClassVar[str] = "Scott et al. 2023; Lu et al. 2019"
    family: ClassVar[str] = "vilbert"
    longest: ClassVar[Limit | None] = Limit(LIMIT, "tokens", LONG, "truncate")

    model: str = VILBERT
    regions: str = ""
    task: int = -1
    limit: int = LIMIT

    def ready(self) -> None:
        """The model's weights, the packages that run it, and region features."""
        ready(self.name, self.model, self.regions)

    def scorer(self) -> Keyed:
        """ViLBERT with its alignment head over the region features."""
        self.ready()
        model = open_vilbert(self.model, self.task, self.limit, self.device, self.dtype)
        return Aligner(model, self.regions)


@register("blip_itm")
@dataclass(frozen=True)
class BlipMatch(PairFamily):
    """The probability that image and caption match, by BLIP's two-way head: softmax(W h + b)_1.

    h is the state of the caption's first token after it has attended to the image.

    >>> BlipMatch().bounds
    (0.0, 1.0)
    """

    title: ClassVar[str] = "BLIP-ITM"
    summary: ClassVar[str] = "probability that caption and image match, by BLIP; no references"
    citation: ClassVar[str] = "Li et al. 2022"
    family: ClassVar[str] = "blip"
    longest: ClassVar[Limit | None] = Limit(512, "tokens", LONG, "truncate")

    model: str = BLIP_ITM

    def ready(self) -> None:
        """The model's weights and the packages that run them."""
        opening.ready(self.model)

    def scorer(self) -> Keyed:
        """BLIP."""
        return open_blip(self.model, self.device, self.dtype)


@register("vsepp")
@dataclass(frozen=True)
class Vsepp(PairFamily):
    """Cosine of an image's vector, by a CNN, and a caption's, by a GRU.

    f = W cnn(v) / |cnn(v)|, g = the GRU's state at the caption's last word; the score is
    f . g / (|f| |g|) (Faghri et al. 2018, 3.1). Captions of any length are read.

    >>> Vsepp().bounds
    (-1.0, 1.0)
    """

    title: ClassVar[str] = "VSE++"
    summary: ClassVar[str] = "cosine of image (CNN) and caption (GRU) in VSE++'s space; no references"
    citation: ClassVar[str] = "Scott et al. 2023; Faghri et al. 2018"
    bounds: ClassVar[tuple[float, float]] = (-1.0, 1.0)
    family: ClassVar[str] = "vse"

    model: str = VSE
    vocab: str = ""

    def ready(self) -> None:
        """The checkpoint and the packages that run it."""
        opening.ready(self.model)

    def scorer(self) -> Keyed:
        """VSE++ with its vocabulary."""
        return open_vse(self.model, self.vocab, self.device, self.dtype)


SMALL = ("keep", "enlarge")


@register("vilt")
@dataclass(frozen=True)
class ViltScore(PairFamily):
    """The logit that ViLT's retrieval head gives an image and a caption; unbounded, higher is better.

    With h the pooled state of the joint sequence and (w, b) the head: w . h + b.

    >>> ViltScore().limit
    40
    """

    title: ClassVar[str] = "ViLT"
    summary: ClassVar[str] = "logit of ViLT's retrieval head for caption and image; no references"
    citation: ClassVar[str] = "Ruiz et al. 2024; Kim et al. 2021"
    bounds: ClassVar[tuple[float, float]] = (-math.inf, math.inf)
    percent: ClassVar[bool] = False
    family: ClassVar[str] = "vilt"
    longest: ClassVar[Limit | None] = Limit(VILT_LIMIT, "tokens", LONG, "truncate")

    model: str = VILT
    limit: int = VILT_LIMIT
    small: str = SMALL[0]

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.small not in SMALL:
            raise UnknownNameError(f"small of {self.name}", self.small, SMALL)

    def ready(self) -> None:
        """The model's weights and the packages that run them."""
        opening.ready(self.model)

    def scorer(self) -> Keyed:
        """ViLT."""
        return open_vilt(self.model, self.limit, self.small == "enlarge", self.device, self.dtype)
