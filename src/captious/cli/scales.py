"""Options of numbers that need reading: a scale, categories that count as one, weights."""

from __future__ import annotations

import re

from captious.errors import InputError, one_line

_NUMBER = r"-?\d+(?:\.\d+)?"
_SCALE = re.compile(rf"({_NUMBER})\s*-\s*({_NUMBER})")
_MERGE = re.compile(rf"({_NUMBER})=({_NUMBER})")


def scale(text: str) -> tuple[float, float] | None:
    """Read `1-5`.

    >>> scale("1-5")
    (1.0, 5.0)
    """
    if not text:
        return None
    match = _SCALE.fullmatch(text.strip())
    if not match or float(match[1]) >= float(match[2]):
        raise InputError(
            f'--scale: "{one_line(text, 30)}" is not a scale. Write LOWEST-HIGHEST, such as 1-5.'
        )
    return float(match[1]), float(match[2])


def merged(text: str) -> dict[float, float] | None:
    """Read `4=5`: every 5 counts as a 4.

    >>> merged("4=5")
    {5.0: 4.0}
    """
    found = {}
    for part in filter(None, (piece.strip() for piece in text.split(","))):
        match = _MERGE.fullmatch(part)
        if not match:
            raise InputError(f'--merge: "{one_line(part, 30)}" is not a pair of categories. Write 4=5.')
        found[float(match[2])] = float(match[1])
    return found or None


def weights(text: str) -> dict[str, float]:
    """Read `minor=1,major=5`; a finding without a severity costs 1 unless `=N` says otherwise.

    >>> weights("minor=1,critical=25")
    {'': 1.0, 'minor': 1.0, 'critical': 25.0}
    """
    found = {"": 1.0}
    for part in filter(None, (piece.strip() for piece in text.split(","))):
        name, equals, number = part.rpartition("=")
        if not equals or not re.fullmatch(_NUMBER, number.strip()) or float(number) < 0:
            raise InputError(f'--weights: "{one_line(part, 30)}" is not a weight. Write minor=1,major=5.')
        found[name.strip()] = float(number)
    return found
