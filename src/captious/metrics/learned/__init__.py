"""Metrics that were trained: features of a caption in, the rating that people would give out."""

from captious.metrics.learned.folder import MANIFEST, TrainedModel, read_folder, write_folder
from captious.metrics.learned.metric import LearnedMetric, Rating, VcrScore, load_metric

__all__ = [
    "MANIFEST",
    "LearnedMetric",
    "Rating",
    "TrainedModel",
    "VcrScore",
    "load_metric",
    "read_folder",
    "write_folder",
]
