"""Learned metrics: train on judgments and any features; the result loads like any other metric.

`train` fits and evaluates a metric; `metrics.learned` has what scoring needs.
"""

from captious.learn.data import RatedSet, TrainingData
from captious.learn.settings import Settings
from captious.learn.train import Trained, train

__all__ = ["RatedSet", "Settings", "Trained", "TrainingData", "train"]
