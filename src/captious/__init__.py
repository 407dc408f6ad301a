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
    from captious.comparison import Comparison, compare
    from captious.corpus import Corpus, Judgments, Scores
    from captious.corpus.load import load_corpus
    from captious.scoring import available_metrics, compute, score

__all__ = [
    "Comparison",
    "Corpus",
    "Judgments",
    "Scores",
    "__version__",
    "available_metrics",
    "compare",
    "compute",
    "load_corpus",
    "score",
]

_HOMES = {
    "Comparison": "captious.comparison",
    "Corpus": "captious.corpus",
    "Judgments": "captious.corpus",
    "Scores": "captious.corpus",
    "available_metrics": "captious.scoring",
    "compare": "captious.comparison",
    "compute": "captious.scoring",
    "load_corpus": "captious.corpus.load",
    "score": "captious.scoring",
}


def __getattr__(name: str) -> Any:
    # Names are fetched when they are first used, so that `import captious` is instant.
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'captious' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted(__all__)
