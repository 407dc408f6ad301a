"""VSE++ as a metric (Scott et al. 2023, 4.2; Faghri et al. 2018)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from captious.metrics.joint.family import PairFamily
from captious.metrics.registry import register
from captious.models.encoders import opening
from captious.models.encoders.vector_cache import Keyed
from captious.models.joint.vse.model import open_vse
from captious.models.weights.known import VSE


@register("vsepp")
@dataclass(frozen=True)
class Vsepp(PairFamily):
    """Cosine of an image's vector, by a CNN, and a caption's, by a GRU.

    f = W cnn(v) / |cnn(v)|, g = the GRU's state at the caption's last word; the score is
    f . g / (|f| |g|) (Faghri et al. 2018, 3.1). Captions of any length are read.

    >>> Vsepp().bounds
    (-1.0, 1.0)
    """

    title: ClassVar[str] = "VSE++"
    summary: ClassVar[str] = "cosine of image (CNN) and caption (GRU) in VSE++'s space; no references"
    citation: ClassVar[str] = "Scott et al. 2023; Faghri et al. 2018"
    bounds: ClassVar[tuple[float, float]] = (-1.0, 1.0)
    family: ClassVar[str] = "vse"

    model: str = VSE
    vocab: str = ""

    def ready(self) -> None:
        """The checkpoint and the packages that run it."""
        opening.ready(self.model)

    def scorer(self) -> Keyed:
        """VSE++ with its vocabulary."""
        return open_vse(self.model, self.vocab, self.device, self.dtype)
