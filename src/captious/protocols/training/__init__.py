"""Training before the work: examples with known answers, and what a rater is told about each answer."""

from captious.protocols.training.example import Example, Marked, example_from_dict, example_to_dict, mark
from captious.protocols.training.file import read_examples
from captious.protocols.training.standing import AFTER_FAILING, Answered, Standing, TrainingRules, standing

__all__ = [
    "AFTER_FAILING",
    "Answered",
    "Example",
    "Marked",
    "Standing",
    "TrainingRules",
    "example_from_dict",
    "example_to_dict",
    "mark",
    "read_examples",
    "standing",
]
