"""The metric `captious`: a learned ranking of captions by their references."""

from captious.metrics.captious_metric.free import CaptiousFree
from captious.metrics.captious_metric.metric import CaptiousMetric

__all__ = ["CaptiousFree", "CaptiousMetric"]
