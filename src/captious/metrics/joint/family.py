"""What metrics of a pair scorer share: an image and a caption in, one number out, and what they note."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import ClassVar

import numpy as np

from captious.corpus import Corpus
from captious.corpus.columns import FloatArray
from captious.metrics.base import Need
from captious.metrics.batch import Batch
from captious.metrics.image_notes import Noted, OfImages, circularity, rows_with_score
from captious.models.encoders.base import PairScorer, ScoredPairs
from captious.models.encoders.long_texts import window_label
from captious.models.encoders.vector_cache import Keyed, RememberedPairs
from captious.models.weights.known import needed

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
