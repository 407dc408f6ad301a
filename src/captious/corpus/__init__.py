"""What is judged: captions, references, images, objects, scores, judgments and findings, as columns."""

from captious.corpus.findings import Finding, Findings
from captious.corpus.judgments import Judgments
from captious.corpus.scores import CorpusScore, MetricScores, Scores
from captious.corpus.types import Corpus, Example, Ragged

__all__ = [
    "Corpus",
    "CorpusScore",
    "Example",
    "Finding",
    "Findings",
    "Judgments",
    "MetricScores",
    "Ragged",
    "Scores",
]
