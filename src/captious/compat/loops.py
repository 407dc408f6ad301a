"""What adapters for harnesses and training loops share: a metric that cannot run must not end the loop."""

from __future__ import annotations

import math
import warnings

from captious.corpus import Corpus
from captious.errors import CaptiousError, CaptiousWarning, InputError
from captious.metrics import resolve
from captious.scoring import score


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


def value_or_nan(corpus: Corpus, metric: str) -> float:
    """The corpus value of a metric; NaN and a warning where it has none, as CIDEr of one image.

    >>> value_or_nan(Corpus.from_lists(["a dog"], [["a dog"]]), "rouge_l")
    1.0
    """
    try:
        return score(corpus, [metric])[metric].score
    except CaptiousError as error:
        warnings.warn(f"{metric} is NaN: {error}", CaptiousWarning, stacklevel=3)
        return math.nan
