"""What adapters for harnesses and training loops share: a metric that cannot run must not end the loop."""

from __future__ import annotations

import math
import warnings

from captious.corpus import Corpus
from captious.errors import CaptiousError, CaptiousWarning, InputError
from captious.metrics import resolve
from captious.metrics.weighted import Weighted, parts_of
from captious.scoring import NEEDS, score


def require_references_only(metric: str) -> None:
    """Refuse a metric that does not exist, or that asks for more than captions and references.

    >>> require_references_only("vifidel")
    Traceback (most recent call last):
    captious.errors.InputError: vifidel needs objects; only captions and references are available here.
    """
    needs = resolve(metric).needs - {"references"}
    if needs:
        raise InputError(
            f"{metric} needs {', '.join(sorted(needs))}; only captions and references are available here."
        )


def value_or_nan(corpus: Corpus, metric: Weighted) -> float:
    """The corpus value of a metric, or of several with weights; NaN and a warning where one has none.

    >>> value_or_nan(Corpus.from_lists(["a dog"], [["a dog"]]), "rouge_l")
    1.0
    """
    parts = parts_of(metric, NEEDS)
    try:
        found = [(part.weight, score(corpus, [part.metric])[part.metric.name]) for part in parts.values()]
    except CaptiousError as error:
        warnings.warn(f"{' + '.join(parts)} is NaN: {error}", CaptiousWarning, stacklevel=3)
        return math.nan
    for line in (line for _, one in found for line in one.notes):  # plain numbers have no place for them
        warnings.warn(line, CaptiousWarning, stacklevel=3)
    return sum(weight * one.score for weight, one in found)
