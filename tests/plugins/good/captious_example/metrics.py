"""The share of a caption's tokens that occur in any of its references."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from captious.metrics import Batch, Metric, register


@register("word_share")
@dataclass(frozen=True)
class WordShare(Metric):
    """Share of candidate tokens that some reference holds."""

    summary: ClassVar[str] = "share of the caption's tokens that some reference holds"
    citation: ClassVar[str] = "none: an example"

    def score_examples(self, batch: Batch, knowledge: Any) -> np.ndarray:
        tokens = batch.tokens("ptb")
        examples, references = batch.pairs()
        known: list[set[int]] = [set() for _ in range(len(batch))]
        for example, row in zip(examples.tolist(), references.tolist(), strict=True):
            known[example].update(tokens.row(row).tolist())
        shares = []
        for example, row in enumerate(batch.candidate_text.tolist()):
            own = tokens.row(row).tolist()
            shares.append(sum(token in known[example] for token in own) / max(1, len(own)))
        return np.array(shares)
