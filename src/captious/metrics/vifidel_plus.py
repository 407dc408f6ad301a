"""VIFIDEL+LM and VIFIDEL+CIDEr: fidelity joined with fluency or consensus (VIFIDEL, 4.4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from captious.corpus import Corpus
from captious.corpus.columns import FloatArray
from captious.errors import UnknownNameError
from captious.metrics.base import Metric, Need
from captious.metrics.batch import Batch
from captious.metrics.cider import CiderD
from captious.metrics.lm import LanguageModelFluency
from captious.metrics.registry import register
from captious.metrics.vifidel import Vifidel, combined
from captious.models.language.load import POCKETSPHINX

CIDER, LM = "cider", "lm"
OTHERS = (CIDER, LM)


@register("vifidel_plus")
@dataclass(frozen=True)
class VifidelPlus(Metric):
    """The mean of VIFIDEL and of CIDEr or a language model's mean log-likelihood, per example.

    VIFIDEL reads a caption as a bag of words; Madhyastha et al. (2019, 4.4) average it with a
    metric that reads sentences. Neither is scaled, as in the paper. `p`, `objects`, `counts` and
    `references` are VIFIDEL's; `model` is the language model of `other=lm`.

    >>> sorted(VifidelPlus().needs), sorted(VifidelPlus(other="lm").needs)
    (['objects', 'references'], ['objects'])
    """

    summary: ClassVar[str] = "VIFIDEL averaged with CIDEr or with a language model"
    citation: ClassVar[str] = "Madhyastha et al. 2019"
    needs: ClassVar[frozenset[Need]] = frozenset({"objects", "references"})
    bounds: ClassVar[tuple[float, float]] = (-np.inf, np.inf)

    other: str = CIDER
    model: str = POCKETSPHINX
    p: int = Vifidel.p
    objects: str = Vifidel.objects
    counts: str = Vifidel.counts
    references: str = Vifidel.references

    def __post_init__(self) -> None:
        if self.other not in OTHERS:
            raise UnknownNameError(f"other of {self.name}", self.other, OTHERS)
        if self.other == LM:
            # What is a fact of the class elsewhere follows from an option here.
            object.__setattr__(self, "needs", frozenset({"objects"}))
            object.__setattr__(self, "percent", False)
        self._joined()

    def _joined(self) -> tuple[Metric, Metric]:
        own = Vifidel(p=self.p, objects=self.objects, counts=self.counts, references=self.references)
        return own, CiderD() if self.other == CIDER else LanguageModelFluency(model=self.model)

    def ready(self) -> None:
        """What either of the two needs."""
        for metric in self._joined():
            metric.ready()

    def collect(self, batch: Batch) -> tuple[Any, ...]:
        """What each of the two collects."""
        return tuple(metric.collect(batch) for metric in self._joined())

    def merge(self, parts: Sequence[tuple[Any, ...]]) -> tuple[Any, ...]:
        """What each of the two knows of the corpus."""
        columns = zip(*parts, strict=True)
        return tuple(metric.merge(own) for metric, own in zip(self._joined(), columns, strict=True))

    def check(self, corpus: Corpus, knowledge: tuple[Any, ...]) -> None:
        """Refuse what either of the two refuses."""
        for metric, own in zip(self._joined(), knowledge, strict=True):
            metric.check(corpus, own)

    def facts(self, corpus: Corpus, knowledge: tuple[Any, ...]) -> dict[str, str]:
        """VIFIDEL's facts, then the other's under its own name."""
        vifidel, other = (
            metric.facts(corpus, own) for metric, own in zip(self._joined(), knowledge, strict=True)
        )
        named = {f"{self.other}-{name}": value for name, value in other.items()}
        return {**vifidel, "other": self.other, **named}

    def score_examples(self, batch: Batch, knowledge: tuple[Any, ...]) -> FloatArray:
        """The mean of the two scores of each example."""
        own, other = (
            metric.score_examples(batch, known)
            for metric, known in zip(self._joined(), knowledge, strict=True)
        )
        return combined(own, other)
