"""Automatic metrics: one module, one idea; names become metrics in the registry."""

from captious.metrics.base import Metric
from captious.metrics.batch import Batch
from captious.metrics.registry import Asked, find, known_metrics, register, resolve, resolve_all, split_list

__all__ = [
    "Asked",
    "Batch",
    "Metric",
    "find",
    "known_metrics",
    "register",
    "resolve",
    "resolve_all",
    "split_list",
]
