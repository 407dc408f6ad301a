"""A package that registers a metric and then fails to import."""

from dataclasses import dataclass

from captious.metrics import Metric, register


@register("half_made")
@dataclass(frozen=True)
class HalfMade(Metric):
    """Never whole."""


raise RuntimeError("this package needs a graphics card")
