"""How the tables of studies are recomputed: a measure is a function registered by its name."""

from captious.benchmarks.studies.measures import agreement, judgments, pairs, scores, texts

__all__ = ["agreement", "judgments", "pairs", "scores", "texts"]
