"""BertGrammar (Ruiz et al. 2024, 3.1.2): the probability that a caption is grammatical."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from captious.corpus import Corpus
from captious.corpus.columns import FloatArray
from captious.metrics.base import Limit, Need
from captious.metrics.batch import Batch
from captious.metrics.image_notes import Noted, Noting, rows_with_score
from captious.metrics.registry import register
from captious.models.encoders import opening
from captious.models.encoders.long_texts import LONG, window_label
from captious.models.language import grammaticality
from captious.models.language.grammaticality import GRAMMATICAL, LIMIT, Grammaticality, Judged
from captious.models.weights.known import BERT_BASE, GRAMMAR, needed


@register("bertgrammar")
@dataclass(frozen=True)
class BertGrammar(Noting):
    """Probability that a BERT classifier gives to "grammatical"; no image, no references.

    With z the classifier's logits and g the label of a grammatical sentence: e^z_g / sum_k e^z_k.

    >>> BertGrammar().label
    1
    """

    neural: ClassVar[bool] = True
    longest: ClassVar[Limit | None] = Limit(LIMIT, "tokens", LONG, "truncate")
    title: ClassVar[str] = "BertGrammar"
    summary: ClassVar[str] = "probability that a BERT classifier finds the caption grammatical"
    citation: ClassVar[str] = "Ruiz et al. 2024; Devlin et al. 2019"
    needs: ClassVar[frozenset[Need]] = frozenset()
    strict_language: ClassVar[bool] = True

    model: str = GRAMMAR
    base: str = BERT_BASE
    label: int = GRAMMATICAL
    limit: int = LIMIT
    long: str = "truncate"
    device: str = "cpu"
    dtype: str = "float32"

    def languages(self) -> tuple[str, ...]:
        """English, which the classifier was trained on."""
        return ("en",)

    def ready(self) -> None:
        """The classifier's weights and the packages that run them."""
        opening.ready(self.model)

    def weights(self) -> tuple[str, ...]:
        """The classifier's weights, and BERT's, whose configuration and vocabulary they need."""
        return needed(self.model)

    def classifier(self) -> Grammaticality:
        """The classifier, opened in this process."""
        return grammaticality.open_grammaticality(
            self.model, self.base, self.limit, self.label, self.device, self.dtype
        )

    def judged(self, batch: Batch) -> Judged:
        """Probability and tokens beyond the limit of each example; equal captions are read once."""

        def make() -> Judged:
            texts, places = np.unique(batch.candidate_text, return_inverse=True)
            found = self.classifier().judge([batch.texts[text] for text in texts.tolist()], self.long)
            return Judged(found.probabilities[places], found.beyond[places])

        key = (self.model, self.base, self.label, self.limit, self.long, self.device, self.dtype)
        return batch.once((self.name, *key), make)

    def collect(self, batch: Batch) -> Noted:
        """What was too long."""
        return Noted.of(0, {}, [self.judged(batch).beyond])

    def statistics(self, batch: Batch, knowledge: Noted) -> FloatArray:
        """Probability, 1 and tokens beyond the limit of each caption."""
        found = self.judged(batch)
        return rows_with_score(found.probabilities, found.beyond)

    def details(self, statistics: FloatArray) -> dict[str, FloatArray]:
        """Tokens of each caption that are beyond the model's limit."""
        return {"tokens_beyond_limit": statistics[:, 2]}

    def facts(self, corpus: Corpus, knowledge: Noted) -> dict[str, str]:
        """The classifier with its revision, and how many tokens were left out."""
        own = self.classifier().facts()
        where = {name: own.pop(name) for name in ("device", "dtype")}
        return own | self.long_facts(knowledge) | where

    def windows(self) -> str:
        """The label of the windows that a long text is read in."""
        return window_label(self.classifier().limit)
