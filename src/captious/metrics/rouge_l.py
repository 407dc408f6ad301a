"""ROUGE-L (Lin 2004): the longest common subsequence of a candidate and a reference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from captious.corpus import Corpus
from captious.corpus.columns import FloatArray
from captious.errors import InputError, UnknownNameError
from captious.metrics.base import Limit, Metric, reference_count_label
from captious.metrics.batch import Batch
from captious.metrics.matching import pair_starts
from captious.metrics.registry import register
from captious.text.lcs import lcs_lengths
from captious.text.tokens import require_tokeniser, tokeniser_label

COCO, ROUGE_SCORE = "coco", "rouge_score"
VARIANTS = (COCO, ROUGE_SCORE)


@register("rouge_l")
@dataclass(frozen=True)
class RougeL(Metric):
    """ROUGE-L with either of the two definitions in use for captions.

    With L the longest common subsequence, P = L / |candidate| and R = L / |reference|:

    `coco` (coco-caption, the default) takes the highest P and the highest R over the references,
    which may come from different references, and gives (1 + b^2) P R / (R + b^2 P), b = 1.2.
    `rouge_score` (the package that THumB used) gives the highest F1 over the references.

    >>> from captious.corpus import Corpus
    >>> batch = Batch(Corpus.from_lists(["a red bus"], [["a red bus on a street"]]))
    >>> RougeL(tokeniser="space").score_examples(batch, None).round(3).tolist()
    [0.629]
    >>> RougeL(variant="rouge_score").score_examples(batch, None).round(3).tolist()
    [0.667]
    """

    title: ClassVar[str] = "ROUGE-L"
    summary: ClassVar[str] = "longest common subsequence, as in coco-caption or rouge_score"
    citation: ClassVar[str] = "Lin 2004"
    longest: ClassVar[Limit | None] = Limit(50_000, "words")  # takes 3 s

    variant: str = COCO
    beta: float = 1.2
    tokeniser: str = ""

    def __post_init__(self) -> None:
        if self.variant not in VARIANTS:
            raise UnknownNameError("variant of rouge_l", self.variant, VARIANTS)
        if not 0 < self.beta < np.inf:
            raise InputError(f"rouge_l: beta is {self.beta}; it must be above 0 and finite.")
        if not self.tokeniser:
            own = "ptb" if self.variant == COCO else ROUGE_SCORE
            object.__setattr__(self, "tokeniser", own)
        require_tokeniser(self.tokeniser)

    def score_examples(self, batch: Batch, knowledge: Any) -> FloatArray:
        """ROUGE-L of each example."""
        if not len(batch):
            return np.zeros(0)
        tokens = batch.tokens(self.tokeniser)
        examples, references = batch.pairs()
        candidates = batch.candidate_text[examples]
        common = lcs_lengths(tokens, candidates, references)
        own, theirs = tokens.lengths[candidates], tokens.lengths[references]
        if self.variant == COCO:
            # coco-caption splits an empty text into one empty word, which equals another.
            common[(own == 0) & (theirs == 0)] = 1
        precision = common / np.maximum(own, 1)
        recall = common / np.maximum(theirs, 1)
        starts = pair_starts(batch)
        if self.variant == ROUGE_SCORE:
            return np.asarray(np.maximum.reduceat(_f(precision, recall, 1.0), starts))
        return _f(np.maximum.reduceat(precision, starts), np.maximum.reduceat(recall, starts), self.beta)

    def facts(self, corpus: Corpus, knowledge: Any) -> dict[str, str]:
        """References, tokeniser, variant and, for coco-caption's, beta."""
        facts = {
            "refs": reference_count_label(corpus),
            "tok": tokeniser_label(self.tokeniser),
            "variant": self.variant,
        }
        return facts | ({"beta": str(self.beta)} if self.variant == COCO else {})


def _f(precision: FloatArray, recall: FloatArray, beta: float) -> FloatArray:
    weighted = recall + beta**2 * precision
    score = np.zeros_like(precision)
    np.divide((1 + beta**2) * precision * recall, weighted, out=score, where=weighted > 0)
    return score
