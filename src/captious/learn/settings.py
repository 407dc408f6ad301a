"""Settings of a training run."""

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
    """Everything that affects the trained metric or its report.

    `folds=0` skips cross-validation, an empty `curve` the learning curve. `beside` are further metrics to
    compare with that are not features. `pools` are sets that are also tested together, by a common name.
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
    pools: tuple[tuple[str, tuple[str, ...]], ...] = ()

    def digest(self, data: str, features: str) -> str:
        """A name for exactly this run on exactly this data."""
        said = "\n".join([__version__, repr(self), data, features])
        return hashlib.sha256(said.encode()).hexdigest()
