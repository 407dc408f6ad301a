"""`invented`: the places of a caption that nothing supports."""

from captious.metrics.invented.metric import Invented

__all__ = ["Invented"]
