"""Metrics that divide one count by another, both summed over captions."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from captious.corpus.columns import FloatArray
from captious.metrics.base import Metric


class CountShare(Metric):
    """The first of two columns of statistics over the second; 0 where the second is 0."""

    columns: ClassVar[tuple[int, int]]

    def corpus_score(self, summed: FloatArray) -> FloatArray:
        """The quotient of the sums."""
        part, whole = (summed[..., column] for column in self.columns)
        return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)
