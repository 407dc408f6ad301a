"""What may be asked of a training run."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

from captious._version import __version__
from captious.learn.models import GradientBoosting, Learner
from captious.stats.correlation import Method
from captious.stats.resample import DEFAULT_RESAMPLES, DEFAULT_SEED

CURVE = (0.1, 0.2, 0.4, 0.7, 1.0)
COEFFICIENTS: tuple[Method, ...] = ("pearson", "spearman", "kendall_b", "kendall_c")


@dataclass(frozen=True)
class Settings:
    """Everything that changes the trained metric or what is said of it.

    `folds=0` does without cross-validation; an empty `curve` without the learning curve. `beside` are
    metrics that are shown beside the trained one and are no features of it.
    """

    name: str
    features: tuple[str, ...]
    learner: Learner = field(default_factory=GradientBoosting)
    recipe: str = "own"
    folds: int = 5
    seeds: int = 1
    seed: int = DEFAULT_SEED
    calibrate: bool = True
    curve: tuple[float, ...] = CURVE
    resamples: int = DEFAULT_RESAMPLES
    trials: int = 1000
    confidence: float = 0.95
    skip_missing: bool = False
    refit: bool = False
    main: Method = "spearman"
    licence: str = ""
    beside: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def digest(self, data: str, features: str) -> str:
        """A name for exactly this run on exactly this data."""
        said = "\n".join([__version__, repr(self), data, features])
        return hashlib.sha256(said.encode()).hexdigest()
