"""The models that can be fitted: `gbr`, `hist`, `ridge`, `mlp`; options in brackets."""

from captious.learn.models.base import Fit, Learner, known_learners, parse_learner
from captious.learn.models.mlp import GradientBoosting, HistogramBoosting, Mlp
from captious.learn.models.ridge import Ridge

__all__ = [
    "Fit",
    "GradientBoosting",
    "HistogramBoosting",
    "Learner",
    "Mlp",
    "Ridge",
    "known_learners",
    "parse_learner",
]
