"""CHAIR: objects that a caption invents, by the word list of its paper."""

from captious.metrics.chair.metric import Chair, ChairObjects, ChairRecall, ChairSentences
from captious.metrics.chair.words import Mention, mentions, objects_of

__all__ = ["Chair", "ChairObjects", "ChairRecall", "ChairSentences", "Mention", "mentions", "objects_of"]
