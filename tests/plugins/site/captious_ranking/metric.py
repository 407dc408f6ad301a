"""A metric of somebody else's: the number of words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from captious.corpus.columns import FloatArray
from captious.metrics import Batch, Metric, register


@register("caption_words")
@dataclass(frozen=True)
class CaptionWords(Metric):
    """How many tokens a caption has."""

    summary: ClassVar[str] = "number of tokens"
    citation: ClassVar[str] = "none: an example"

    def score_examples(self, batch: Batch, knowledge: Any) -> FloatArray:
        """One number a caption."""
        tokens = batch.tokens("ptb")
        return np.array([float(len(tokens.row(row))) for row in batch.candidate_text.tolist()])
