"""A package that takes the name of a metric of ours."""

from dataclasses import dataclass

from captious.metrics import Metric, register


@register("cider")
@dataclass(frozen=True)
class OtherCider(Metric):
    """Not CIDEr."""
