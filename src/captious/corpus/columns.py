"""Small tools for columns."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]
Label = TypeVar("Label", bound=Hashable)


def factorise(labels: Iterable[Label]) -> tuple[list[Label], IntArray]:
    """Distinct labels in order of appearance, and where each entry points.

    >>> names, places = factorise(["m2", "vinvl", "m2"])
    >>> names, places.tolist()
    (['m2', 'vinvl'], [0, 1, 0])
    """
    known: defaultdict[Label, int] = defaultdict()
    known.default_factory = known.__len__  # an unseen label gets the next number
    places = np.fromiter(map(known.__getitem__, labels), dtype=np.int64)
    return list(known), places
