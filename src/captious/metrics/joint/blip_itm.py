"""BLIP's matching head as a metric (Li et al. 2022)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from captious.metrics.base import Limit
from captious.metrics.joint.family import PairFamily
from captious.metrics.registry import register
from captious.models.encoders import opening
from captious.models.encoders.long_texts import LONG
from captious.models.encoders.vector_cache import Keyed
from captious.models.joint.blip import open_blip
from captious.models.weights.known import BLIP_ITM


@register("blip_itm")
@dataclass(frozen=True)
class BlipMatch(PairFamily):
    """The probability that image and caption match, by BLIP's two-way head: softmax(W h + b)_1.

    h is the state of the caption's first token after it has attended to the image.

    >>> BlipMatch().bounds
    (0.0, 1.0)
    """

    title: ClassVar[str] = "BLIP-ITM"
    summary: ClassVar[str] = "probability that caption and image match, by BLIP; no references"
    citation: ClassVar[str] = "Li et al. 2022"
    family: ClassVar[str] = "blip"
    longest: ClassVar[Limit | None] = Limit(512, "tokens", LONG, "truncate")

    model: str = BLIP_ITM

    def ready(self) -> None:
        """The model's weights and the packages that run them."""
        opening.ready(self.model)

    def scorer(self) -> Keyed:
        """BLIP."""
        return open_blip(self.model, self.device, self.dtype)
