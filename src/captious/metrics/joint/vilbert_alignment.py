"""ViLBERT's alignment probability as a metric: VBAlignment of Scott et al. 2023, 4.2."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from captious.metrics.base import Limit
from captious.metrics.joint.family import PairFamily
from captious.metrics.registry import register
from captious.models.encoders.long_texts import LONG
from captious.models.encoders.vector_cache import Keyed
from captious.models.joint.vilbert.alignment import Aligner
from captious.models.joint.vilbert.model import LIMIT, open_vilbert, ready
from captious.models.weights.known import VILBERT


@register("vilbert_alignment")
@dataclass(frozen=True)
class VilbertAlignment(PairFamily):
    """The probability that caption and image belong together, by ViLBERT's pretraining task.

    With (a, n) the logits of "aligned" and "not aligned": e^a / (e^a + e^n). The model is the one
    before it was tuned on twelve tasks (Scott et al. 2023, 4.2). `regions` are the region features.

    >>> VilbertAlignment().task
    -1
    """

    title: ClassVar[str] = "VBAlignment"
    summary: ClassVar[str] = "ViLBERT's probability that caption and image are aligned; no references"
    citation: ClassVar[str] = "Scott et al. 2023; Lu et al. 2019"
    family: ClassVar[str] = "vilbert"
    longest: ClassVar[Limit | None] = Limit(LIMIT, "tokens", LONG, "truncate")

    model: str = VILBERT
    regions: str = ""
    task: int = -1
    limit: int = LIMIT

    def ready(self) -> None:
        """The model's weights, the packages that run it, and region features."""
        ready(self.name, self.model, self.regions)

    def scorer(self) -> Keyed:
        """ViLBERT with its alignment head over the region features."""
        self.ready()
        model = open_vilbert(self.model, self.task, self.limit, self.device, self.dtype)
        return Aligner(model, self.regions)
