"""Metric against human: named benchmarks, their exact protocols, and published values.

A benchmark is a loader and a `Protocol`. The protocol says which judgments enter, which references
are used, which coefficient is printed, and travels with every result.
"""

from captious.benchmarks.extra_inputs import ExtraInputs
from captious.benchmarks.meta_evaluation import MetaResults, evaluate, meta
from captious.benchmarks.plan import StudyPlan, plan
from captious.benchmarks.protocol import Preferences, Protocol, RatedExamples
from captious.benchmarks.raters import AgreementReport, agreement
from captious.benchmarks.registry import BENCHMARKS, load_benchmark
from captious.benchmarks.reproduce import Reproduction, reproduce
from captious.benchmarks.result import MetaResult, MetaSettings

__all__ = [
    "BENCHMARKS",
    "AgreementReport",
    "ExtraInputs",
    "MetaResult",
    "MetaResults",
    "MetaSettings",
    "Preferences",
    "Protocol",
    "RatedExamples",
    "Reproduction",
    "StudyPlan",
    "agreement",
    "evaluate",
    "load_benchmark",
    "meta",
    "plan",
    "reproduce",
]
