"""Precision and recall of VCRScore: a caption's words against a pool of words about the image."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from captious.corpus import Corpus
from captious.corpus.columns import FloatArray
from captious.corpus.findings import Place
from captious.corpus.objects import split_source
from captious.errors import UnknownNameError
from captious.metrics.base import Metric, Need, reference_count_label
from captious.metrics.batch import Batch
from captious.metrics.marked_words import Fault, marked_words
from captious.metrics.object_bags import ALL, check_sources, object_counts, require_objects, wanted_sources
from captious.metrics.registry import register
from captious.text.stop_words import LISTS, is_content_word, stop_list
from captious.text.tokens import TokenTable, token_table

NONE = "none"
LABELS = ("words", "whole")
VARIANTS = PAPER, RELEASED = ("paper", "released")
AUTO = "auto"


@dataclass(frozen=True)
class PoolMetric(Metric):
    """What precision and recall share: the pool and its overlap with the caption.

    The pool is the set of all references' words and of the labels of the detectors (equation 4's
    text); Z is the set of the caption's words; r = |Z and pool|.
    """

    needs: ClassVar[frozenset[Need]] = frozenset({"references", "objects"})

    objects: str = ALL
    labels: str = "words"
    stop: str = "none"
    tokeniser: str = AUTO

    @property
    def released(self) -> bool:
        """Whether words are those of the released program: cut at white space, and nothing else."""
        return False

    @property
    def words_by(self) -> str:
        """The tokeniser in use."""
        return ("space" if self.released else "ptb") if self.tokeniser == AUTO else self.tokeniser

    def __post_init__(self) -> None:
        if self.labels not in LABELS:
            raise UnknownNameError(f"labels of {self.name}", self.labels, LABELS)
        if self.stop not in LISTS:
            raise UnknownNameError(f"stop of {self.name}", self.stop, LISTS)
        if self.objects == NONE:
            object.__setattr__(self, "needs", frozenset({"references"}))

    def check(self, corpus: Corpus, knowledge: None) -> None:
        """Refuse a corpus without objects, unless `objects=none`."""
        if self.objects != NONE:
            require_objects(self.name, corpus)
            check_sources(corpus, wanted_sources(self.objects))

    def overlaps(self, batch: Batch) -> FloatArray:
        """r, |Z| and |pool| of each example, as columns."""
        key = ("pool overlap", self.objects, self.labels, self.stop, self.words_by, self.released)
        return batch.once(key, lambda: self._overlaps(batch))

    def _overlaps(self, batch: Batch) -> FloatArray:
        counts = [(len(own & pool), len(own), len(pool)) for own, pool in self.pools(batch)]
        return np.array(counts, dtype=np.float64).reshape(-1, 3)

    def pools(self, batch: Batch) -> Iterator[tuple[frozenset[str], frozenset[str]]]:
        """The caption's words and the pool of each example."""
        corpus = batch.corpus
        words = self._word_sets(batch.tokens(self.words_by))
        pools: dict[tuple[int, int], frozenset[str]] = {}
        images, sets = corpus.image_of.tolist(), corpus.references_of.tolist()
        batch.pairs()  # refuses examples without references
        for row, caption in enumerate(batch.candidate_text.tolist()):
            key = (images[row], sets[row])
            if key not in pools:
                pools[key] = self._pool(batch, words, *key)
            yield words[caption], pools[key]

    def _word_sets(self, table: TokenTable) -> list[frozenset[str]]:
        stop = stop_list(self.stop)
        return [
            frozenset(w for w in table.words(i) if not stop or is_content_word(w, stop))
            for i in range(len(table))
        ]

    def _pool(self, batch: Batch, words: list[frozenset[str]], image: int, set_: int) -> frozenset[str]:
        offsets = batch.corpus.references.offsets
        texts = batch.reference_text[offsets[set_] : offsets[set_ + 1]].tolist()
        return frozenset().union(*(words[text] for text in texts), self._label_words(batch, image))

    def _label_words(self, batch: Batch, image: int) -> frozenset[str]:
        if self.objects == NONE or batch.corpus.objects is None:
            return frozenset()
        sources = wanted_sources(self.objects)
        if self.released:
            named = map(split_source, batch.corpus.objects[image])
            texts = [label for source, label in named if not sources or source in sources]
            return frozenset().union(*self._word_sets(token_table(texts, self.words_by)))
        labels = list(object_counts(batch.corpus.objects[image], sources))
        if self.labels == "whole":
            return frozenset(labels)
        return frozenset().union(*self._word_sets(_label_tokens(labels, self.words_by)))

    def facts(self, corpus: Corpus, knowledge: None) -> dict[str, str]:
        """References, tokens, and what is in the pool."""
        return {
            "refs": reference_count_label(corpus),
            "tok": self.words_by,
            "stop": self.stop,
            "objects": "+".join(wanted_sources(self.objects)) or ALL,
            "labels": self.labels,
        }


def _label_tokens(labels: Sequence[str], tokeniser: str) -> TokenTable:
    return token_table([label.replace("_", " ").replace("-", " ") for label in labels], tokeniser)


def _ratio(part: FloatArray, whole: FloatArray) -> FloatArray:
    return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)


@register("vcr_precision")
@dataclass(frozen=True)
class VcrPrecision(PoolMetric):
    """r / |Z|: the share of the caption's words that are in the pool (VCRScore, equation 5).

    >>> corpus = Corpus.from_lists(["a dog chases a bus"], [["a dog runs"]],
    ...                            objects={"0": ["dog", "frisbee"]})
    >>> VcrPrecision().score_examples(Batch(corpus), None).tolist()  # a, dog of a, dog, chases, bus
    [0.5]
    """

    title: ClassVar[str] = "VCR precision"
    summary: ClassVar[str] = "share of the caption's words that references or detectors name"
    citation: ClassVar[str] = "Ruiz et al. 2024, section 3.2"

    def score_examples(self, batch: Batch, knowledge: None) -> FloatArray:
        """Precision of each example."""
        shared, own, _ = self.overlaps(batch).T
        return _ratio(shared, own)

    def findings(self, batch: Batch, knowledge: None) -> list[list[Place]]:
        """The caption's words that are not in the pool; `stop=english` leaves out the likes of "with"."""
        return [
            marked_words(caption, self.words_by, dict.fromkeys(own - pool, Fault(math.nan)))
            for caption, (own, pool) in zip(batch.corpus.captions, self.pools(batch), strict=True)
        ]


@register("vcr_recall")
@dataclass(frozen=True)
class VcrRecall(PoolMetric):
    """r / |pool|: the share of the pool that the caption names (VCRScore, equation 6).

    The released program hands its regressor the precision where the paper's text says recall, times
    100, of words cut at white space with their case and punctuation; `variant=released` is that.

    >>> corpus = Corpus.from_lists(["a dog chases a bus"], [["a dog runs"]],
    ...                            objects={"0": ["dog", "frisbee"]})
    >>> VcrRecall().score_examples(Batch(corpus), None).tolist()  # a, dog of a, dog, runs, frisbee
    [0.5]
    """

    title: ClassVar[str] = "VCR recall"
    summary: ClassVar[str] = "share of what references and detectors name that the caption names"
    citation: ClassVar[str] = "Ruiz et al. 2024, section 3.2"

    variant: str = PAPER

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.variant not in VARIANTS:
            raise UnknownNameError(f"variant of {self.name}", self.variant, VARIANTS)
        if self.released:
            # What is a fact of the class elsewhere follows from an option here.
            object.__setattr__(self, "bounds", (0.0, 100.0))
            object.__setattr__(self, "percent", False)

    @property
    def released(self) -> bool:
        """Whether this is what the released program computes."""
        return self.variant == RELEASED

    def score_examples(self, batch: Batch, knowledge: None) -> FloatArray:
        """Recall of each example, or what the released program takes for it."""
        shared, own, pool = self.overlaps(batch).T
        return 100.0 * _ratio(shared, own) if self.released else _ratio(shared, pool)

    def facts(self, corpus: Corpus, knowledge: None) -> dict[str, str]:
        """As precision, and whose recall."""
        return super().facts(corpus, knowledge) | {"variant": self.variant}
