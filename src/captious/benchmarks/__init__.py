"""Metrics compared with human judgments: benchmarks, their exact protocols, and published values.

A benchmark is a loader and a `Protocol`. The protocol says which judgments and references are used and
which coefficient is computed, and is part of every result.
"""

from captious.benchmarks.few_ratings import FewRatings, estimate
from captious.benchmarks.meta_evaluation.evaluate import MetaResults, evaluate, meta
from captious.benchmarks.meta_evaluation.result import MetaResult, MetaSettings
from captious.benchmarks.plan import StudyPlan, plan
from captious.benchmarks.protocol import Preferences, Protocol, RatedExamples
from captious.benchmarks.rater_agreement.report import AgreementReport, agreement
from captious.benchmarks.rater_agreement.spans import SpanAgreement, span_agreement
from captious.benchmarks.registry import BENCHMARKS, load_benchmark
from captious.benchmarks.selection.extra_inputs import ExtraInputs
from captious.benchmarks.studies.own import OwnStudy, study
from captious.benchmarks.studies.reproduce import Reproduction, reproduce

__all__ = [
    "BENCHMARKS",
    "AgreementReport",
    "ExtraInputs",
    "FewRatings",
    "MetaResult",
    "MetaResults",
    "MetaSettings",
    "OwnStudy",
    "Preferences",
    "Protocol",
    "RatedExamples",
    "Reproduction",
    "SpanAgreement",
    "StudyPlan",
    "agreement",
    "estimate",
    "evaluate",
    "load_benchmark",
    "meta",
    "plan",
    "reproduce",
    "span_agreement",
    "study",
]
