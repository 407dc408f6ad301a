"""What is judged: captions, references, images, objects, scores and judgments, as columns."""

from captious.corpus.judgments import Judgments
from captious.corpus.scores import CorpusScore, MetricScores, Scores
from captious.corpus.types import Corpus, Example, Ragged

__all__ = ["Corpus", "CorpusScore", "Example", "Judgments", "MetricScores", "Ragged", "Scores"]
