"""ROUGE-L (Lin 2004): the longest common subsequence of a candidate and a reference.

Bit-parallel (Hyyro 2004, "Bit-parallel LCS-length computation revisited"): the tokens of the left text
are the bits of one machine word, a token of the right text updates the word with one addition and three
logical operations, and NumPy does so for every pair in the same step.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from captious.corpus import Corpus
from captious.corpus.columns import FloatArray
from captious.errors import InputError, UnknownNameError
from captious.metrics.base import Limit, Metric, reference_count_label
from captious.metrics.batch import Batch
from captious.metrics.matching import pair_starts
from captious.metrics.registry import register
from captious.text.lookup import Lookup, chunks, first_of_runs, ranges
from captious.text.tokens import TokenTable, require_tokeniser, tokeniser_label

IntArray = NDArray[np.int64]
Words = NDArray[np.uint64]

WORD = 64
_CHUNK = 1 << 20  # right-hand tokens worked on at once, to bound memory


def lcs_lengths(tokens: TokenTable, left: IntArray, right: IntArray) -> IntArray:
    """Longest common subsequence of texts `left[i]` and `right[i]`, in tokens, for every `i`.

    >>> from captious.text.tokens import token_table
    >>> table = token_table(["a red bus", "a bus that is red", "trees"], "space")
    >>> lcs_lengths(table, np.array([0, 0, 1]), np.array([1, 2, 1])).tolist()
    [2, 0, 5]
    """
    lengths = np.zeros(len(left), dtype=np.int64)
    sizes = tokens.lengths
    short = np.flatnonzero(sizes[left] <= WORD)
    for part in chunks(sizes[right[short]] + 1, _CHUNK):
        rows = short[part]
        lengths[rows] = _in_one_word(tokens, left[rows], right[rows])
    for row in np.flatnonzero(sizes[left] > WORD).tolist():
        lengths[row] = _any_length(tokens, int(left[row]), int(right[row]))
    return lengths


def _any_length(tokens: TokenTable, left: int, right: int) -> int:
    from rapidfuzz.distance import LCSseq

    return LCSseq.similarity(tokens.row(left).tolist(), tokens.row(right).tolist())


def _in_one_word(tokens: TokenTable, left: IntArray, right: IntArray) -> IntArray:
    """The same where no left text has more than 64 tokens."""
    texts, places = np.unique(left, return_inverse=True)
    keys, masks = _token_masks(tokens, texts)
    # Longest right texts first, so that the pairs still at work are always a leading slice.
    order = np.argsort(-tokens.lengths[right], kind="stable")
    sizes = tokens.lengths[right[order]]
    flat = ranges(tokens.offsets[right[order]], sizes)
    wanted = np.repeat(places[order] * len(tokens.vocabulary), sizes) + tokens.ids[flat]
    found = Lookup(keys).find(wanted)
    matches = np.append(masks, np.uint64(0))[found]
    starts = np.cumsum(sizes) - sizes
    state = np.full(len(order), ~np.uint64(0))
    for step in range(int(sizes[0]) if len(sizes) else 0):
        active = int(np.searchsorted(-sizes, -step, side="left"))
        here = matches[starts[:active] + step]
        kept = state[:active] & here
        state[:active] = (state[:active] + kept) | (state[:active] & ~here)
    lengths = np.empty(len(order), dtype=np.int64)
    lengths[order] = np.bitwise_count(~state)
    return lengths


def _token_masks(tokens: TokenTable, texts: IntArray) -> tuple[IntArray, Words]:
    """For each (text, token) a word whose set bits are the token's places in the text."""
    sizes = tokens.lengths[texts]
    flat = ranges(tokens.offsets[texts], sizes)
    keys = np.repeat(np.arange(len(texts)) * len(tokens.vocabulary), sizes) + tokens.ids[flat]
    places = flat - np.repeat(tokens.offsets[texts], sizes)
    bits = np.uint64(1) << places.astype(np.uint64)
    order = np.argsort(keys, kind="stable")
    begins = np.flatnonzero(first_of_runs(keys[order]))
    if not len(begins):
        return keys, bits
    return keys[order][begins], np.bitwise_or.reduceat(bits[order], begins)


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
