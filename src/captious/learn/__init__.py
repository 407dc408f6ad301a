"""Learned metrics: from judgments and any features to a metric that loads like every other.

`train` fits and judges one; `metrics.learned` holds what scoring needs of it.
"""

from captious.learn.data import RatedSet, TrainingData
from captious.learn.settings import Settings
from captious.learn.train import Trained, train

__all__ = ["RatedSet", "Settings", "Trained", "TrainingData", "train"]
