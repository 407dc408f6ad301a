"""Two options of numbers that need reading: a scale, and categories that count as one."""

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
