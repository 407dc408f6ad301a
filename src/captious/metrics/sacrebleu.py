"""BLEU-4 as sacreBLEU computes it (Papineni et al. 2002; Post 2018), sentence by sentence.

This is the BLEU of THumB (Kasai et al. 2022): raw text, 13a tokens, case kept, exponential
smoothing, and a system's value is the mean over its captions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from captious.corpus import Corpus
from captious.corpus.columns import FloatArray
from captious.errors import UnknownNameError
from captious.metrics.base import Metric, reference_count_label
from captious.metrics.batch import Batch
from captious.metrics.bleu import GUESSES, LENGTH, MATCHES, REFERENCE_LENGTH, bleu_statistics
from captious.metrics.registry import register
from captious.text.tokens import CASED, LOWER, require_tokeniser, tokeniser_label

SMOOTHING = ("exp", "floor", "add-k", "none")
EFFECTIVE_ORDER = ("auto", "yes", "no")
# What sacreBLEU takes from Chen and Cherry 2014 where no value is given.
FLOOR = 0.1
ADDED = 1.0


@register("sacrebleu")
@dataclass(frozen=True)
class SacreBleu(Metric):
    """sacreBLEU's BLEU-4, from 0 to 1.

    `effective_order=yes` leaves out the orders that a caption is too short for; `auto` does so
    for single captions and not for a corpus, as sacreBLEU's own two functions do.
    `corpus=yes` makes a system's value BLEU of the whole corpus instead of the mean over captions.

    >>> corpus = Corpus.from_lists(["A cat sat."], [["A cat sat down.", "The cat sat."]])
    >>> SacreBleu().score_examples(Batch(corpus), None).round(3).tolist()
    [0.841]
    """

    title: ClassVar[str] = "sacreBLEU"
    summary: ClassVar[str] = "BLEU-4 of raw text as in sacreBLEU, mean over captions (THumB's BLEU)"
    citation: ClassVar[str] = "Post 2018"

    smooth: str = "exp"
    effective_order: str = "auto"
    lowercase: bool = False
    corpus: bool = False
    tokeniser: str = "13a"

    def __post_init__(self) -> None:
        if self.smooth not in SMOOTHING:
            raise UnknownNameError("smooth of sacrebleu", self.smooth, SMOOTHING)
        if self.effective_order not in EFFECTIVE_ORDER:
            raise UnknownNameError("effective_order of sacrebleu", self.effective_order, EFFECTIVE_ORDER)
        if self.tokeniser not in CASED:
            raise UnknownNameError("tokeniser of sacrebleu", self.tokeniser, CASED)
        require_tokeniser(self.tokeniser)

    def statistics(self, batch: Batch, knowledge: Any) -> FloatArray:
        """BLEU's ten counts where the corpus value needs them, else the score and 1."""
        tokeniser = self.tokeniser + (LOWER if self.lowercase else "")
        counts = bleu_statistics(batch, tokeniser, "closest")
        if self.corpus:
            return counts
        scores = self._sentence_bleu(counts)
        return np.stack([scores, np.ones_like(scores)], axis=1)

    def example_scores(self, statistics: FloatArray) -> FloatArray:
        """Sentence BLEU of each example."""
        if self.corpus:
            return self._sentence_bleu(statistics)
        return super().corpus_score(statistics)

    def corpus_score(self, summed: FloatArray) -> FloatArray:
        """Mean of sentence scores, or BLEU from summed counts."""
        if self.corpus:
            return smoothed_bleu(summed, self.smooth, self.effective_order == "yes")
        return super().corpus_score(summed)

    def _sentence_bleu(self, counts: FloatArray) -> FloatArray:
        return smoothed_bleu(counts, self.smooth, self.effective_order != "no")

    def facts(self, corpus: Corpus, knowledge: Any) -> dict[str, str]:
        """References, and the facts that sacreBLEU's own signature gives."""
        return {
            "refs": reference_count_label(corpus),
            "tok": tokeniser_label(self.tokeniser),
            "case": "lc" if self.lowercase else "mixed",
            "smooth": self.smooth,
            "eff": self.effective_order,
            "mean": "no" if self.corpus else "yes",
        }


def smoothed_bleu(counts: FloatArray, smooth: str, effective_order: bool) -> FloatArray:
    """BLEU from BLEU's ten statistics with one of sacreBLEU's smoothing methods.

    `exp` halves the precision of each further order that has no match (mteval's method), `floor`
    gives such an order 0.1 matches, `add-k` adds 1 to matches and guesses above the first order
    (Chen and Cherry 2014). Without a match of any order the score is 0.
    """
    matches, guesses = counts[..., MATCHES].copy(), counts[..., GUESSES].copy()
    nothing = ~(matches > 0).any(axis=-1)
    if smooth == "add-k":
        matches[..., 1:] += ADDED
        guesses[..., 1:] += ADDED
    # An order without guesses ends the list: what comes after it does not count either.
    counted = np.logical_and.accumulate(guesses > 0, axis=-1)
    missed = counted & (matches == 0)
    if smooth == "exp":
        halvings = np.cumsum(missed, axis=-1)
        matches = np.where(missed, 0.5**halvings, matches)
    elif smooth == "floor":
        matches = np.where(missed, FLOOR, matches)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.where(counted & (matches > 0), np.log(matches / guesses), -np.inf)
        orders = np.full(counted.shape[:-1], counted.shape[-1])
        if effective_order:
            logs = np.where(counted, logs, 0.0)
            orders = np.maximum(counted.sum(axis=-1), 1)
        mean = logs.sum(axis=-1) / orders
        own, theirs = counts[..., LENGTH], counts[..., REFERENCE_LENGTH]
        penalty = np.where(own > 0, np.exp(np.minimum(0.0, 1.0 - theirs / own)), 0.0)
    return np.asarray(np.where(nothing, 0.0, penalty * np.exp(mean)), dtype=np.float64)
