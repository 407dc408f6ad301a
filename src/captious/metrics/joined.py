"""Metrics made of other metrics: each part keeps its own knowledge of the corpus."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from captious.corpus import Corpus
from captious.corpus.columns import FloatArray
from captious.metrics.base import Metric
from captious.metrics.batch import Batch
from captious.metrics.languages import joined_languages
from captious.progress import Report


@dataclass(frozen=True)
class JoinedMetric(Metric):
    """What every metric of several parts does alike; a subclass says what they are and how to join."""

    @abstractmethod
    def parts(self) -> tuple[Metric, ...]:
        """The metrics that are joined."""

    def ready(self) -> None:
        """What any of the parts needs."""
        for part in self.parts():
            part.ready()

    def prepare(self, report: Report | None = None) -> None:
        """What any of the parts makes once."""
        for part in self.parts():
            part.prepare(report)

    def languages(self) -> tuple[str, ...]:
        """Those that all parts are right for."""
        return joined_languages(part.languages() for part in self.parts())

    def unread(self, texts: Sequence[str]) -> FloatArray | None:
        """What the parts' encoders cannot read."""
        shares = [share for part in self.parts() if (share := part.unread(texts)) is not None]
        return np.maximum.reduce(shares) if shares else None

    def way_out(self, code: str) -> str:
        """None, where the parts' options are not its own."""
        return ""

    @property
    def corpus_wide(self) -> bool:
        """Whether any of the parts is."""
        return any(part.corpus_wide for part in self.parts())

    @property
    def counts_documents(self) -> bool:
        """Whether any of the parts counts them."""
        return any(part.counts_documents for part in self.parts())

    def collect(self, batch: Batch) -> tuple[Any, ...]:
        """What each of the parts collects."""
        return tuple(part.collect(batch) for part in self.parts())

    def merge(self, parts: Sequence[tuple[Any, ...]]) -> tuple[Any, ...]:
        """What each of the parts knows of the corpus."""
        columns = zip(*parts, strict=True)
        return tuple(part.merge(own) for part, own in zip(self.parts(), columns, strict=True))

    def check(self, corpus: Corpus, knowledge: tuple[Any, ...]) -> None:
        """Refuse what any of the parts refuses."""
        for part, own in zip(self.parts(), knowledge, strict=True):
            part.check(corpus, own)

    def notes(self, corpus: Corpus, knowledge: tuple[Any, ...]) -> list[str]:
        """What each of the parts has to say."""
        return [
            line
            for part, own in zip(self.parts(), knowledge, strict=True)
            for line in part.notes(corpus, own)
        ]

    def part_scores(self, batch: Batch, knowledge: tuple[Any, ...]) -> list[FloatArray]:
        """Each part's score of every example."""
        return [part.score_examples(batch, own) for part, own in zip(self.parts(), knowledge, strict=True)]

    def part_facts(self, corpus: Corpus, knowledge: tuple[Any, ...]) -> list[dict[str, str]]:
        """Each part's facts for the signature."""
        return [part.facts(corpus, own) for part, own in zip(self.parts(), knowledge, strict=True)]
