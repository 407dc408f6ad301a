"""Fluency by a language model: how probable a caption is, without image or references."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from captious.corpus import Corpus
from captious.corpus.columns import FloatArray, IntArray
from captious.errors import UnknownNameError
from captious.metrics.base import Limit, Need
from captious.metrics.batch import Batch
from captious.metrics.image_notes import Noted, OfTexts
from captious.metrics.registry import register
from captious.models import locate
from captious.models.encoders.long_texts import CHUNK, LONG
from captious.models.language import load as models
from captious.text.languages import ANY
from captious.text.tokens import languages_of_tokeniser

REPORTS = ("likelihood", "perplexity")


@register("lm")
@dataclass(frozen=True)
class LanguageModelFluency(OfTexts):
    """Mean log-likelihood of a caption's tokens, or its perplexity.

    For the n tokens of a caption, (1/n) sum_i ln p(w_i | w_1 … w_(i-1)); perplexity is e to the
    power of its negative (Jelinek et al. 1977). The value of a corpus is over all its tokens.
    A causal model reads a long text in windows (`long=chunk`), each token after half a window or more.
    The language-model baseline of VIFIDEL is of this kind (Madhyastha et al. 2019, 4.4).

    >>> LanguageModelFluency(report="perplexity").higher_is_better
    False
    """

    title: ClassVar[str] = "LM"
    summary: ClassVar[str] = "mean log-likelihood of the tokens (fluency); no image or references"
    citation: ClassVar[str] = "Jelinek et al. 1977"
    needs: ClassVar[frozenset[Need]] = frozenset()
    bounds: ClassVar[tuple[float, float]] = (-np.inf, 0.0)
    percent: ClassVar[bool] = False
    strict_language: ClassVar[bool] = True

    model: str = models.POCKETSPHINX
    report: str = "likelihood"
    long: str = CHUNK

    def __post_init__(self) -> None:
        super().__post_init__()
        if models.is_causal(self.model):  # n-gram models read texts of any length
            limit = Limit(models.LONGEST_CAUSAL, "tokens", LONG, CHUNK)
            object.__setattr__(self, "longest", limit)
        if self.report not in REPORTS:
            raise UnknownNameError(f"report of {self.name}", self.report, REPORTS)
        if self.report == "perplexity":
            # What is a fact of the class elsewhere follows from an option here.
            object.__setattr__(self, "higher_is_better", False)
            object.__setattr__(self, "bounds", (1.0, np.inf))

    def languages(self) -> tuple[str, ...]:
        """English; of your own n-gram model those whose words its tokeniser finds; of another model any."""
        if self.model in (models.POCKETSPHINX, models.CAPTIONS, locate.SMOLLM2):
            return ("en",)
        if models.is_causal(self.model):
            return (ANY,)
        return languages_of_tokeniser(models.tokeniser_of(self.model))

    def way_out(self, code: str) -> str:
        """A model of that language."""
        return "lm[model=FILE], with a model of that language (captious train lm)"

    def ready(self) -> None:
        """The model's package or weights."""
        models.ready(self.model)

    def statistics(self, batch: Batch, knowledge: Any) -> FloatArray:
        """Log-probability and number of tokens of each caption."""
        logs, tokens = self._likelihoods(batch)
        return np.stack([logs, tokens.astype(np.float64)], axis=1)

    def _likelihoods(self, batch: Batch) -> models.Likelihoods:
        def make() -> models.Likelihoods:
            texts, places = np.unique(batch.candidate_text, return_inverse=True)
            model = models.load_language_model(self.model)
            found = model.likelihoods([batch.texts[i] for i in texts.tolist()], self.long)
            return models.Likelihoods(found.logs[places], found.tokens[places])

        return batch.once(("language model", self.model, self.long), make)

    def beyond(self, batch: Batch) -> IntArray:
        """Tokens of each caption beyond the limit; references are not read."""
        found = np.zeros(len(batch.texts), dtype=np.int64)
        if self.longest is not None:  # else an n-gram model
            own = np.unique(batch.candidate_text)
            texts = [batch.texts[text] for text in own.tolist()]
            found[own] = models.load_language_model(self.model).beyond(texts)
        return found

    def windows(self) -> str:
        """The label of the windows that a long text is read in."""
        return models.load_language_model(self.model).windows

    def corpus_score(self, summed: FloatArray) -> FloatArray:
        """Mean over tokens, or perplexity."""
        means = super().corpus_score(summed)
        return np.asarray(np.exp(-means)) if self.report == "perplexity" else means

    def facts(self, corpus: Corpus, knowledge: Noted) -> dict[str, str]:
        """The model with its digest, what is reported, and long captions."""
        facts = {"model": models.load_language_model(self.model).label, "report": self.report}
        return facts | self.long_facts(knowledge)
