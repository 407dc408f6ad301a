"""CIDEr as its paper first defines it (Vedantam et al. 2015, section 3), before CIDEr-D."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from captious.corpus import Corpus
from captious.corpus.columns import FloatArray
from captious.errors import InputError
from captious.metrics.batch import Batch
from captious.metrics.cider import TfIdfMetric
from captious.metrics.document_frequency import DocumentFrequencies
from captious.metrics.registry import register
from captious.text.tokens import STEMMED, languages_of_tokeniser


@register("cider_original")
@dataclass(frozen=True)
class CiderOriginal(TfIdfMetric):
    """CIDEr: plain tf-idf cosine, with neither clipping nor a penalty on length.

    1 / (m n_max) sum_j sum_n g_n(c) . g_n(s_j) / (|g_n(c)| |g_n(s_j)|). The paper divides counts
    by the text's number of n-grams and the authors' program does not; a cosine is the same for
    both. That program multiplies by ten, as CIDEr-D does: `cider_original[scale=10]`. The paper
    reduces words to stems and the program does not: `stem=yes` does, with the Porter2 stemmer.

    >>> corpus = Corpus.from_lists(["a dog runs", "two cats"], [["a dog runs"], ["two red cats"]])
    >>> metric = CiderOriginal(tokeniser="space")
    >>> batch = Batch(corpus)
    >>> metric.score_examples(batch, metric.merge([metric.collect(batch)])).round(3).tolist()
    [0.75, 0.204]
    """

    title: ClassVar[str] = "CIDEr (original)"
    summary: ClassVar[str] = "CIDEr of the paper's section 3: no clipping, no length penalty"
    citation: ClassVar[str] = "Vedantam et al. 2015"

    scale: float = 1.0
    stem: bool = False

    @property
    def columns(self) -> str:
        """Name of the token columns whose n-grams are weighted."""
        return self.tokeniser + (STEMMED if self.stem else "")

    def languages(self) -> tuple[str, ...]:
        """Those of the tokeniser; stems are English."""
        return languages_of_tokeniser(self.columns)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.scale > 0:
            raise InputError(f"{self.name}: scale is {self.scale}; it must be above 0.")

    def score_examples(self, batch: Batch, knowledge: DocumentFrequencies) -> FloatArray:
        """CIDEr of each example."""
        cosines = self.similarities(batch, knowledge, clip=False)
        return self.scale * self.mean_over_references(batch, cosines.mean(axis=1))

    def facts(self, corpus: Corpus, knowledge: Any) -> dict[str, str]:
        """As the signature of both, and the scale."""
        return super().facts(corpus, knowledge) | {"scale": str(self.scale)}
