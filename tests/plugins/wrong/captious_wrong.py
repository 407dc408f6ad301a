"""Metrics that return what a metric must not return."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from captious.metrics import Batch, Metric, register


@register("too_many")
@dataclass(frozen=True)
class TooMany(Metric):
    """A value too many."""

    def score_examples(self, batch: Batch, knowledge: Any) -> np.ndarray:
        return np.ones(len(batch) + 1)


@register("too_few")
@dataclass(frozen=True)
class TooFew(Metric):
    """One value for all."""

    def score_examples(self, batch: Batch, knowledge: Any) -> np.ndarray:
        return np.ones(1)


@register("no_number")
@dataclass(frozen=True)
class NoNumber(Metric):
    """NaN for captions that begin with an A."""

    def score_examples(self, batch: Batch, knowledge: Any) -> np.ndarray:
        return np.array([np.nan if text.startswith("A") else 1.0 for text in batch.corpus.captions])


@register("no_table")
@dataclass(frozen=True)
class NoTable(Metric):
    """Text where numbers belong."""

    def statistics(self, batch: Batch, knowledge: Any) -> Any:
        return [["good", "bad"] for _ in range(len(batch))]


@register("one_value")
@dataclass(frozen=True)
class OneValue(Metric):
    """A single number."""

    def statistics(self, batch: Batch, knowledge: Any) -> Any:
        return 1.0
