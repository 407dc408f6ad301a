"""SPIDEr: the mean of CIDEr-D and SPICE (Liu et al. 2017), the usual metric of audio captioning."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from captious.corpus import Corpus
from captious.corpus.columns import FloatArray
from captious.metrics.base import Limit, Metric
from captious.metrics.batch import Batch
from captious.metrics.cider import CiderD
from captious.metrics.document_frequency import CORPUS
from captious.metrics.joined import JoinedMetric
from captious.metrics.registry import register
from captious.metrics.spice.metric import SENTENCE, Spice


@register("spider")
@dataclass(frozen=True)
class Spider(JoinedMetric):
    """(CIDEr-D + SPICE) / 2 of each example; a corpus's value is their mean.

    CIDEr-D runs to 10 and SPICE to 1, and neither is scaled, as in Liu et al. and in the challenges
    of audio captioning. `df` is CIDEr's; `parser` and `graph` are SPICE's.

    >>> sorted(Spider().needs), Spider().bounds
    (['references'], (0.0, 5.5))
    """

    title: ClassVar[str] = "SPIDEr"
    summary: ClassVar[str] = "mean of CIDEr-D and SPICE (English), common in audio captioning"
    citation: ClassVar[str] = "Liu et al. 2017"
    bounds: ClassVar[tuple[float, float]] = (0.0, 5.5)
    fewest_images: ClassVar[int] = 2
    longest: ClassVar[Limit | None] = Spice.longest

    df: str = CORPUS
    parser: str = "caption"
    graph: str = SENTENCE

    def parts(self) -> tuple[Metric, ...]:
        """CIDEr-D and SPICE."""
        return CiderD(df=self.df), Spice(parser=self.parser, graph=self.graph)

    def facts(self, corpus: Corpus, knowledge: tuple[Any, ...]) -> dict[str, str]:
        """CIDEr's facts, then SPICE's parser and synonyms."""
        cider, spice = self.part_facts(corpus, knowledge)
        return cider | {name: fact for name, fact in spice.items() if name not in cider}

    def score_examples(self, batch: Batch, knowledge: tuple[Any, ...]) -> FloatArray:
        """The mean of the two scores of each example."""
        cider, spice = self.part_scores(batch, knowledge)
        return (cider + spice) / 2.0
