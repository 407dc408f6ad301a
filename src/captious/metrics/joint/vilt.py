"""ViLT's retrieval head as a metric (Ruiz et al. 2024, 3.1.2; Kim et al. 2021)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from captious.errors import UnknownNameError
from captious.metrics.base import Limit
from captious.metrics.joint.family import PairFamily
from captious.metrics.registry import register
from captious.models.encoders import opening
from captious.models.encoders.long_texts import LONG
from captious.models.encoders.vector_cache import Keyed
from captious.models.joint.vilt import LIMIT, open_vilt
from captious.models.weights.known import VILT

SMALL = ("keep", "enlarge")


@register("vilt")
@dataclass(frozen=True)
class ViltScore(PairFamily):
    """The logit that ViLT's retrieval head gives an image and a caption; unbounded, higher is better.

    With h the pooled state of the joint sequence and (w, b) the head: w . h + b.

    >>> ViltScore().limit
    40
    """

    title: ClassVar[str] = "ViLT"
    summary: ClassVar[str] = "logit of ViLT's retrieval head for caption and image; no references"
    citation: ClassVar[str] = "Ruiz et al. 2024; Kim et al. 2021"
    bounds: ClassVar[tuple[float, float]] = (-math.inf, math.inf)
    percent: ClassVar[bool] = False
    family: ClassVar[str] = "vilt"
    longest: ClassVar[Limit | None] = Limit(LIMIT, "tokens", LONG, "truncate")

    model: str = VILT
    limit: int = LIMIT
    small: str = SMALL[0]

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.small not in SMALL:
            raise UnknownNameError(f"small of {self.name}", self.small, SMALL)

    def ready(self) -> None:
        """The model's weights and the packages that run them."""
        opening.ready(self.model)

    def scorer(self) -> Keyed:
        """ViLT."""
        return open_vilt(self.model, self.limit, self.small == "enlarge", self.device, self.dtype)
