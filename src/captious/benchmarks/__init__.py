"""Metric against human: named benchmarks, their exact protocols, and published values.

A benchmark is a loader and a `Protocol`. The protocol says which judgments enter, which references
are used, which coefficient is printed, and travels with every result.
"""

from captious.benchmarks.extra_inputs import ExtraInputs
from captious.benchmarks.meta_evaluation import evaluate
from captious.benchmarks.protocol import Preferences, Protocol, RatedExamples
from captious.benchmarks.registry import BENCHMARKS, load_benchmark
from captious.benchmarks.reproduce import reproduce
from captious.benchmarks.result import MetaResult, MetaSettings

__all__ = [
    "BENCHMARKS",
    "ExtraInputs",
    "MetaResult",
    "MetaSettings",
    "Preferences",
    "Protocol",
    "RatedExamples",
    "evaluate",
    "load_benchmark",
    "reproduce",
]
