"""captious evaluates image captions from end to end.

>>> import captious
>>> captious.compute(["a red bus"], [["a red bus on a street"]], metrics=["bleu1"])["bleu1"] > 0.5
False
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from captious._version import __version__

if TYPE_CHECKING:
    from captious import compat as compat
    from captious import corpus as corpus
    from captious import errors as errors
    from captious import metrics as metrics
    from captious import stats as stats
    from captious.benchmarks import MetaSettings, agreement, estimate, meta, plan, reproduce
    from captious.client import Client
    from captious.comparison import Comparison, compare
    from captious.corpus import Corpus, Finding, Findings, Judgments, Scores
    from captious.corpus.check import check
    from captious.corpus.finding_files import read_findings
    from captious.corpus.judged import load_judgments
    from captious.corpus.load import load_corpus
    from captious.corpus.shards import open_shards
    from captious.engine.filter import filter_shards
    from captious.explanation import explain
    from captious.reward import Reward
    from captious.scoring import available_metrics, compute, score

__all__ = [
    "Client",
    "Comparison",
    "Corpus",
    "Finding",
    "Findings",
    "Judgments",
    "MetaSettings",
    "Reward",
    "Scores",
    "__version__",
    "agreement",
    "available_metrics",
    "check",
    "compare",
    "compute",
    "estimate",
    "explain",
    "filter_shards",
    "load_corpus",
    "load_judgments",
    "meta",
    "open_shards",
    "plan",
    "read_findings",
    "reproduce",
    "score",
]

_HOMES = {
    "captious.benchmarks": ("MetaSettings", "agreement", "estimate", "meta", "plan", "reproduce"),
    "captious.client": ("Client",),
    "captious.comparison": ("Comparison", "compare"),
    "captious.corpus": ("Corpus", "Finding", "Findings", "Judgments", "Scores"),
    "captious.corpus.check": ("check",),
    "captious.corpus.finding_files": ("read_findings",),
    "captious.corpus.judged": ("load_judgments",),
    "captious.corpus.load": ("load_corpus",),
    "captious.corpus.shards": ("open_shards",),
    "captious.engine.filter": ("filter_shards",),
    "captious.explanation": ("explain",),
    "captious.reward": ("Reward",),
    "captious.scoring": ("available_metrics", "compute", "score"),
}
# What people reach for without an import of its own: `except captious.errors.InputError`.
_ROOMS = ("compat", "corpus", "errors", "metrics", "stats")
_NAMES = {name: home for home, names in _HOMES.items() for name in names}


if not TYPE_CHECKING:  # a type checker would take any name for one of ours

    def __getattr__(name: str) -> Any:
        # Names are fetched when they are first used, so that `import captious` is instant.
        if name in _NAMES:
            return getattr(import_module(_NAMES[name]), name)
        if name in _ROOMS:
            return import_module(f"captious.{name}")
        raise AttributeError(f"module 'captious' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted(__all__)
