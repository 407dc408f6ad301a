"""VIFIDEL+LM and VIFIDEL+CIDEr: fidelity joined with fluency or consensus (VIFIDEL, 4.4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from captious.corpus import Corpus
from captious.corpus.columns import FloatArray
from captious.errors import StatisticsError, UnknownNameError
from captious.metrics.base import Metric, Need
from captious.metrics.batch import Batch
from captious.metrics.cider import CiderD
from captious.metrics.joined import JoinedMetric
from captious.metrics.lm import LanguageModelFluency
from captious.metrics.registry import register
from captious.metrics.vifidel import Vifidel
from captious.models.language.grammaticality import fluency
from captious.models.language.load import CAPTIONS, load_language_model

CIDER, LM = "cider", "lm"
OTHERS = (CIDER, LM)
SCALED, RANGE, RAW = "scaled", "range", "raw"
RULES = (SCALED, RANGE, RAW)
CIDER_TOP = 10.0  # coco-caption multiplies a mean of cosines by ten


@register("vifidel_plus")
@dataclass(frozen=True)
class VifidelPlus(JoinedMetric):
    """The mean of VIFIDEL and of CIDEr or a language model, per example, both from 0 to 1.

    VIFIDEL reads a caption as a bag of words; Madhyastha et al. (2019, 4.4) average it with a
    metric that reads sentences. Their sums follow VIFIDEL, so that both were on one scale, which
    the paper does not tell. `rule` says how the other comes to VIFIDEL's scale:

    - `scaled`: 1 - exp(-CIDEr), as VIFIDEL is exp(-WMD); or the fluency of the caption
      (`captious.models.language.grammaticality`), 1 for all but the lowest hundredth of people's captions;
    - `range`: by the range that each has, CIDEr / 10, or 1 / perplexity;
    - `raw`: neither is scaled, CIDEr from 0 to 10 and the mean log-likelihood below 0.

    `p`, `objects`, `counts` and `references` are VIFIDEL's; `model` is the language model.

    >>> sorted(VifidelPlus().needs), sorted(VifidelPlus(other="lm").needs)
    (['objects', 'references'], ['objects'])
    """

    title: ClassVar[str] = "VIFIDEL+"
    summary: ClassVar[str] = "VIFIDEL averaged with CIDEr or with a language model"
    citation: ClassVar[str] = "Madhyastha et al. 2019"
    needs: ClassVar[frozenset[Need]] = frozenset({"objects", "references"})
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    fewest_images: ClassVar[int] = 2

    other: str = CIDER
    rule: str = SCALED
    model: str = CAPTIONS
    p: int = Vifidel.p
    objects: str = Vifidel.objects
    counts: str = Vifidel.counts
    references: str = Vifidel.references

    def __post_init__(self) -> None:
        for option, known in (("other", OTHERS), ("rule", RULES)):
            if getattr(self, option) not in known:
                raise UnknownNameError(f"{option} of {self.name}", getattr(self, option), known)
        # What is a fact of the class elsewhere follows from options here.
        if self.other == LM:
            object.__setattr__(self, "strict_language", LanguageModelFluency.strict_language)
            object.__setattr__(self, "needs", frozenset({"objects"}))
            object.__setattr__(self, "fewest_images", 1)
        if self.rule == RAW:
            object.__setattr__(self, "bounds", (-np.inf, np.inf))
            object.__setattr__(self, "percent", self.other != LM)
        self.parts()

    def parts(self) -> tuple[Metric, ...]:
        """VIFIDEL, and CIDEr or the language model."""
        own = Vifidel(p=self.p, objects=self.objects, counts=self.counts, references=self.references)
        return own, CiderD() if self.other == CIDER else LanguageModelFluency(model=self.model)

    def facts(self, corpus: Corpus, knowledge: tuple[Any, ...]) -> dict[str, str]:
        """VIFIDEL's facts, then the other's under its own name."""
        vifidel, other = self.part_facts(corpus, knowledge)
        named = {f"{self.other}-{name}": value for name, value in other.items()}
        if self.other == LM and self.rule == SCALED:
            named["lm-report"] = "fluency"
        return {**vifidel, "other": self.other, "rule": self.rule, **named}

    def score_examples(self, batch: Batch, knowledge: tuple[Any, ...]) -> FloatArray:
        """The mean of the two scores of each example."""
        vifidel, _ = self.parts()
        return combined(vifidel.score_examples(batch, knowledge[0]), self._other(batch, knowledge[1]))

    def _other(self, batch: Batch, known: Any) -> FloatArray:
        """The other score of each example, by the rule."""
        if self.other == LM and self.rule == SCALED:
            texts, places = np.unique(batch.candidate_text, return_inverse=True)
            model = load_language_model(self.model)
            return fluency(model, [batch.texts[i] for i in texts.tolist()])[places]
        scores = self.parts()[1].score_examples(batch, known)
        if self.rule == RAW:
            return scores
        if self.other == LM:
            return np.exp(scores)
        return 1.0 - np.exp(-scores) if self.rule == SCALED else scores / CIDER_TOP


def combined(vifidel: FloatArray, other: FloatArray) -> FloatArray:
    """VIFIDEL+LM or VIFIDEL+CIDEr: the mean of the two scores of each example (4.4).

    Bring both to one scale first (`vifidel_plus` does): whichever spreads more decides more.

    >>> combined(np.array([0.5, 0.1]), np.array([1.5, 0.9])).tolist()
    [1.0, 0.5]
    """
    if vifidel.shape != other.shape:
        raise StatisticsError(
            f"{vifidel.shape} scores of VIFIDEL for {other.shape} of the other metric; "
            "both must cover the same examples."
        )
    return (vifidel + other) / 2.0
