"""Metric against human: named benchmarks, their exact protocols, and published values.

A benchmark is a loader and a `Protocol`. The protocol says which judgments enter, which references
are used, which coefficient is printed, and travels with every result.
"""

from captious.benchmarks.given import Given
from captious.benchmarks.meta import evaluate
from captious.benchmarks.protocol import Judged, Preferences, Protocol
from captious.benchmarks.registry import BENCHMARKS, load_benchmark
from captious.benchmarks.reproduce import reproduce
from captious.benchmarks.result import MetaResult, Settings

__all__ = [
    "BENCHMARKS",
    "Given",
    "Judged",
    "MetaResult",
    "Preferences",
    "Protocol",
    "Settings",
    "evaluate",
    "load_benchmark",
    "reproduce",
]
